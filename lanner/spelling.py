"""The nearest known name to a misspelt one, without difflib (0.9 MB of memory for one error message)."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def nearest(word: str, known: "Iterable[str]") -> str | None:
    """The known name that was most likely meant, or None when nothing is close.

    Example: `nearest("--prot", ["--port", "--host"])` is `"--port"`.
    """
    best = min(known, key=lambda name: (distance(word.lower(), name.lower()), name), default=None)
    if best is None or distance(word.lower(), best.lower()) > max(1, len(word.lstrip("-")) // 3):
        return None
    return best


def hint(word: str, known: "Iterable[str]") -> str:
    """`; did you mean X?` or nothing, to end an error line with."""
    name = nearest(word, known)
    return f"; did you mean {name}?" if name else ""


def distance(a: str, b: str) -> int:
    """The edit distance from a to b; swapping two neighbouring letters counts as one edit."""
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        before, last, row = row, before, [i]
        for j, y in enumerate(b, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                cost = min(cost, last[j - 2] + 1)
            row.append(cost)
    return row[-1]
