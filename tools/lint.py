"""lint.py: clang-tidy over the sources. What was clean before is not read again until it or what it includes changes.

    tools/lint.py [--recent]

--recent: until all has been read once, as in a new clone, only what the last commits changed, each header with one
source that includes it. Runs where build/clang has been configured. What was clean is an empty file in build/lint,
named by a hash of the source, of our headers behind it, of how it is compiled, of .clang-tidy and of clang-tidy's
version.
"""

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

from check_layers import includes

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build/clang"
CLEAN = ROOT / "build/lint"
ALL_READ = ROOT / "build/lint-all-read"  # there once all was clean
TIDY = "clang-tidy-16"
KEPT = 2000  # files in build/lint; the oldest go
RECENT = 10  # commits


@cache
def headers(path: Path) -> frozenset[Path]:
    """Our files that this one includes itself."""
    found = set()
    for _, name, quoted in includes(path):
        for place in (path.parent / name, ROOT / "src" / name, ROOT / name):
            if quoted and place.is_file():
                found.add(place.resolve())
                break
    return frozenset(found)


def all_headers(source: Path) -> set[Path]:
    """Our files behind this one."""
    found: set[Path] = set()
    left = [source.resolve()]
    while left:
        path = left.pop()
        if path not in found:
            found.add(path)
            left += headers(path)
    return found


def key(source: Path, command: str, rules: bytes) -> str:
    digest = hashlib.sha256(rules + command.encode())
    for path in sorted(all_headers(source)):
        digest.update(str(path.relative_to(ROOT)).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def sources() -> dict[Path, str]:
    """Source -> how it is compiled; tests are left out."""
    commands = json.loads((BUILD / "compile_commands.json").read_text())
    found = {Path(entry["directory"], entry["file"]): entry["command"] for entry in commands}
    return {path: command for path, command in found.items() if not path.stem.endswith("_test")}


def problems(source: Path) -> str:
    """What clang-tidy says about a source, or nothing."""
    command = [TIDY, "--quiet", "-p", str(BUILD), str(source)]
    done = subprocess.run(command, cwd=ROOT, text=True, capture_output=True, check=False)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def git(*arguments: str) -> list[str]:
    done = subprocess.run(["git", *arguments], cwd=ROOT, text=True, capture_output=True, check=True)
    return done.stdout.split()


def changed_lately() -> set[Path] | None:
    """By git; None where it does not say, as in an unpacked archive."""
    try:
        names = git("log", f"-{RECENT}", "--name-only", "--format=") + git("diff", "HEAD", "--name-only")
    except (OSError, subprocess.CalledProcessError):
        return None
    return {(ROOT / name).resolve() for name in names}


def readers(changed: Iterable[Path], all_sources: Iterable[Path]) -> set[Path]:
    """The sources among what changed; for each header there, its own source or another that includes it."""
    behind = {source: all_headers(source) for source in all_sources}
    chosen = set()
    for path in changed:
        own = path.with_suffix(".cpp")
        able = [own] if own in behind else [source for source, files in behind.items() if path in files]
        chosen.update(able[:1])
    return chosen


def lint(only_recent: bool) -> int:
    version = subprocess.run([TIDY, "--version"], capture_output=True, check=True).stdout
    rules = (ROOT / ".clang-tidy").read_bytes() + version
    keys = {source: CLEAN / key(source, command, rules) for source, command in sources().items()}
    stale = [source for source, record in keys.items() if not record.exists()]
    changed = changed_lately() if only_recent and not ALL_READ.exists() else None
    if changed is not None:
        chosen = readers(changed, keys)
        stale = [source for source in stale if source in chosen]
    CLEAN.mkdir(parents=True, exist_ok=True)
    print(f"clang-tidy: {len(stale)} of {len(keys)} sources", flush=True)
    failed = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for source, said in zip(stale, pool.map(problems, stale), strict=True):
            if said:
                failed += 1
                print(said, flush=True)
            else:
                keys[source].touch()
    forget_old()
    if not failed and changed is None:
        ALL_READ.touch()
    return 1 if failed else 0


def forget_old() -> None:
    records = sorted(CLEAN.iterdir(), key=lambda path: path.stat().st_mtime)
    for path in records[:-KEPT]:
        path.unlink()


if __name__ == "__main__":
    sys.exit(lint("--recent" in sys.argv[1:]))
