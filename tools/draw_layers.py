"""draw_layers.py: docs/architecture.svg, the picture of who uses whom among the layers and rooms.

    tools/draw_layers.py            writes it
    tools/draw_layers.py --check    fails when it is not what would be written

A box is a row of tools/layers.toml; the package's own modules (errors, log, ...) share one, as does what `import
lanner` and `python -m lanner` run. An arrow is an include or an import that some file really has, tests aside; one
that follows from two others is left out. A box stands a row above the highest that it uses; one that uses none, a row
below the lowest of its users.
"""

import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import check_imports
import check_layers

ROOT = Path(__file__).resolve().parent.parent
PICTURE = "docs/architecture.svg"
EXTENSION, CORE = "lanner._core", "python/module"  # one thing by two names
SHARED, TOP = "lanner/*.py", "lanner/__init__.py"

CHAR_PX, PAD_PX, BOX_PX, ROW_PX, GAP_PX, EDGE_PX = 7.4, 12, 30, 74, 22, 14
SWEEPS = 24

STYLE = """
text { font: 13px ui-monospace, Menlo, Consolas, monospace; text-anchor: middle; fill: #14171c }
rect { stroke-width: 1; rx: 5px }
path { fill: none; stroke: #7d8590; stroke-width: 1.2 }
marker path { fill: #7d8590; stroke: none }
.core rect { fill: #dfe9f7; stroke: #6f93c4 }
.python rect { fill: #e0f2e4; stroke: #63a574 }
.package rect { fill: #fbeecf; stroke: #bf9440 }
@media (prefers-color-scheme: dark) {
  text { fill: #eef1f5 }
  .core rect { fill: #1d3353 }
  .python rect { fill: #1c3d28 }
  .package rect { fill: #4a3a14 }
}
"""

Uses = dict[str, set[str]]


def included(root: Path) -> Uses:
    """For each layer of src/, the layers whose headers its files include."""
    table = check_layers.Table.read(root / "tools/layers.toml")
    uses: Uses = {layer: set() for layer in table.layers}
    for path in check_layers.sources(root / "src"):
        layer = table.layer_of(path.relative_to(root / "src").as_posix())
        if layer is None or path.stem.endswith("_test"):
            continue
        for _, header, quoted in check_layers.includes(path):
            target = table.layer_of(header) if quoted else None
            if target is not None and target != layer:
                uses[layer].add(target)
    return uses


def imported(root: Path) -> Uses:
    """The same for lanner/, with the extension under its name in src/."""
    checker = check_imports.Checker(root)
    if found := checker.check():
        raise SystemExit("\n".join(found))  # rows have no depth in a circle
    uses: Uses = {box_of(root, row): set() for row in checker.table.layers if row != EXTENSION}
    for module, targets in checker.uses.items():
        row = checker.row_of(module)
        for target in targets:
            target_row = checker.row_of(target)
            if row is not None and target_row is not None:
                uses.setdefault(box_of(root, row), set()).add(box_of(root, target_row))
    uses.pop(CORE, None)
    return {box: targets - {box} for box, targets in uses.items()}


def box_of(root: Path, row: str) -> str:
    """What a row of the package is called in the picture. Example: of `lanner.json` it is `lanner/json`."""
    if row == EXTENSION:
        return CORE
    if row == check_imports.PACKAGE:
        return TOP
    path = row.replace(".", "/")
    return path if (root / path).is_dir() else SHARED


def reduced(uses: Uses) -> Uses:
    """Without the arrows that follow from two others."""
    below = {name: set(targets) for name, targets in uses.items()}
    for name in by_depth(uses):
        for target in uses[name]:
            below[name] |= below[target]
    return {
        name: {target for target in targets if not any(target in below[other] for other in targets)}
        for name, targets in uses.items()
    }


def depths(uses: Uses) -> dict[str, int]:
    """The row of each: above the highest that it uses, or else below the lowest of its users. REQUIRES: no circle."""
    found: dict[str, int] = {}

    def depth(name: str) -> int:
        if name not in found:
            found[name] = 1 + max((depth(target) for target in sorted(uses[name])), default=-1)
        return found[name]

    for name in uses:
        depth(name)
    for name in (name for name in uses if not uses[name]):
        users = [found[other] for other in uses if name in uses[other]]
        found[name] = min(users, default=1) - 1
    return found


def by_depth(uses: Uses) -> list[str]:
    found = depths(uses)
    return sorted(uses, key=lambda name: found[name])


@dataclass(eq=False)
class Node:
    """A box, or the place in a row that an arrow passes through (without a name)."""

    name: str
    row: int
    x: float = 0.0  # of its middle
    up: "list[Node]" = field(default_factory=list)
    down: "list[Node]" = field(default_factory=list)

    @property
    def width(self) -> float:
        return len(self.name) * CHAR_PX + 2 * PAD_PX if self.name else 2.0


class Drawing:
    """Boxes in rows, and arrows that pass between them. Example: `Drawing({"a": {"b"}, "b": set()}).svg()`."""

    def __init__(self, uses: Uses) -> None:
        found = depths(uses)
        self.boxes = {name: Node(name, found[name]) for name in uses}
        self.rows: list[list[Node]] = [[] for _ in range(max(found.values()) + 1)]
        for node in self.boxes.values():
            self.rows[node.row].append(node)
        self.arrows = [
            self.passage(self.boxes[name], self.boxes[target])
            for name in by_depth(uses)
            for target in sorted(uses[name])
        ]
        self.order()
        self.place()

    def passage(self, upper: Node, lower: Node) -> list[Node]:
        """The nodes of an arrow, one in each row between its ends."""
        nodes = [upper, *(Node("", row) for row in range(upper.row - 1, lower.row, -1)), lower]
        for above, beneath in pairwise(nodes):
            above.down.append(beneath)
            beneath.up.append(above)
        for node in nodes[1:-1]:
            self.rows[node.row].append(node)
        return nodes

    def order(self) -> None:
        """Each row by the mean place of its neighbours, down and up in turn; the order with fewest crossings stays.

        Tried from every rotation of the rows as the table has them, since the beginning decides where this ends.
        """
        first = [list(row) for row in self.rows]
        best, least = first, self.crossings()
        for turn in range(max(map(len, first))):
            self.rows = [row[turn % len(row) :] + row[: turn % len(row)] for row in first]
            for sweep in range(SWEEPS):
                for row in self.rows if sweep % 2 else reversed(self.rows):
                    sort_row(row, self.rows, upwards=sweep % 2 == 1)
                self.swap_neighbours()
                if (count := self.crossings()) < least:
                    best, least = [list(row) for row in self.rows], count
        self.rows = best
        self.turn_rows()

    def turn_rows(self) -> None:
        """Turns rows that stand on one another round, together, wherever fewer arrows cross then."""
        least = self.crossings()
        for low in range(len(self.rows)):
            for high in range(low + 1, len(self.rows) + 1):
                turned = [row[::-1] if low <= row[0].row < high else row for row in self.rows]
                if (count := sum(crossings(beneath, row) for beneath, row in pairwise(turned))) < least:
                    self.rows, least = turned, count

    def swap_neighbours(self) -> None:
        """Swaps two nodes that stand side by side wherever fewer arrows cross then."""
        least = self.crossings()
        for row in self.rows:
            for index in range(len(row) - 1):
                row[index], row[index + 1] = row[index + 1], row[index]
                count = self.crossings()
                if count < least:
                    least = count
                else:
                    row[index], row[index + 1] = row[index + 1], row[index]

    def crossings(self) -> int:
        return sum(crossings(beneath, row) for beneath, row in pairwise(self.rows))

    def place(self) -> None:
        """The x of every node: near the mean of its neighbours, in order, and apart."""
        for row in self.rows:
            spread(row, [0.0] * len(row))
        for sweep in range(SWEEPS):
            for row in self.rows if sweep % 2 else reversed(self.rows):
                wanted = [mean(node.x for node in (*node.up, *node.down)) or node.x for node in row]
                spread(row, wanted)
        left = min(node.x - node.width / 2 for node in self.boxes.values())
        for row in self.rows:
            for node in row:
                node.x += EDGE_PX - left

    def top(self, node: Node) -> float:
        return EDGE_PX + (len(self.rows) - 1 - node.row) * ROW_PX

    def svg(self) -> str:
        width = max(node.x + node.width / 2 for row in self.rows for node in row) + EDGE_PX
        height = self.top(self.rows[0][0]) + BOX_PX + EDGE_PX
        lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}"'
            f' viewBox="0 0 {width:.0f} {height:.0f}" role="img">',
            "<title>Layers and rooms of Lanner, and which uses which</title>",
            f"<style>{STYLE}</style>",
            '<defs><marker id="end" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7"'
            ' orient="auto"><path d="M0 0 8 4 0 8z"/></marker></defs>',
            *(self.arrow(nodes) for nodes in self.arrows),
            *(self.box(node) for node in self.boxes.values()),
            "</svg>",
        ]
        return "\n".join(lines) + "\n"

    def box(self, node: Node) -> str:
        x, y = node.x - node.width / 2, self.top(node)
        return (
            f'<g class="{kind(node.name)}"><rect x="{x:.0f}" y="{y:.0f}" width="{node.width:.0f}"'
            f' height="{BOX_PX}"/><text x="{node.x:.0f}" y="{y + BOX_PX / 2 + 4.5:.0f}">{node.name}</text></g>'
        )

    def arrow(self, nodes: list[Node]) -> str:
        points: list[tuple[float, float]] = []
        for node, after in zip(nodes, [*nodes[1:], None], strict=True):
            y = self.top(node)
            before = nodes[nodes.index(node) - 1] if node is not nodes[0] else None
            if before is not None:
                points.append((port(node, node.up, before), y))
            if after is not None:
                points.append((port(node, node.down, after), y + BOX_PX))
        path = f"M{points[0][0]:.0f} {points[0][1]:.0f}"
        for index in range(1, len(points), 2):
            (x0, y0), (x1, y1) = points[index - 1], points[index]
            middle = (y0 + y1) / 2
            path += f"C{x0:.0f} {middle:.0f} {x1:.0f} {middle:.0f} {x1:.0f} {y1:.0f}"
            if index + 1 < len(points):
                path += f"L{points[index + 1][0]:.0f} {points[index + 1][1]:.0f}"
        return f'<path d="{path}" marker-end="url(#end)"/>'


def crossings(beneath: list[Node], row: list[Node]) -> int:
    """How many arrows between two rows cross."""
    place = {id(node): index for index, node in enumerate(beneath)}
    lines = [(index, place[id(end)]) for index, node in enumerate(row) for end in node.down]
    return sum(1 for a, b in lines for c, d in lines if a < c and b > d)


def sort_row(row: list[Node], rows: list[list[Node]], upwards: bool) -> None:
    """By the mean place of the neighbours in the row that was sorted before; nodes without any stay where they are."""
    place = {id(node): index for each in rows for index, node in enumerate(each)}
    key = {
        id(node): mean(place[id(other)] for other in (node.down if upwards else node.up)) or place[id(node)]
        for node in row
    }
    row.sort(key=lambda node: key[id(node)])


def mean(values: Iterable[float]) -> float:
    """0.0 when there are none."""
    found = list(values)
    return sum(found) / len(found) if found else 0.0


def spread(row: list[Node], wanted: list[float]) -> None:
    """Puts the nodes of a row where they want to be, as far as none overlaps: half way between two solutions."""
    from_left, from_right = [*wanted], [*wanted]
    for index in range(1, len(row)):
        from_left[index] = max(wanted[index], from_left[index - 1] + apart(row[index - 1], row[index]))
    for index in range(len(row) - 2, -1, -1):
        from_right[index] = min(wanted[index], from_right[index + 1] - apart(row[index], row[index + 1]))
    for node, left, right in zip(row, from_left, from_right, strict=True):
        node.x = (left + right) / 2


def apart(left: Node, right: Node) -> float:
    return (left.width + right.width) / 2 + GAP_PX


def port(node: Node, neighbours: list[Node], neighbour: Node) -> float:
    """Where on the side of a box the arrow of one neighbour ends: side by side, in their order."""
    ordered = sorted(neighbours, key=lambda other: other.x)
    step = min(24.0, (node.width - 2 * PAD_PX) / max(1, len(ordered)))
    return node.x + (ordered.index(neighbour) - (len(ordered) - 1) / 2) * step


def kind(name: str) -> str:
    if name.startswith("lanner/"):
        return "package"
    return "python" if name.startswith("python/") else "core"


def all_uses(root: Path) -> Uses:
    return {**included(root), **imported(root)}


def picture(uses: Uses) -> str:
    """The text of the file. Example: `picture({"net": {"sys"}, "sys": set()})`."""
    return Drawing(reduced(uses)).svg()


def is_up_to_date(root: Path) -> bool:
    path = root / PICTURE
    return path.is_file() and path.read_text("utf-8") == picture(all_uses(root))


def main() -> int:
    if "--check" not in sys.argv[1:]:
        (ROOT / PICTURE).write_text(picture(all_uses(ROOT)), "utf-8")
        return 0
    if is_up_to_date(ROOT):
        print(f"{PICTURE}: as the includes are")
        return 0
    print(f"{PICTURE}: not as the includes are; run tools/draw_layers.py, and commit what it writes")
    return 1


if __name__ == "__main__":
    sys.exit(main())
