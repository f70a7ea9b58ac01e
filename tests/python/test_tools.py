"""The tools that keep the repository in shape, on trees made for the purpose, and on this one."""

import re
import tomllib
from pathlib import Path

import check_imports
import check_layers
import draw_layers
import gen_fuzz_seeds
import pytest
import tidy

ROOT = Path(__file__).resolve().parent.parent.parent

LAYERS = """
[layers]
base = []
sys = ["base"]
http = ["base"]
net = ["base", "sys"]

[libraries]
"sys/epoll.h" = ["sys"]
"netinet/" = ["sys"]
"""


class Tree:
    """A small repository in which one file is wrong."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.write("tools/layers.toml", LAYERS)
        self.write("cmake/layers.cmake", "lanner_layer(NAME base SOURCES arena.cpp TESTS arena_test.cpp)\n")
        self.write("src/base/README.md", "# base\n")
        self.write("src/base/arena.h", "// base/arena.h: memory.\n")
        self.write("src/base/arena.cpp", "// base/arena.cpp: memory.\n")
        self.write("src/base/arena_test.cpp", "// base/arena_test.cpp: memory.\n")

    def write(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")

    def layers(self) -> list[str]:
        return check_layers.check(self.root)

    def imports(self) -> list[str]:
        return check_imports.check(self.root)

    def tidy(self) -> list[str]:
        checker = tidy.Tidy(self.root)
        checker.run()
        return checker.problems


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


def header(body: str, name: str = "base/arena.h") -> str:
    return f"// {name}: memory.\n{body}\n"


# check_layers.py


def test_layers_accept_a_tree_that_goes_down(tree: Tree) -> None:
    tree.write("src/net/loop.h", '#include <sys/types.h>\n#include "base/arena.h"\n#include "net/loop.h"\n')
    tree.write("src/sys/poller.cpp", "#include <sys/epoll.h>\n#include <netinet/tcp.h>\n")
    assert tree.layers() == []


@pytest.mark.parametrize(
    ("name", "line", "why"),
    [
        ("src/base/slab.h", '#include "net/loop.h"', "base may include only itself, not net"),
        ("src/http/date.h", '#  include  "sys/clock.h"', "http may include only base, not sys"),
        ("src/net/loop.h", "#include <sys/epoll.h>", "only sys may include <sys/epoll.h>"),
        ("src/net/loop.h", "#include <netinet/tcp.h>", "only sys may include <netinet/tcp.h>"),
        ("src/net/loop.h", '#include "netinet/tcp.h"', "only sys may include <netinet/tcp.h>"),
        ("src/net/loop.h", '#include "loop.h"', '"loop.h": write it as "layer/file.h"'),
        (
            "src/net/loop.h",
            '#include "tls/a.h"',
            "\"tls/a.h\": 'tls' is no layer of tools/layers.toml",
        ),
        (
            "src/net/loop.h",
            '#include "base/gone.h"',
            'there is no src/base/gone.h for "base/gone.h"',
        ),
        (
            "fuzz/fuzz_head.cpp",
            '#include "http/gone.h"',
            'there is no src/http/gone.h for "http/gone.h"',
        ),
    ],
)
def test_layers_refuse(tree: Tree, name: str, line: str, why: str) -> None:
    tree.write(name, f"// first\n{line}\n")
    assert tree.layers() == [f"{name}:2: {why}"]


def test_layers_tell_our_header_from_the_systems(tree: Tree) -> None:
    tree.write("src/sys/epoll.h", "")
    tree.write("src/net/loop.h", '#include "sys/epoll.h"\n#include <sys/epoll.h>\n')
    assert tree.layers() == ["src/net/loop.h:2: only sys may include <sys/epoll.h>"]


def test_layers_let_fuzz_and_bench_include_anything(tree: Tree) -> None:
    tree.write("bench/ladder.h", "")
    tree.write("bench/ladder.cpp", '#include <sys/epoll.h>\n#include "ladder.h"\n#include "base/arena.h"\n')
    assert tree.layers() == []


def test_layers_refuse_a_directory_that_is_no_layer(tree: Tree) -> None:
    tree.write("src/util/misc.h", "")
    assert tree.layers() == ["src/util:1: this directory is no layer of tools/layers.toml"]


ROOMS = """
[layers]
base = []
"python/object" = ["base"]
"python/json" = ["base", "python/object"]
"python/schema" = ["base", "python/object", "python/json"]

[libraries]
"Python.h" = ["python/object", "python/json", "python/schema"]
"""


@pytest.mark.parametrize(
    ("name", "line", "why"),
    [
        ("python/object/ref.h", '"python/json/encoder.h"', "python/object may include only base, not python/json"),
        ("python/json/encoder.h", '"python/ref.h"', "\"python/ref.h\": 'python' is no layer of tools/layers.toml"),
        ("python/json/encoder.h", '"python/wsgi/call.h"', "'python/wsgi' is no layer of tools/layers.toml"),
        ("base/arena.h", "<Python.h>", "only python/object, python/json, python/schema may include <Python.h>"),
    ],
)
def test_layers_hold_between_the_rooms_of_a_layer(tree: Tree, name: str, line: str, why: str) -> None:
    tree.write("tools/layers.toml", ROOMS)
    for room in ("object/ref.h", "json/encoder.h", "schema/encoder.h"):
        tree.write(f"src/python/{room}", header('#include "python/object/ref.h"', f"python/{room}"))
    assert tree.layers() == []
    tree.write(f"src/{name}", header(f"#include {line}", name))
    [found] = tree.layers()
    assert found.startswith(f"src/{name}:2: ")
    assert found.endswith(why)


def test_layers_refuse_a_file_beside_the_rooms(tree: Tree) -> None:
    tree.write("tools/layers.toml", ROOMS)
    tree.write("src/python/ref.h", header("", "python/ref.h"))
    assert tree.layers() == ["src/python:1: this directory is no layer of tools/layers.toml"]


def test_layers_refuse_a_table_that_goes_up(tree: Tree) -> None:
    tree.write("tools/layers.toml", '[layers]\nbase = ["net"]\nnet = []\n[libraries]\n"z.h" = ["zip"]\n')
    assert tree.layers() == [
        "tools/layers.toml:1: layer 'base' names 'net', which is not above it in the table",
        "tools/layers.toml:1: library 'z.h' names 'zip', which is no layer",
    ]


def test_layers_of_this_repository_go_down() -> None:
    assert check_layers.check(ROOT) == []


# check_imports.py

PACKAGE_ROOMS = """
[python]
"lanner._core" = []
"lanner.log" = []
"lanner.process" = ["lanner._core", "lanner.log"]
"lanner.cli" = ["lanner.log", "lanner.process"]
"lanner" = ["lanner.cli"]

[python-libraries]
"asyncio" = ["lanner.cli"]
"""


@pytest.fixture
def package(tree: Tree) -> Tree:
    """A small package in rooms, in which a test makes one file wrong."""
    tree.write("tools/layers.toml", PACKAGE_ROOMS)
    tree.write("lanner/__init__.py", "from lanner.cli.command import main\n")
    tree.write("lanner/_core.pyi", "import enum\n")
    tree.write("lanner/log.py", "import os\n")
    tree.write("lanner/process/__init__.py", "")
    tree.write("lanner/process/job.py", "from lanner import _core\nfrom lanner.log import put\n")
    tree.write("lanner/process/slot.py", "def start():\n    from lanner.process.job import Job\n")
    tree.write("lanner/cli/__init__.py", "")
    tree.write("lanner/cli/command.py", "import asyncio.events\nimport lanner.process.slot\nfrom . import flags\n")
    tree.write("lanner/cli/flags.py", "from lanner.process import job\n")
    return tree


def test_imports_accept_a_package_that_goes_down(package: Tree) -> None:
    assert package.imports() == []


UP = "lanner.process may import only lanner._core, lanner.log, not lanner.cli"


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        ("from lanner.cli.flags import table\n", 1, UP),
        ("import os\nfrom lanner.cli import flags\n", 2, UP),
        ("import lanner.cli.flags\n", 1, UP),
        ("def start():\n    from lanner.cli.flags import table\n", 2, UP),
        ("class Job:\n    def start(self):\n        import lanner.cli.flags\n", 3, UP),
        ("try:\n    import os\nexcept ImportError:\n    import lanner.cli.flags\n", 4, UP),
        ("if TYPE_CHECKING:\n    import os\nelse:\n    import lanner.cli.flags\n", 4, UP),
        ("from ..cli import flags\n", 1, UP),
        ('import_module("lanner.cli.flags")\n', 1, UP),
        ('HOMES = {\n    "table": ("lanner.cli.flags", "table")\n}\n', 2, UP),
        ("from lanner import main\n", 1, "lanner.process may import only lanner._core, lanner.log, not lanner"),
        ("from lanner.gone import main\n", 1, "there is no module lanner.gone"),
        ("from asyncio import run\n", 1, "only lanner.cli may import asyncio; others do it inside a function"),
    ],
)
def test_imports_refuse(package: Tree, text: str, line: int, why: str) -> None:
    package.write("lanner/process/pipes.py", text)
    assert package.imports() == [f"lanner/process/pipes.py:{line}: {why}"]


def test_imports_let_type_checkers_look_up_and_functions_load_late(package: Tree) -> None:
    late = "def loop():\n    import asyncio\n"
    looks = "    from lanner.cli.flags import table\n"
    package.write("lanner/process/slot.py", '__module__ = "lanner.cli"\nsend("lanner.cli.gone")\n')
    package.write("lanner/process/pipes.py", f"{late}if TYPE_CHECKING:\n{looks}if typing.TYPE_CHECKING:\n{looks}")
    assert package.imports() == []


@pytest.mark.parametrize("back", ["from lanner.process import slot\n", "def f():\n    import lanner.process.slot\n"])
def test_imports_refuse_a_circle(package: Tree, back: str) -> None:
    package.write("lanner/process/job.py", back)
    line = back.count("\n")
    circle = "lanner.process.job -> lanner.process.slot -> lanner.process.job"
    assert package.imports() == [f"lanner/process/job.py:{line}: a circle of imports: {circle}"]


def test_imports_refuse_a_module_without_a_row(package: Tree) -> None:
    package.write("lanner/util.py", "")
    assert package.imports() == ["lanner/util.py:1: 'lanner.util' is in no row of tools/layers.toml"]


def test_imports_of_this_repository_go_down() -> None:
    assert check_imports.check(ROOT) == []


# draw_layers.py


def test_the_picture_has_what_is_used_and_leaves_out_what_follows(package: Tree) -> None:
    rows = LAYERS.replace("[libraries]", '"python/module" = ["net"]\n[libraries]')
    package.write("tools/layers.toml", rows + PACKAGE_ROOMS)
    package.write("src/sys/poller.h", '#include "base/arena.h"\n')
    package.write("src/net/loop.h", '#include "base/arena.h"\n#include "sys/poller.h"\n')
    package.write("src/http/date_test.cpp", '#include "base/arena.h"\n')  # a test's: no arrow
    uses = {**draw_layers.included(package.root), **draw_layers.imported(package.root)}
    assert draw_layers.reduced(uses) == {
        "base": set(),
        "sys": {"base"},
        "http": set(),
        "net": {"sys"},
        "python/module": set(),
        "lanner/*.py": set(),
        "lanner/process": {"lanner/*.py", "python/module"},
        "lanner/cli": {"lanner/process"},
        "lanner/__init__.py": {"lanner/cli"},
    }


def test_boxes_stand_above_what_they_use() -> None:
    uses = {"a": {"b", "c"}, "b": {"c"}, "c": set(), "d": set(), "e": {"d", "b"}}
    assert draw_layers.depths(uses) == {"a": 2, "b": 1, "c": 0, "d": 1, "e": 2}
    text = draw_layers.picture(uses)
    assert text == draw_layers.picture(uses)
    assert text.count("<rect") == 5
    assert text.count("marker-end") == len(["ab", "bc", "eb", "ed"])


def test_the_picture_of_this_repository_is_up_to_date() -> None:
    assert draw_layers.is_up_to_date(ROOT)


# tidy.py


def test_tidy_accepts_a_tidy_tree(tree: Tree) -> None:
    assert tree.tidy() == []


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ('void f() { printf("x"); }', "the library never prints"),
        ('void f() { std::fprintf(stderr, "x"); }', "the library never prints"),
        ("void f() { std::cout << 1; }", "the library never prints"),
        ("auto* x = new Arena;", "naked new: write new (std::nothrow)"),
        ("std::shared_ptr<int> x;", "shared_ptr: unique_ptr owns, & and * borrow"),
        (
            "auto* x = reinterpret_cast<char*>(y);",
            "reinterpret_cast needs a SAFETY comment above it",
        ),
        ("Py_INCREF(x);", "refcounts change only in src/python/object/ref.h"),
        ("Py_XDECREF(x);", "refcounts change only in src/python/object/ref.h"),
        ("// TODO(now): finish", "TODO(now) is for before the commit"),
        ("// caf\N{LATIN SMALL LETTER E WITH ACUTE}", "ASCII only"),
    ],
)
def test_tidy_refuses(tree: Tree, body: str, why: str) -> None:
    tree.write("src/base/arena.h", header(body))
    assert tree.tidy() == [f"src/base/arena.h:2: {why}"]


@pytest.mark.parametrize(
    "body",
    [
        "// a new shared_ptr for printf",
        "/* Py_INCREF\n   new */",
        'const char* a = "a new \\"printf";',
        'const char* a = R"x(new ") printf)x";',
        "int a = 1'000; auto* b = new (std::nothrow) Arena; char c = '\\'';",
        "#include <new>",
        "void* operator new(std::size_t) = delete;",
        "std::snprintf(a, 1, b);",
        "// SAFETY: bytes.\n\n\nauto* x = reinterpret_cast<char*>(y);",
        "auto* x = reinterpret_cast<char*>(y);  // SAFETY: bytes.",
        "// TODO(speed): measure",
    ],
)
def test_tidy_lets_pass(tree: Tree, body: str) -> None:
    tree.write("src/base/arena.h", header(body))
    assert tree.tidy() == []


def test_tidy_sees_safety_three_lines_up_and_no_further(tree: Tree) -> None:
    tree.write("src/base/arena.h", header("// SAFETY: bytes.\n\n\n\nauto* x = reinterpret_cast<A>(y);"))
    assert tree.tidy() == ["src/base/arena.h:6: reinterpret_cast needs a SAFETY comment above it"]


def test_tidy_allows_refcounts_at_home(tree: Tree) -> None:
    tree.write("src/python/README.md", "# python\n")
    tree.write("src/python/object/README.md", "# python/object\n")
    tree.write("src/python/object/ref.h", header("Py_INCREF(x);", "python/object/ref.h"))
    assert tree.tidy() == []


def test_tidy_wants_the_name_in_the_first_line(tree: Tree) -> None:
    tree.write("src/base/arena.h", "#pragma once\n")
    tree.write("src/base/errors.def", "// errors.def: all errors.\n")
    tree.write("src/base/arena.cpp", '#include "base/arena.h"\n')
    why = "the first line says what the file is: // base/arena.h: ..."
    assert tree.tidy() == [f"src/base/arena.h:1: {why}"]
    (tree.root / "src/base/arena.h").unlink()
    why = "the first line says what the file is: // base/arena.cpp: ..."
    assert tree.tidy() == [f"src/base/arena.cpp:1: {why}"]


@pytest.mark.parametrize(
    ("name", "lines", "fails"),
    [
        ("src/base/arena.h", 600, False),
        ("src/base/arena.h", 601, True),
        ("src/base/arena_test.cpp", 800, False),
        ("src/base/arena_test.cpp", 801, True),
        ("lanner/cli/flags.py", 400, False),
        ("lanner/cli/flags.py", 401, True),
    ],
)
def test_tidy_has_walls(tree: Tree, name: str, lines: int, fails: bool) -> None:
    comment = "#" if name.endswith(".py") else "//"
    first = f"{comment} {name.removeprefix('src/')}: memory.\n"
    if name.endswith(".py"):
        first = '"""Memory."""\n'
        tree.write("lanner/cli/__init__.py", first)
        tree.write("lanner/__init__.py", first)
    tree.write(name, first + f"{comment}\n" * (lines - 1))
    assert [problem.endswith("is a wall") for problem in tree.tidy()] == [True] * fails


def test_tidy_warns_before_the_wall(tree: Tree) -> None:
    tree.write("src/base/arena.h", header("//\n" * 450))
    checker = tidy.Tidy(tree.root)
    checker.run()
    assert (len(checker.warnings), checker.problems) == (1, [])


def test_tidy_wants_a_test_beside_each_source(tree: Tree) -> None:
    tree.write("cmake/layers.cmake", "arena.cpp arena_test.cpp slab.cpp\n")
    tree.write("src/base/slab.cpp", "// base/slab.cpp: memory.\n")
    assert tree.tidy() == ["src/base/slab.cpp:1: no slab_test.cpp beside it"]
    tree.write("tools/tidy.toml", '[untested]\n"src/base/slab.cpp" = "three lines"\n')
    assert tree.tidy() == []


def test_tidy_wants_each_source_in_the_build(tree: Tree) -> None:
    tree.write("cmake/layers.cmake", "arena.cpp arena_test.cpp\n")
    tree.write("src/base/slab_test.cpp", "// base/slab_test.cpp: memory.\n")
    assert tree.tidy() == ["src/base/slab_test.cpp:1: dead file: no list in cmake/ names it"]


def test_tidy_wants_reasons_and_no_stale_allowances(tree: Tree) -> None:
    tree.write("tools/tidy.toml", '[size]\n"src/base/gone.h" = ""\n')
    assert tree.tidy() == [
        "tools/tidy.toml:1: 'src/base/gone.h' needs a reason",
        "tools/tidy.toml:1: 'src/base/gone.h' needs no allowance any more",
    ]


def test_tidy_wants_a_readme_in_each_layer(tree: Tree) -> None:
    tree.write("src/net/loop.h", header("", "net/loop.h"))
    why = "each layer has a README.md: purpose, main types, tests"
    assert tree.tidy() == [f"src/net/README.md:1: {why}"]
    tree.write("src/net/README.md", "#net\n")
    assert tree.tidy() == ["src/net/README.md:1: the first line is # net"]


def test_tidy_wants_each_room_of_the_package_to_say_what_it_is(tree: Tree) -> None:
    tree.write("lanner/__init__.py", '"""All of it."""\n')
    tree.write("lanner/cli/flags.py", "import os\n")
    tree.write("tools/run.py", '#!/usr/bin/env python\n"""Runs it."""\n')
    assert tree.tidy() == [
        'lanner/cli/flags.py:1: the first line says what the file is: """...',
        "lanner/cli/__init__.py:1: each room has an __init__.py, whose first line says what it is",
    ]


def test_this_repository_is_tidy() -> None:
    checker = tidy.Tidy(ROOT)
    checker.run()
    assert checker.problems == []


# What is said twice


def test_package_and_core_have_one_version() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    core = re.search(r"project\(lanner VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())
    assert core is not None
    assert core[1] == project["version"]


def test_the_corpus_of_a_fuzzer_is_read_as_it_was_packed(tmp_path: Path) -> None:
    inputs = {b" \x00GET / HTTP/1.1\r\n\xff\\", b"\r\n ", b"\t0", bytes(range(120, 200))}
    for number, data in enumerate(inputs):
        (tmp_path / str(number)).write_bytes(data)
    lines = gen_fuzz_seeds.pack("head", tmp_path).splitlines()
    assert len(lines) == len(inputs)
    assert {gen_fuzz_seeds.unpack(line) for line in lines} == inputs
