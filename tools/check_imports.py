"""check_imports.py: every import within lanner/ goes down the table (tools/layers.toml, [python]), or this fails.

    tools/check_imports.py [ROOT]

A row is a module of the package's own folder, or a room: a folder with all that is in it. Imports inside functions
count as well, and so do names of modules in tables, and `import_module("lanner.cli")`; what stands under
`if TYPE_CHECKING:` does not, as it is never run. Modules of one room may import one another, but not in a circle. An
outside library that takes its time to import belongs to the rooms that the table names: other rooms may import it
inside a function only.
"""

import ast
import sys
import tomllib
from collections.abc import Container, Iterator
from dataclasses import dataclass
from pathlib import Path

from check_layers import Table

PACKAGE = "lanner"
ROOT_MODULES = (PACKAGE, f"{PACKAGE}.__main__")  # of the row that is called as the package


@dataclass(frozen=True)
class Import:
    """One name that a statement imports. Example: of `from lanner.log import put` in a function of lanner/a.py."""

    line: int
    module: str  # "lanner.log"
    name: str  # "put"; "" of `import lanner.log`
    lazy: bool  # inside a function


def read_table(path: Path) -> Table:
    data = tomllib.loads(path.read_text("utf-8"))
    return Table(data.get("python", {}), data.get("python-libraries", {}))


def modules(root: Path) -> dict[str, Path]:
    """The files of the package by their dotted names; a stub stands for the extension."""
    found = {}
    for path in sorted((root / PACKAGE).rglob("*.py*")):
        if path.suffix in (".py", ".pyi"):
            parts = path.relative_to(root).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(module: str, path: Path, known: Container[str]) -> list[Import]:
    """All imports of a file, but for those of type checkers. known: all modules of the package."""
    package = module if path.stem == "__init__" else module.rpartition(".")[0]
    tree = ast.parse(path.read_bytes())
    named = [each for each in named_modules(tree) if "." in each.module and each.module in known]
    return [*walk(tree.body, package, False), *named]


def named_modules(tree: ast.Module) -> Iterator[Import]:
    """The texts in tables, and what import_module() is called with: some are names of modules."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Tuple | ast.List | ast.Dict) or is_import_module(node):
            for child in ast.iter_child_nodes(node):
                if isinstance(child, ast.Constant) and isinstance(child.value, str):
                    yield Import(child.lineno, child.value, "", True)


def is_import_module(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module")


def walk(body: list[ast.stmt], package: str, lazy: bool) -> Iterator[Import]:
    for node in body:
        if isinstance(node, ast.Import):
            yield from (Import(node.lineno, alias.name, "", lazy) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            source = absolute(node, package)
            yield from (Import(node.lineno, source, alias.name, lazy) for alias in node.names)
        elif isinstance(node, ast.If) and is_for_type_checkers(node.test):
            yield from walk(node.orelse, package, lazy)
        else:
            inside = lazy or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            for part in blocks(node):
                yield from walk(part, package, inside)


def blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    """The lists of statements inside a statement: bodies, `else`, `except`, `finally`, `case`."""
    for field in ("body", "orelse", "finalbody"):
        if isinstance(part := getattr(node, field, None), list):
            yield part
    for field in ("handlers", "cases"):
        for part in getattr(node, field, ()):
            yield part.body


def absolute(node: ast.ImportFrom, package: str) -> str:
    """The module that is imported from. Example: of `from ..log import put` in lanner.cli it is `lanner.log`."""
    if not node.level:
        return node.module or ""
    parts = package.split(".")
    base = ".".join(parts[: len(parts) - node.level + 1])
    return f"{base}.{node.module}" if node.module else base


def is_for_type_checkers(test: ast.expr) -> bool:
    return (isinstance(test, ast.Name) and test.id == "TYPE_CHECKING") or (
        isinstance(test, ast.Attribute) and test.attr == "TYPE_CHECKING"
    )


class Checker:
    """The modules of one tree and its table. Example: `Checker(root).check()` is `[]`."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.table = read_table(root / "tools/layers.toml")
        self.modules = modules(root)
        self.uses: dict[str, dict[str, int]] = {}  # module -> the module that it imports -> the line
        self.found: list[str] = []

    def check(self) -> list[str]:
        """All violations, as "file:line: rule"."""
        self.found += [f"tools/layers.toml:1: {mistake}" for mistake in self.table.mistakes()]
        for module, path in self.modules.items():
            row = self.row_of(module)
            if row is None:
                self.problem(module, 1, f"'{module}' is in no row of tools/layers.toml")
                continue
            self.uses[module] = {}
            for each in imports(module, path, self.modules) if path.suffix == ".py" else ():
                self.check_import(module, row, each)
        self.check_circles()
        return self.found

    def problem(self, module: str, line: int, why: str) -> None:
        self.found.append(f"{self.modules[module].relative_to(self.root).as_posix()}:{line}: {why}")

    def row_of(self, module: str) -> str | None:
        """The row of a module: the longest that its name begins with."""
        parts = module.split(".")
        names = (".".join(parts[:count]) for count in range(len(parts), 1 if module not in ROOT_MODULES else 0, -1))
        return next((name for name in names if name in self.table.layers), None)

    def check_import(self, module: str, row: str, each: Import) -> None:
        if each.module.split(".")[0] != PACKAGE:
            if not each.lazy and (why := self.library_refusal(row, each.module)):
                self.problem(module, each.line, why)
            return
        target = f"{each.module}.{each.name}"
        if target not in self.modules:
            target = each.module
        target_row = self.row_of(target)
        if target not in self.modules or target_row is None:
            self.problem(module, each.line, f"there is no module {target}")
            return
        self.uses[module].setdefault(target, each.line)
        allowed = self.table.layers[row]
        if target_row not in (row, *allowed):
            why = f"{row} may import only {', '.join(allowed) or 'itself'}, not {target_row}"
            self.problem(module, each.line, why)

    def library_refusal(self, row: str, library: str) -> str | None:
        """Why a module of `row` may not import a library as it is itself imported, or None."""
        for name, users in self.table.libraries.items():
            if (library == name or library.startswith(name + ".")) and row not in users:
                return f"only {', '.join(users)} may import {name}; others do it inside a function"
        return None

    def check_circles(self) -> None:
        """The shortest circle through each module, unless it was reported of another module."""
        reported: set[str] = set()
        for module in sorted(self.uses):
            circle = self.circle(module)
            if circle and not reported & set(circle):
                reported.update(circle)
                self.problem(module, self.uses[module][circle[1]], f"a circle of imports: {' -> '.join(circle)}")

    def circle(self, start: str) -> list[str]:
        """The shortest way from a module back to itself; empty when there is none."""
        ways = [[start]]
        seen: set[str] = set()
        for way in ways:  # grows meanwhile
            for target in self.uses.get(way[-1], ()):
                if target == start:
                    return [*way, start]
                if target not in seen:
                    seen.add(target)
                    ways.append([*way, target])
        return []


def check(root: Path) -> list[str]:
    return Checker(root).check()


def main() -> int:
    found = check(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent)
    for line in found:
        print(line)
    print(f"imports: {len(found)} violations" if found else "imports: every import goes down")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
