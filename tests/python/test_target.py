"""From a target as it is typed to the application object."""

from pathlib import Path

import pytest

from lanner.errors import AppError
from lanner.worker import target as targets

pytestmark = pytest.mark.usefixtures("imports")

SHOP = """\
class Site:
    def wsgi(self, environ, start_response): return [b"site"]
site = Site()
number = 5
def application(environ, start_response): return [b"application"]
def create(name="x", debug=False):
    def made(environ, start_response): return [name.encode(), str(debug).encode()]
    return made
def broken(): raise LookupError("no database")
"""


def load(target: str, where: Path, factory: bool = False) -> bytes:
    app = targets.load(target, str(where), factory)
    result = app({}, None)
    assert isinstance(result, list)
    return b" ".join(result)


@pytest.mark.parametrize(
    ("target", "body"),
    [
        ("shop:application", b"application"),
        ("shop:site.wsgi", b"site"),
        ("shop", b"application"),
        ("shop:create()", b"x False"),
        ("shop:create('prod', debug=True)", b"prod True"),
        ("pkg.inner:app", b"inner"),
        ("pkg.inner", b"inner"),
        ("shop.py", b"application"),
        ("shop.py:site.wsgi", b"site"),
        ("pkg/inner.py", b"inner"),
    ],
)
def test_targets_that_work(target: str, body: bytes, write, tmp_path: Path, monkeypatch) -> None:
    write("shop.py", SHOP)
    write("pkg/__init__.py", "")
    write("pkg/names.py", "BODY = b'inner'")
    write("pkg/inner.py", "from .names import BODY\ndef app(environ, start_response): return [BODY]")
    monkeypatch.chdir(tmp_path)
    assert load(target, tmp_path) == body


def test_factory_is_called(write, tmp_path: Path) -> None:
    write("shop.py", SHOP)
    assert load("shop:create", tmp_path, factory=True) == b"x False"


def test_app_is_preferred_to_application(write, tmp_path: Path) -> None:
    write("both.py", "def app(e, s): return [b'app']\ndef application(e, s): return [b'application']")
    assert load("both", tmp_path) == b"app"


def test_app_dir_comes_first_on_the_path(write, tmp_path: Path) -> None:
    write("json_like/shop_x.py", "def app(e, s): return [b'here']")
    assert load("shop_x", tmp_path / "json_like") == b"here"


@pytest.mark.parametrize(
    ("target", "says"),
    [
        ("shpo:app", "cannot load shpo:app: there is no module 'shpo' in {dir}; did you mean shop?"),
        ("zebra:app", "cannot load zebra:app: there is no module 'zebra' in {dir}; check the name, or give --app-dir"),
        ("shop.app", "cannot load shop.app: 'shop' is not a package; write : before the attribute"),
        ("pkg.nope", "cannot load pkg.nope: there is no module 'pkg.nope'"),
        (
            "shop:aplication",
            "cannot load shop:aplication: shop has no attribute 'aplication'; did you mean application?",
        ),
        ("shop:site.x", "cannot load shop:site.x: Site has no attribute 'x'"),
        ("shop:number", "shop:number is not an application: int objects can not be called"),
        ("shop:number()", "shop:number() is not a factory: int objects can not be called"),
        ("shop:", "target 'shop:' is not complete; write module:attribute, for example shop.wsgi:application"),
        (":app", "target ':app' is not complete; write module:attribute, for example shop.wsgi:application"),
        ("bare", "bare has neither app nor application; name the application: bare:NAME"),
        ("made", "made has neither app nor application; did you mean made:create_app --factory?"),
        ("a-b:app", "cannot load a-b:app: 'a-b' is not a module name; write module:attribute or path/file.py"),
        ("./no.py", "cannot load ./no.py: there is no file {dir}/no.py"),
        (
            "shop:create(x)",
            "shop:create(x): the arguments of a factory must be literals, as in create('prod', debug=False)",
        ),
        (
            "shop:create(",
            "shop:create(: the arguments of a factory must be literals, as in create('prod', debug=False)",
        ),
    ],
)
def test_mistakes_are_one_line_with_the_fix(target: str, says: str, write, tmp_path: Path, monkeypatch) -> None:
    write("shop.py", SHOP)
    write("bare.py", "x = 1")
    write("made.py", "def create_app(): ...")
    write("pkg/__init__.py", "")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(AppError) as caught:
        targets.load(target, str(tmp_path))
    assert str(caught.value) == says.format(dir=tmp_path)
    assert caught.value.report == ""


def test_a_file_named_like_another_module_is_told(write) -> None:
    path = write("string.py", "def app(e, s): return []")
    with pytest.raises(AppError, match="another module is named string"):
        targets.load(str(path))


def test_an_exception_in_the_module_keeps_the_users_frames(write, tmp_path: Path) -> None:
    write("lib.py", "def connect():\n    raise KeyError('DATABASE_URL')")
    write("shop.py", "import lib\nlib.connect()")
    with pytest.raises(AppError) as caught:
        targets.load("shop:app", str(tmp_path))
    report = caught.value.report
    assert str(caught.value) == "cannot load shop:app: KeyError: 'DATABASE_URL'"
    assert [line.strip() for line in report.splitlines() if "File" in line] == [
        f'File "{tmp_path}/shop.py", line 2, in <module>',
        f'File "{tmp_path}/lib.py", line 2, in connect',
    ]
    assert report.startswith("Traceback (most recent call last):\n")
    assert report.rstrip().endswith("KeyError: 'DATABASE_URL'")


def test_causes_are_trimmed_too(write, tmp_path: Path) -> None:
    write(
        "shop.py",
        "try:\n    import no_such_module_x\nexcept ImportError as e:\n    raise RuntimeError('needs x') from e",
    )
    with pytest.raises(AppError) as caught:
        targets.load("shop", str(tmp_path))
    assert "direct cause" in caught.value.report
    assert "importlib" not in caught.value.report
    assert "lanner/worker/target.py" not in caught.value.report


def test_a_missing_import_of_the_users_is_a_traceback(write, tmp_path: Path) -> None:
    write("shop.py", "import no_such_module_x")
    with pytest.raises(AppError) as caught:
        targets.load("shop", str(tmp_path))
    assert str(caught.value) == "cannot load shop: ModuleNotFoundError: No module named 'no_such_module_x'"
    assert "shop.py" in caught.value.report


def test_a_syntax_error_shows_its_place(write, tmp_path: Path) -> None:
    write("shop.py", "def f(:\n")
    with pytest.raises(AppError) as caught:
        targets.load("shop", str(tmp_path))
    assert f'File "{tmp_path}/shop.py", line 1' in caught.value.report
    assert str(caught.value).startswith("cannot load shop: SyntaxError: ")


def test_sys_exit_in_the_module_does_not_end_us_silently(write, tmp_path: Path) -> None:
    write("shop.py", "import sys\nsys.exit(4)")
    with pytest.raises(AppError, match=r"cannot load shop: it called sys.exit\(4\)"):
        targets.load("shop", str(tmp_path))


def test_a_factory_that_raises_is_reported(write, tmp_path: Path) -> None:
    write("shop.py", SHOP)
    with pytest.raises(AppError, match="cannot load shop:broken: LookupError: no database") as caught:
        targets.load("shop:broken", str(tmp_path), factory=True)
    assert "in broken" in caught.value.report


def test_a_factory_that_needs_arguments_is_one_line(write, tmp_path: Path) -> None:
    write("shop.py", SHOP)
    with pytest.raises(AppError, match="TypeError: application\\(\\) missing 2 required") as caught:
        targets.load("shop:application", str(tmp_path), factory=True)
    assert caught.value.report == ""
