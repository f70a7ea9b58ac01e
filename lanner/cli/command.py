"""The command `lanner`: converts arguments to a configuration, and errors to one line and an exit code."""

import os
import sys
from collections.abc import Sequence
from typing import Any

import click

from lanner import _core
from lanner.cli import describe, flags, foreign, new
from lanner.cli.flags import Flag
from lanner.errors import LannerError
from lanner.log import notice, put
from lanner.report import print_error
from lanner.spelling import hint

COMMANDS = ("run", "new", "openapi", "routes")

OVERVIEW = """\
An application server and web framework for Python: native, WSGI and ASGI applications over HTTP/1.1.

\b
  lanner run app:app             serves the object app of app.py on http://127.0.0.1:8000
  lanner run app:app --port 80   on another port
  lanner run --help              lists all flags
  lanner new shop                makes a small project
  lanner routes app:app          lists the routes of a native application
  lanner openapi app:app         writes its OpenAPI document
"""

INTRODUCTION = """\
Serves TARGET, a WSGI application (Flask, Django, Falcon) or an ASGI application (FastAPI,
Starlette, Django). TARGET is module:attribute, a module alone (its app or application is
served), or a file such as site/app.py:app.

\b
  lanner run shop.wsgi                           on http://127.0.0.1:8000
  lanner run shop:app --host 0.0.0.0 --workers 4
  lanner run shop.asgi --loop uvloop --lifespan on
  lanner run shop:create --factory --bind unix:/run/shop.sock
"""

EPILOGUE = """\
Every flag is also an environment variable: LANNER_PORT=80, LANNER_ACCESS_LOG=1.
Flags win over the environment. Names of uvicorn, gunicorn and granian are understood;
for one that means nothing here, a line says why.

Stopping: SIGTERM or Ctrl-C finishes open requests first, a second one ends at once.

Exit codes:
  0 stopped
  1 address taken or forbidden, or the application failed to shut down
  2 wrong flag or variable
  3 the application did not load or start
"""


class RunCommand(click.Command):
    """`lanner run`, with --help in groups."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for group in flags.GROUPS:
            with formatter.section(group):
                formatter.write_dl([help_row(flag) for flag in flags.table() if flag.group == group])
        with formatter.section("Other servers' names"):
            formatter.write_dl([("--" + other, "--" + own) for other, own in aliases()])
        with formatter.section("Other"):
            formatter.write_dl([("--version", "Print the version."), ("--help", "Print this.")])

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write_paragraph()
        formatter.write(EPILOGUE)


def help_row(flag: Flag) -> tuple[str, str]:
    """The row of one flag in --help."""
    short = "".join(f"-{name}, " for name in flag.aliases if len(name) == 1)
    name = f"{short}--{flag.name}" + (f" {flag.metavar}" if flag.metavar else "")
    if flag.switch:
        name = f"--[no-]{flag.name}" if flag.name != "factory" else "--factory"
    default = flags.shown_default(flag)
    if flag.env:
        default = f"{default} or ${flag.env[0]}" if default else f"${flag.env[0]}"
    return name, flag.help + (f" [{default}]" if default else "")


def aliases() -> list[tuple[str, str]]:
    return [(other, flag.name) for flag in flags.table() for other in flag.aliases if len(other) > 1]


def own_option(flag: Flag) -> click.Option:
    names = [flags.dashes(name) for name in (flag.name, *flag.aliases)]
    if flag.switch:
        return click.Option([flag.setting, "/".join((names[0], "--no-" + flag.name))], default=None)
    return click.Option([flag.setting, *names], multiple=flag.many, default=None, type=click.STRING)


def foreign_option(name: str, argument: bool) -> click.Option:
    decls = [flags.python_name(name), flags.dashes(name)]
    if argument:
        return click.Option(decls, hidden=True, multiple=True, type=click.STRING)
    return click.Option(decls, hidden=True, is_flag=True)


def run_command() -> RunCommand:
    options: list[click.Parameter] = [own_option(flag) for flag in flags.table()]
    options += [foreign_option(name, row.argument) for name, row in foreign.by_name().items()]
    options.append(version_option())
    options.append(click.Argument(["target"], required=False, metavar="TARGET"))
    return RunCommand(
        "run",
        params=options,
        callback=run,
        help=INTRODUCTION,
        short_help="Serve an application.",
        context_settings={"max_content_width": 100},
    )


def version_option() -> click.Option:
    return click.Option(
        ["--version"],
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=show_version,
        help="Print the version.",
    )


def show_version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value:
        click.echo(f"lanner {_core.version()}")
        ctx.exit()


def run(target: str | None, **values: Any) -> int:
    """The command's body: passes on only the flags that were given; the others come from environment and defaults."""
    from lanner.cli.launch import launch

    if target is None:
        raise click.UsageError("run needs a TARGET; for example: lanner run shop.wsgi:application")
    ctx = click.get_current_context()
    typed = click.core.ParameterSource.COMMANDLINE
    given = {name: value for name, value in values.items() if ctx.get_parameter_source(name) is typed}
    return launch(target, given, os.environ, prefix="--")


def group() -> click.Group:
    return click.Group(
        "lanner",
        commands=[run_command(), new.new_command(), describe.openapi_command(), describe.routes_command()],
        params=[version_option()],
        help=OVERVIEW,
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line, and returns its exit code.

    Example: `main(["run", "shop:app", "--port", "80"])`; without arguments it reads sys.argv.
    """
    try:
        words = sys.argv[1:] if arguments is None else list(arguments)
        if not words:
            put(group().get_help(click.Context(group(), info_name="lanner")))
            return 2
        code = group().main(args=words, prog_name="lanner", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except click.ClickException as error:
        notice(explained(error))
        return 2
    except LannerError as error:
        print_error(error)
        return error.exit_code
    except (KeyboardInterrupt, click.Abort):
        return 130


def explained(error: click.ClickException) -> str:
    """click's error as one line that names the nearest right thing."""
    if isinstance(error, click.NoSuchOption):
        if error.ctx is not None and error.ctx.command.name != "run":
            names = [name for parameter in error.ctx.command.params for name in parameter.opts]
            return f"unknown flag {error.option_name}{hint(error.option_name, names)}"
        known = [flags.dashes(name) for flag in flags.table() for name in (flag.name, *flag.aliases)]
        known += ["--no-" + flag.name for flag in flags.table() if flag.switch]
        return f"unknown flag {error.option_name}{hint(error.option_name, [*known, '--help', '--version'])}"
    line = " ".join(error.format_message().split())
    if line.startswith("No such command"):
        word = line.split("'")[1]
        near = hint(word, COMMANDS) or f"; did you mean: lanner run {word}"
        return f"unknown command {word}{near}"
    return line[:1].lower() + line[1:]
