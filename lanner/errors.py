"""Errors that a user can fix: one line each, with the exit code of the command line."""


class LannerError(Exception):
    """An error that the command line prints as one line; str(error) names the cause and the fix.

    Example: `try: lanner.run("shop:app") except lanner.errors.LannerError as error: sys.exit(error.exit_code)`
    """

    exit_code = 1
    while_serving = False  # it came after the server had started, so that it belongs to the log


class ConfigError(LannerError):
    """A flag, a variable or an argument is wrong.

    Example: `ConfigError("--port: 'http' is not a number")`
    """

    exit_code = 2


class ListenError(LannerError):
    """The server cannot listen on an address: it is taken, forbidden, or not an address of this machine.

    Example: `ListenError("port 80 needs a privilege; choose one above 1023 with --port")`
    """


class AppError(LannerError):
    """The application cannot be loaded or started. `report`: the traceback, trimmed to the user's frames, or "".

    Example: `AppError("cannot load 'shop:app': there is no module 'shop'")`
    """

    exit_code = 3

    def __init__(self, line: str, report: str = "") -> None:
        super().__init__(line)
        self.report = report
