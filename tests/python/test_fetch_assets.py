"""tools/fetch_assets.py: what is pinned comes, anything else does not. A script stands in for npm."""

from __future__ import annotations

import base64
import hashlib
import io
import os
import tarfile
from collections.abc import Callable
from pathlib import Path

import fetch_assets
import pytest

FILES = {"LICENSE": b"Free.", "dist/page.js": b"page();"}
Make = Callable[..., Path]


def archive(files: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as opened:
        for name, content in files.items():
            member = tarfile.TarInfo(f"package/{name}")
            member.size = len(content)
            opened.addfile(member, io.BytesIO(content))
    return made.getvalue()


def pinned(data: bytes, files: dict[str, bytes]) -> str:
    integrity = "sha512-" + base64.b64encode(hashlib.sha512(data).digest()).decode()
    lines = ["[page]", 'folder = "page"', 'version = "1.2"', f'integrity = "{integrity}"', "[page.files]"]
    return "\n".join([*lines, *(f'"{name}" = "{hashlib.sha256(c).hexdigest()}"' for name, c in files.items())])


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    """A repository that pins one package, and an npm that has an archive of it."""

    def root(npm: str | None = 'cp "$ARCHIVE" page-1.2.tgz', files: dict[str, bytes] | None = None) -> Path:
        data = archive(FILES)
        (tmp_path / "tools").mkdir()
        (tmp_path / "bin").mkdir()
        (tmp_path / "tools/assets.toml").write_text(pinned(data, files or FILES))
        (tmp_path / "page-1.2.tgz").write_bytes(data)
        if npm is not None:
            (tmp_path / "bin/npm").write_text(f"#!/bin/sh\n{npm}\n")
            (tmp_path / "bin/npm").chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}/bin" if npm is not None else str(tmp_path / "bin"))
        monkeypatch.setenv("ARCHIVE", str(tmp_path / "page-1.2.tgz"))
        return tmp_path

    return root


def found(root: Path) -> dict[str, bytes]:
    assets = root / "lanner/native/assets"
    return {str(path.relative_to(assets)): path.read_bytes() for path in assets.rglob("*") if path.is_file()}


WANTED = {"page/LICENSE": b"Free.", "page/page.js": b"page();"}


def test_the_files_come_and_then_nothing_is_done(make: Make) -> None:
    root = make()
    assert fetch_assets.check(root) == ["lanner/native/assets/page/LICENSE", "lanner/native/assets/page/page.js"]
    assert fetch_assets.fetch(root) == ["page 1.2"]
    assert found(root) == WANTED
    (root / "bin/npm").unlink()
    assert fetch_assets.fetch(root) == []
    assert fetch_assets.check(root) == []


def test_a_file_that_was_changed_comes_again(make: Make) -> None:
    root = make()
    fetch_assets.fetch(root)
    (root / "lanner/native/assets/page/page.js").write_bytes(b"evil();")
    assert fetch_assets.check(root) == ["lanner/native/assets/page/page.js"]
    fetch_assets.fetch(root)
    assert found(root) == WANTED


def test_another_archive_is_refused(make: Make) -> None:
    root = make('cp "$ARCHIVE" page-1.2.tgz; echo >>page-1.2.tgz')
    with pytest.raises(
        fetch_assets.FetchError, match=r"page-1\.2\.tgz is not the archive of tools/assets\.toml: .*sha512"
    ):
        fetch_assets.fetch(root)
    assert found(root) == {}


def test_another_file_is_refused(make: Make) -> None:
    root = make(files={**FILES, "dist/page.js": b"other();"})
    with pytest.raises(fetch_assets.FetchError, match=r"dist/page\.js in page-1\.2\.tgz has another sha256"):
        fetch_assets.fetch(root)


def test_without_npm_it_says_what_to_do(make: Make) -> None:
    root = make(None)
    with pytest.raises(
        fetch_assets.FetchError, match=r"npm is not there, .*apt-get install npm.*page-1\.2\.tgz .*--from"
    ):
        fetch_assets.fetch(root)
    assert fetch_assets.fetch(root, given=root) == ["page 1.2"]
    assert found(root) == WANTED
    (root / "lanner/native/assets/page/LICENSE").unlink()
    with pytest.raises(fetch_assets.FetchError, match=r"page-1\.2\.tgz is not there: npm pack page@1\.2 writes it"):
        fetch_assets.fetch(root, given=root / "bin")


def test_without_a_network_it_says_what_npm_says(make: Make) -> None:
    root = make('echo "npm error code ENOTFOUND" >&2; exit 1')
    with pytest.raises(
        fetch_assets.FetchError, match=r"npm pack page@1\.2 failed \('npm error code ENOTFOUND'\): .*--from"
    ):
        fetch_assets.fetch(root)
