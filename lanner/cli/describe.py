"""`lanner openapi` and `lanner routes`: what a native application says of itself, without serving it."""

import os
import sys
from typing import Any

import click

from lanner.errors import AppError, ConfigError
from lanner.worker import interface
from lanner.worker.target import load

OPENAPI = """\
Writes the OpenAPI document of TARGET, a native application: what it serves at /openapi.json.

\b
  lanner openapi shop:app
  lanner openapi shop:app --output openapi.json --indent 0
"""
ROUTES = """\
Lists the routes of TARGET, a native application, in the order in which they were registered.

\b
  lanner routes shop:app
  lanner routes shop:app --json | jq '.[].path'
"""
ARTICLES = {"wsgi": "a WSGI application", "asgi": "an ASGI application"}


def openapi_command() -> click.Command:
    options: list[click.Parameter] = [
        click.Option(["--output"], metavar="FILE", help="Write to a file, not to the standard output."),
        click.Option(["--indent"], type=click.IntRange(0, 16), default=2, help="Spaces a level; 0 is one line. [2]"),
    ]
    return command("openapi", openapi, options, OPENAPI, "Write the OpenAPI document of a native application.")


def routes_command() -> click.Command:
    options: list[click.Parameter] = [click.Option(["--json", "as_json"], is_flag=True, help="As a list, in JSON.")]
    return command("routes", routes, options, ROUTES, "List the routes of a native application.")


def command(name: str, callback: Any, options: list[click.Parameter], text: str, short: str) -> click.Command:
    shared: list[click.Parameter] = [
        click.Option(
            ["--app-dir"],
            metavar="DIR",
            default=".",
            envvar="LANNER_APP_DIR",
            help="Where modules are looked for first. [the working directory or $LANNER_APP_DIR]",
        ),
        click.Option(["--factory"], is_flag=True, envvar="LANNER_FACTORY", help="TARGET returns the application."),
        click.Argument(["target"], required=False, metavar="TARGET"),
    ]
    return click.Command(
        name,
        params=[*options, *shared],
        callback=callback,
        help=text,
        short_help=short,
        context_settings={"max_content_width": 100},
    )


def openapi(target: str | None, app_dir: str, factory: bool, output: str | None, indent: int) -> int:
    """The body of `lanner openapi`."""
    import json

    document = native_app("openapi", target, app_dir, factory).openapi()
    text = json.dumps(document, ensure_ascii=False, indent=indent or None) + "\n"
    if output is None:
        return show(text)
    try:
        with open(output, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise ConfigError(f"--output {output}: {error.strerror}") from None
    return 0


def routes(target: str | None, app_dir: str, factory: bool, as_json: bool) -> int:
    """The body of `lanner routes`."""
    import json

    app = native_app("routes", target, app_dir, factory)
    from lanner.native import listing

    found = listing.rows(app)
    if as_json:
        return show(json.dumps(found, ensure_ascii=False, indent=2) + "\n")
    return show((listing.table(found) if found else "no routes") + "\n")


def native_app(name: str, target: str | None, app_dir: str, factory: bool) -> Any:
    """The application that a target names. AppError for one that keeps its routes to itself."""
    if target is None:
        raise click.UsageError(f"{name} needs a TARGET; for example: lanner {name} shop:app")
    if not os.path.isdir(app_dir):
        raise ConfigError(f"--app-dir {app_dir} is not a directory")
    app = load(target, app_dir, factory)
    try:
        kind = interface.choose(app, "auto", target)
    except AppError:
        kind = ""
    if kind != "native":
        said = ARTICLES.get(kind, "not a native application")
        raise AppError(f"{target} is {said}: only native applications (lanner.App) tell Lanner their routes")
    return app


def show(text: str) -> int:
    """Writes to the standard output, which may be a pipe whose reader has enough."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is left is flushed at exit
    return 0
