"""tidy.py: the house style that a program can check: sizes, first lines, words, tests, READMEs.

    tools/tidy.py [ROOT]

What may pass all the same is in tools/tidy.toml, with a reason. The length of functions is
clang-tidy's to check.
"""

import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

WARN_LINES, MAX_LINES, MAX_TEST_LINES, MAX_MODULE_LINES = 400, 600, 800, 400
CPP_SUFFIXES = {".h", ".cpp", ".def"}
ASCII_SUFFIXES = CPP_SUFFIXES | {".py", ".pyi", ".cmake", ".toml", ".sh"}
SAFETY_REACH = 3  # lines above a cast in which its SAFETY comment may stand

# Comments and literals, so that words in them are not taken for code. A raw string ends at its own
# delimiter; a quote after a digit separates digits.
NOT_CODE = re.compile(
    r"""//[^\n]* | /\*.*?\*/
    | R"(?P<end>[^\s()\\]*)\(.*?\)(?P=end)"
    | "(?:\\.|[^"\\\n])*" | (?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'""",
    re.DOTALL | re.VERBOSE,
)
BANNED = [
    (re.compile(r"\b(?:v?f?printf|puts|fputs|putchar)\b"), "the library never prints"),
    (re.compile(r"\bstd::c(?:out|err|log)\b"), "the library never prints"),
    (re.compile(r"\bshared_ptr\b"), "shared_ptr: unique_ptr owns, & and * borrow"),
    # Placement and nothrow forms have a parenthesis: `new (std::nothrow) T`, `new (place) T`.
    (re.compile(r"(?<!operator )\bnew\b(?!\s*[(>])"), "naked new: write new (std::nothrow)"),
]
# A result that is thrown away, in the layers where that may mean lost service.
DROPPED = re.compile(r"\(void\)[\w:.>\[\]()-]+\(")
SERVICE = ("src/sys/", "src/net/", "src/process/", "src/server/")
REFCOUNT = re.compile(r"\bPy_X?(?:INCREF|DECREF)\b")
HOME_OF_REFCOUNTS = "src/python/object/ref.h"


def code_only(text: str) -> str:
    """`text` with comments and literals blanked; lines stay where they are."""
    return NOT_CODE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


class Tidy:
    """All checks over one tree; `problems` fail, `warnings` do not."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.problems: list[str] = []
        self.warnings: list[str] = []
        path = root / "tools/tidy.toml"
        allowed = tomllib.loads(path.read_text("utf-8")) if path.exists() else {}
        self.untested: dict[str, str] = allowed.get("untested", {})
        self.size: dict[str, str] = allowed.get("size", {})
        self.used: set[str] = set()  # entries of tidy.toml that something needed

    def run(self) -> None:
        for path in self.files(("src", "fuzz", "bench"), CPP_SUFFIXES):
            self.check_cpp(path)
        for path in self.files(("lanner", "tools"), {".py"}):
            self.check_size(path, MAX_MODULE_LINES)
        for path in self.files(("tests", "bench"), {".py"}):
            self.check_size(path, MAX_TEST_LINES)
        everywhere = ("src", "fuzz", "bench", "lanner", "tools", "cmake", ".ci")
        for path in self.files(everywhere, ASCII_SUFFIXES | {".md"}):
            self.check_ascii(path)
        for path in self.files(("lanner", "tools", "tests", "bench"), {".py"}):
            self.check_docstring(path)
        self.check_triples()
        self.check_readmes()
        self.check_packages()
        self.check_allowances()

    def files(self, directories: Iterable[str], suffixes: set[str]) -> Iterator[Path]:
        for directory in directories:
            for path in sorted((self.root / directory).rglob("*")):
                if path.suffix in suffixes and path.is_file():
                    yield path

    def name(self, path: Path) -> str:
        return path.relative_to(self.root).as_posix()

    def problem(self, path: Path, line: int, what: str) -> None:
        self.problems.append(f"{self.name(path)}:{line}: {what}")

    def check_cpp(self, path: Path) -> None:
        text = path.read_text("utf-8", "replace")
        self.check_size(path, MAX_TEST_LINES if path.stem.endswith("_test") else MAX_LINES)
        self.check_first_line(path, text)
        for number, line in enumerate(text.splitlines(), 1):
            if "TODO(now)" in line:
                self.problem(path, number, "TODO(now) is for before the commit")
        if self.name(path).startswith("src/"):
            self.check_words(path, text)

    def check_size(self, path: Path, wall: int) -> None:
        lines = len(path.read_bytes().splitlines())
        name = self.name(path)
        if lines > wall and name not in self.size:
            self.problem(path, lines, f"{lines} lines; {wall} is a wall")
        elif lines > wall:
            self.used.add(name)
        elif lines > WARN_LINES and wall == MAX_LINES:
            self.warnings.append(f"{name}:{lines}: {lines} lines; aim for 80-200")

    def check_first_line(self, path: Path, text: str) -> None:
        """`// layer/file.h: what it is`; a .def list may leave out the layer.

        For the .cpp and _test.cpp of a triple their header (or list) says it.
        """
        noun = path.stem.removesuffix("_test")
        if path.suffix == ".cpp" and any(path.with_name(noun + suffix).exists() for suffix in (".h", ".def")):
            return
        first = text.partition("\n")[0]
        names = [self.name(path).removeprefix("src/")]
        if path.suffix == ".def" or not self.name(path).startswith("src/"):
            names += [path.name, self.name(path)]
        if not any(re.match(rf"// {re.escape(name)}( \(part\))?: \S", first) for name in names):
            self.problem(path, 1, f"the first line says what the file is: // {names[0]}: ...")

    def check_words(self, path: Path, text: str) -> None:
        raw = text.splitlines()
        for number, line in enumerate(code_only(text).splitlines(), 1):
            for pattern, why in BANNED:
                if pattern.search(line):
                    self.problem(path, number, why)
            if REFCOUNT.search(line) and self.name(path) != HOME_OF_REFCOUNTS:
                self.problem(path, number, f"refcounts change only in {HOME_OF_REFCOUNTS}")
            if DROPPED.search(line):
                self.check_reason(path, number, raw)
            near = raw[max(0, number - 1 - SAFETY_REACH) : number]
            if "reinterpret_cast" in line and not any("SAFETY" in other for other in near):
                self.problem(path, number, "reinterpret_cast needs a SAFETY comment above it")

    def check_reason(self, path: Path, number: int, raw: list[str]) -> None:
        """Beside `(void)call()`, or right above it, stands why nobody needs to know that it failed."""
        if not self.name(path).startswith(SERVICE) or path.stem.startswith("test_") or path.stem.endswith("_test"):
            return
        above = raw[number - 2].strip() if number > 1 else ""
        if "//" not in raw[number - 1] and not above.startswith("//"):
            self.problem(path, number, "(void) on a result needs a comment: why nothing is lost; or log it, or retry")

    def check_ascii(self, path: Path) -> None:
        for number, line in enumerate(path.read_bytes().splitlines(), 1):
            if not line.isascii():
                self.problem(path, number, "ASCII only")

    def check_triples(self) -> None:
        """Each source has its test beside it, and is in a list of the build."""
        lists = "\n".join(path.read_text("utf-8") for path in self.files(("cmake",), {".cmake"}))
        for path in self.files(("src",), {".cpp"}):
            below_layer = "/".join(self.name(path).split("/")[2:])  # of a layer with rooms: room/file
            if not re.search(rf"(?<![\w./-]){re.escape(below_layer)}\b", lists):
                self.problem(path, 1, "dead file: no list in cmake/ names it")
            if path.stem.endswith("_test") or path.with_name(f"{path.stem}_test.cpp").exists():
                continue
            folders = self.name(path).split("/")[:-1]
            names = {self.name(path), *("/".join(folders[:count]) + "/" for count in range(1, len(folders) + 1))}
            if not names & self.untested.keys():
                self.problem(path, 1, f"no {path.stem}_test.cpp beside it")
            self.used.update(names)

    def check_readmes(self) -> None:
        """Each layer has one, and each room of a layer."""
        for layer in sorted(path for path in (self.root / "src").rglob("*") if path.is_dir()):
            readme = layer / "README.md"
            text = readme.read_text("utf-8") if readme.is_file() else ""
            if any(layer.iterdir()) and not text.strip():
                self.problem(readme, 1, "each layer has a README.md: purpose, main types, tests")
            title = f"# {layer.relative_to(self.root / 'src').as_posix()}"
            if text.strip() and text.partition("\n")[0] != title:  # clang-format writes "#name"
                self.problem(readme, 1, f"the first line is {title}")

    def check_docstring(self, path: Path) -> None:
        """A module's first line says what it is; a script may begin with its interpreter."""
        lines = path.read_text("utf-8").splitlines()
        first = next((line for line in lines if not line.startswith("#!")), "")
        if not re.match(r'r?"""\S', first):
            self.problem(path, 1, 'the first line says what the file is: """...')

    def check_packages(self) -> None:
        """Each folder of the package is one, in whatever way it is installed."""
        for folder in sorted({path.parent for path in self.files(("lanner",), {".py"})}):
            if not (folder / "__init__.py").is_file():
                self.problem(
                    folder / "__init__.py", 1, "each room has an __init__.py, whose first line says what it is"
                )

    def check_allowances(self) -> None:
        for name, reason in (self.untested | self.size).items():
            path = self.root / "tools/tidy.toml"
            if not reason.strip():
                self.problem(path, 1, f"'{name}' needs a reason")
            if name not in self.used:
                self.problem(path, 1, f"'{name}' needs no allowance any more")


def main() -> int:
    tidy = Tidy(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent)
    tidy.run()
    for warning in tidy.warnings:
        print(f"{warning} (warning)")
    for problem in tidy.problems:
        print(problem)
    print(f"tidy: {len(tidy.problems)} problems" if tidy.problems else "tidy: nothing to mend")
    return 1 if tidy.problems else 0


if __name__ == "__main__":
    sys.exit(main())
