"""check_layers.py: every #include goes down the layer table (tools/layers.toml), or this fails.

    tools/check_layers.py [ROOT]

The table says which layers a layer may include, and which layers alone may use a library. A layer is a folder of src/;
one with rooms of its own has a row for each of them ("python/json").
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

    def layer_of(self, name: str) -> str | None:
        """The layer of a file, by its name below src/: the longest row that its folders begin with."""
        folders = name.split("/")[:-1]
        rows = ("/".join(folders[:count]) for count in range(len(folders), 0, -1))
        return next((row for row in rows if row in self.layers), None)

    def library_refusal(self, layer: str, header: str) -> str | None:
        """Why a file of `layer` may not include <header>, or None."""
        for prefix, users in self.libraries.items():
            if header.startswith(prefix) and layer not in users:
                return f"only {', '.join(users)} may include <{header}>"
        return None

    def layer_refusal(self, layer: str, header: str) -> str | None:
        """Why a file of `layer` may not include "header", or None."""
        folder, slash, _ = header.rpartition("/")
        if not slash:
            return f'"{header}": write it as "layer/file.h"'
        target = self.layer_of(header)
        if target is None:
            return f"\"{header}\": '{folder}' is no layer of tools/layers.toml"
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


def check_file(root: Path, table: Table, layer: str, path: Path) -> list[str]:
    found = []
    for line, header, quoted in includes(path):
        why = table.library_refusal(layer, header)
        if quoted and (why is None or (root / "src" / header).is_file()):
            why = table.layer_refusal(layer, header) or missing(root, header)
        if why is not None:
            found.append(f"{path.relative_to(root)}:{line}: {why}")
    return found


def check_layered(root: Path, table: Table) -> list[str]:
    """src/: each file is in a layer, and includes what the layer may."""
    found = []
    strays = set()
    for path in sources(root / "src"):
        layer = table.layer_of(path.relative_to(root / "src").as_posix())
        if layer is None:
            strays.add(path.parent.relative_to(root).as_posix())
        else:
            found += check_file(root, table, layer, path)
    return found + [f"{folder}:1: this directory is no layer of tools/layers.toml" for folder in sorted(strays)]


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
    found += check_layered(root, table)
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
