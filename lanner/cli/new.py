"""`lanner new`: writes a small project that runs: an application, its test, a Dockerfile, pyproject.toml."""

import click

from lanner.log import put

TEXT = """\
Makes the directory NAME with a small project in it: an application, its test, a Dockerfile and
pyproject.toml. Its README.md says how to run it.

\b
  lanner new shop
  lanner new work/card-shop      the package in it is card_shop
"""
STDOUT = 1
NEXT = """\
{directory} is made. Next:

  cd {directory}
  python3 -m venv .venv && .venv/bin/pip install -e '.[test]'
  .venv/bin/pytest
  .venv/bin/lanner run {package}.app:app      # http://127.0.0.1:8000/docs
"""


def new_command() -> click.Command:
    return click.Command(
        "new",
        params=[click.Argument(["directory"], required=False, metavar="NAME")],
        callback=new,
        help=TEXT,
        short_help="Make a small project.",
        context_settings={"max_content_width": 100},
    )


def new(directory: str | None) -> int:
    """The body of `lanner new`."""
    if directory is None:
        raise click.UsageError("new needs a NAME; for example: lanner new shop")
    from pathlib import Path

    from lanner.cli.project import write_project

    package = write_project(Path(directory))
    put(NEXT.format(directory=directory, package=package), STDOUT)
    return 0
