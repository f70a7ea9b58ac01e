"""fetch_assets.py: the files of Swagger UI and ReDoc, into lanner/native/assets, pinned by hash (tools/assets.toml).

    tools/fetch_assets.py               fetches what is not there; does nothing where all is there with the right hash
    tools/fetch_assets.py --check       only says what is missing; the exit code is 1 if anything is
    tools/fetch_assets.py --from DIR    takes the archives from a directory: what `npm pack NAME@VERSION` wrote there

`npm pack` fetches: it asks the registry that the machine is set up for. tools/setup.sh and the build of wheel and sdist
(tools/build_backend.py) call this.
"""

import argparse
import base64
import hashlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TIMEOUT = 300  # seconds for one package


class FetchError(Exception):
    """Why the files are not there, and what to do."""


@dataclass(frozen=True)
class Package:
    """One package of npm, and what is taken of it."""

    name: str
    version: str
    integrity: str
    folder: str
    files: dict[str, str]  # name in the package -> sha256

    @property
    def archive(self) -> str:
        """The name that `npm pack` gives."""
        return f"{self.name}-{self.version}.tgz"


def packages(table: Path) -> list[Package]:
    data = tomllib.loads(table.read_text("utf-8"))
    return [
        Package(name, said["version"], said["integrity"], said["folder"], said["files"]) for name, said in data.items()
    ]


def missing(package: Package, assets: Path) -> list[str]:
    """The files of a package that are not there, or not as they should be."""
    return [name for name, sha256 in package.files.items() if hash_of(target(package, name, assets)) != sha256]


def target(package: Package, name: str, assets: Path) -> Path:
    return assets / package.folder / Path(name).name


def hash_of(path: Path) -> str | None:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except FileNotFoundError:
        return None


def pack(package: Package, directory: Path) -> Path:
    """The archive of a package, by npm."""
    npm = shutil.which("npm")
    if npm is None:
        raise FetchError(
            f"npm is not there, which fetches {package.name} {package.version}: install it (on Debian: "
            f"apt-get install npm), or put {package.archive} into a directory and give --from DIRECTORY"
        )
    what = f"{package.name}@{package.version}"
    command = [npm, "pack", what, "--ignore-scripts", "--pack-destination", str(directory)]
    try:
        done = subprocess.run(command, cwd=directory, capture_output=True, text=True, timeout=TIMEOUT, check=False)
    except subprocess.TimeoutExpired:
        raise FetchError(f"npm pack {package.name}@{package.version} took more than {TIMEOUT} s") from None
    if done.returncode != 0:
        said = [line for line in done.stderr.splitlines() if line.startswith("npm error") or line.startswith("npm ERR")]
        raise FetchError(
            f"npm pack {package.name}@{package.version} failed ({said[0] if said else done.stderr.strip()!r}): "
            f"it needs the npm registry; without a network, put {package.archive} into a directory and give "
            "--from DIRECTORY"
        )
    return directory / package.archive


def unpack(package: Package, archive: Path, assets: Path) -> None:
    """Takes the files out of an archive that is the right one."""
    if not archive.exists():
        raise FetchError(f"{archive} is not there: npm pack {package.name}@{package.version} writes it")
    data = archive.read_bytes()
    found = "sha512-" + base64.b64encode(hashlib.sha512(data).digest()).decode()
    if found != package.integrity:
        raise FetchError(f"{archive.name} is not the archive of tools/assets.toml: its integrity is {found}")
    with tarfile.open(archive) as opened:
        for name, sha256 in package.files.items():
            member = opened.extractfile(f"package/{name}")
            content = member.read() if member is not None else b""
            if hashlib.sha256(content).hexdigest() != sha256:
                raise FetchError(f"{name} in {archive.name} has another sha256 than tools/assets.toml says")
            put(target(package, name, assets), content)


def put(path: Path, content: bytes) -> None:
    """All of it or nothing: two builds may run at once."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
        file.write(content)
    Path(file.name).chmod(0o644)
    Path(file.name).replace(path)


def fetch(root: Path = ROOT, given: Path | None = None) -> list[str]:
    """Fetches what is missing; returns what that was. Raises FetchError."""
    assets = root / "lanner/native/assets"
    fetched = []
    for package in packages(root / "tools/assets.toml"):
        if not missing(package, assets):
            continue
        with tempfile.TemporaryDirectory() as directory:
            archive = given / package.archive if given is not None else pack(package, Path(directory))
            unpack(package, archive, assets)
        fetched.append(f"{package.name} {package.version}")
    return fetched


def check(root: Path = ROOT) -> list[str]:
    """What is missing."""
    assets = root / "lanner/native/assets"
    return [
        str(target(package, name, assets).relative_to(root))
        for package in packages(root / "tools/assets.toml")
        for name in missing(package, assets)
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description="Fetches the files of the documentation pages.")
    parser.add_argument("--check", action="store_true", help="only say what is missing")
    parser.add_argument("--from", dest="given", type=Path, metavar="DIR", help="take the archives from there")
    options = parser.parse_args()
    if options.check:
        absent = check()
        print("\n".join(f"missing: {name}" for name in absent), end="\n" if absent else "")
        return 1 if absent else 0
    try:
        for name in fetch(given=options.given):
            print(f"fetch_assets: {name}")
    except FetchError as error:
        print(f"fetch_assets: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
