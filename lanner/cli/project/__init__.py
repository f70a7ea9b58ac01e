"""A small project that runs, out of the templates in this directory."""

import keyword
import os
import re
import sys
from pathlib import Path
from string import Template

from lanner.errors import ConfigError

FILES = {  # template -> where it goes; PACKAGE is the package's name
    "pyproject.toml": "pyproject.toml",
    "README.md": "README.md",
    "Dockerfile": "Dockerfile",
    "dockerignore": ".dockerignore",
    "gitignore": ".gitignore",
    "app.py": "PACKAGE/app.py",
    "test_app.py": "tests/test_app.py",
}
NAME = re.compile(r"[A-Za-z](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")  # of a distribution (PEP 508), and a letter first
TAKEN = {"lanner", "tests", "pytest", "click", "httpx", "setuptools"}


def write_project(directory: Path) -> str:
    """Writes the files into a directory that is made, or is there and empty. Returns the package's name.

    Raises ConfigError, and then has written nothing, for a name that is none and a directory in use.

    Example: `write_project(Path("card-shop"))` is `"card_shop"`
    """
    name = directory.name
    package = package_of(name)
    values = {"name": name, "package": package, "image": name.lower()}
    try:
        if directory.exists() and (not directory.is_dir() or any(directory.iterdir())):
            raise ConfigError(f"{directory} is there already; choose another name, or empty it")
        for template, place in FILES.items():
            path = directory / place.replace("PACKAGE", package)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(Template(text_of(template)).substitute(values), "utf-8")
        (directory / package / "__init__.py").touch()
    except OSError as error:
        raise ConfigError(f"{error.filename}: {os.strerror(error.errno or 0)}") from None
    return package


def text_of(template: str) -> str:
    return Path(__file__).with_name(f"{template}.in").read_text("utf-8")


def package_of(name: str) -> str:
    """The name that is imported. Example: `package_of("card-shop")` is `"card_shop"`."""
    package = re.sub(r"[._-]+", "_", name).lower()
    if not NAME.fullmatch(name) or keyword.iskeyword(package):
        raise ConfigError(
            f"{name!r} is no name of a project: letters, digits and '-', a letter first; such as card-shop"
        )
    if package in TAKEN or package in sys.stdlib_module_names:
        raise ConfigError(f"{name!r} would hide the module {package} from Python; choose another name")
    return package
