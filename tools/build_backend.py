"""build_backend.py: what pip and build call to make a wheel or an sdist: scikit-build-core, behind fetch_assets.py.

An sdist has the files of the documentation pages in it, so a wheel made of it fetches nothing.
"""

import os
import sys
from pathlib import Path
from typing import Any

from scikit_build_core import build
from scikit_build_core.build import (
    build_editable,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

sys.path.insert(0, str(Path(__file__).parent))
import fetch_assets

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]


def build_wheel(*arguments: Any, **keywords: Any) -> str:
    add_assets()
    return build.build_wheel(*arguments, **keywords)


def build_sdist(*arguments: Any, **keywords: Any) -> str:
    add_assets()
    return build.build_sdist(*arguments, **keywords)


def add_assets() -> None:
    if "LANNER_IN_TREE" in os.environ:  # the package stays in the checkout (tools/setup.sh)
        return
    try:
        fetch_assets.fetch()
    except fetch_assets.FetchError as error:
        raise SystemExit(f"the files of the documentation pages could not be fetched: {error}") from None
