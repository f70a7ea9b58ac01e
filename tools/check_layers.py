"""check_layers.py: every #include goes down the layer table (tools/layers.toml), or this fails.

    tools/check_layers.py [ROOT]

Said by the table: which layers a layer may include, and which layers alone may use a library.
Files in fuzz/ and bench/ may include any layer and any library.
"""

import re
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"]+)"|<([^>]+)>)')
SUFFIXES = {".h", ".cpp", ".def"}


@dataclass(frozen=True)
class Table:
    layers: dict[str, list[str]]  # in dependency order: a layer names only earlier ones
    libraries: dict[str, list[str]]  # header prefix -> the only layers that may include it

    @classmethod
    def read(cls, path: Path) -> "Table":
        data = tomllib.loads(path.read_text("utf-8"))
        return cls(data["layers"], data.get("libraries", {}))

    def mistakes(self) -> list[str]:
        found: list[str] = []
        seen: set[str] = set()
        for layer, allowed in self.layers.items():
            found += [
                f"layer '{layer}' names '{name}', which is not above it in the table"
                for name in allowed
                if name not in seen
            ]
            seen.add(layer)
        for prefix, users in self.libraries.items():
            found += [
                f"library '{prefix}' names '{name}', which is no layer" for name in users if name not in self.layers
            ]
        return found

    def library_refusal(self, layer: str, header: str) -> str | None:
        """Why a file of `layer` may not include <header>, or None."""
        for prefix, users in self.libraries.items():
            if header.startswith(prefix) and layer not in users:
                return f"only {', '.join(users)} may include <{header}>"
        return None

    def layer_refusal(self, layer: str, header: str) -> str | None:
        """Why a file of `layer` may not include "header", or None."""
        target, slash, _ = header.partition("/")
        if not slash:
            return f'"{header}": write it as "layer/file.h"'
        if target not in self.layers:
            return f"\"{header}\": '{target}' is no layer of tools/layers.toml"
        allowed = self.layers[layer]
        if target != layer and target not in allowed:
            return f"{layer} may include only {', '.join(allowed) or 'itself'}, not {target}"
        return None


def includes(path: Path) -> list[tuple[int, str, bool]]:
    """(line, header, quoted) of each #include."""
    found = []
    for number, line in enumerate(path.read_text("utf-8", "replace").splitlines(), 1):
        if match := INCLUDE.match(line):
            quoted = match[1] is not None
            found.append((number, match[1] if quoted else match[2], quoted))
    return found


def sources(directory: Path) -> list[Path]:
    return sorted(path for path in directory.rglob("*") if path.suffix in SUFFIXES)


def check_layer(root: Path, table: Table, layer: str) -> list[str]:
    found = []
    for path in sources(root / "src" / layer):
        for line, header, quoted in includes(path):
            why = table.library_refusal(layer, header)
            if quoted and (why is None or (root / "src" / header).is_file()):
                why = table.layer_refusal(layer, header) or missing(root, header)
            if why is not None:
                found.append(f"{path.relative_to(root)}:{line}: {why}")
    return found


def check_free(root: Path, directory: Path) -> list[str]:
    """fuzz/ and bench/: any layer, but only headers that exist: in a layer, or beside the file."""
    found = []
    for path in sources(directory):
        for line, header, quoted in includes(path):
            beside = (path.parent / header).exists() or (root / header).exists()
            if quoted and not beside and (why := missing(root, header)) is not None:
                found.append(f"{path.relative_to(root)}:{line}: {why}")
    return found


def missing(root: Path, header: str) -> str | None:
    return None if (root / "src" / header).is_file() else f'there is no src/{header} for "{header}"'


def check(root: Path) -> list[str]:
    """All violations under `root`, as "file:line: rule"."""
    table = Table.read(root / "tools/layers.toml")
    found = [f"tools/layers.toml:1: {mistake}" for mistake in table.mistakes()]
    for directory in sorted(path for path in (root / "src").iterdir() if path.is_dir()):
        if directory.name in table.layers:
            found += check_layer(root, table, directory.name)
        else:
            found.append(f"src/{directory.name}:1: this directory is no layer of tools/layers.toml")
    for name in ("fuzz", "bench"):
        if (root / name).is_dir():
            found += check_free(root, root / name)
    return found


def main() -> int:
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    found = check(root)
    for line in found:
        print(line)
    print(f"layers: {len(found)} violations" if found else "layers: every include goes down")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
