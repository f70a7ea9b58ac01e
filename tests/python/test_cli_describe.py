"""`lanner openapi` and `lanner routes` as a user meets them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

SHOP = """\
import enum
import functools
from lanner import App, Router

class Tag(enum.Enum):
    CARDS = "cards"

app = App(title="Caf\\u00e9", version="1")
router = Router(prefix="/admin", tags=["admin"])
empty = App()

@app.get("/cards/{card_id}", tags=[Tag.CARDS, "all"])
def card(card_id: int) -> int: ...

@app.api_route("/cards", methods=["POST", "PUT"], status_code=201, deprecated=True, include_in_schema=False)
async def put(): ...

@router.get("/", host="admin.example")
def admin(): ...

def create(name="app"):
    return app

app.include_router(router)

def wsgi(environ, start_response): ...
async def asgi(scope, receive, send): ...
def odd(): ...
"""
TABLE = """\
METHODS   HOST           PATH              NAME   HANDLER     TAGS
GET                      /cards/{card_id}  card   shop.card   cards,all
POST,PUT                 /cards            put    shop.put
GET       admin.example  /admin/           admin  shop.admin  admin
"""


@pytest.fixture(autouse=True)
def shop(write) -> None:
    write("shop.py", SHOP)


def test_routes_are_a_table(lanner) -> None:
    result = lanner("routes", "shop:app")
    assert (result.returncode, result.stdout, result.stderr) == (0, TABLE, "")
    assert lanner("routes", "shop").stdout == TABLE
    assert lanner("routes", "shop:create", "--factory").stdout == TABLE
    assert lanner("routes", "shop:create('app')").stdout == TABLE
    assert lanner("routes", "shop:empty").stdout == "no routes\n"


def test_columns_that_are_empty_are_left_out(lanner, write) -> None:
    write("plain.py", "from lanner import App\napp = App()\n@app.get('/')\ndef home(): ...\n")
    assert lanner("routes", "plain").stdout == (
        "METHODS  PATH  NAME  HANDLER\n"
        "GET      /     home  plain.home\n"
    )  # fmt: skip


def test_routes_are_json_for_programs(lanner) -> None:
    rows = json.loads(lanner("routes", "shop:app", "--json").stdout)
    assert rows[1] == {
        "methods": ["POST", "PUT"],
        "path": "/cards",
        "host": None,
        "name": "put",
        "handler": "shop.put",
        "tags": [],
        "status": 201,
        "deprecated": True,
        "in_schema": False,
    }
    assert rows[0]["tags"] == ["cards", "all"]
    assert json.loads(lanner("routes", "shop:empty", "--json").stdout) == []


def test_openapi_writes_the_document(lanner, tmp_path: Path) -> None:
    result = lanner("openapi", "shop:app")
    assert (result.returncode, result.stderr) == (0, "")
    document = json.loads(result.stdout)
    assert document["info"] == {"title": "Caf\u00e9", "version": "1"}
    assert list(document["paths"]) == ["/cards/{card_id}", "/admin/"]
    assert result.stdout.startswith('{\n  "openapi": "3.1.0",\n')
    assert len(lanner("openapi", "shop:app", "--indent", "0").stdout.splitlines()) == 1
    assert lanner("openapi", "shop:app", "--output", "out.json", "--indent", "4").stdout == ""
    assert json.loads((tmp_path / "out.json").read_bytes()) == document
    assert '\n    "info"' in (tmp_path / "out.json").read_text()


@pytest.mark.parametrize(
    ("arguments", "code", "line"),
    [
        (["routes", "shop:wsgi"], 3, "shop:wsgi is a WSGI application: only native applications (lanner.App) tell "),
        (["openapi", "shop:asgi"], 3, "shop:asgi is an ASGI application: only native applications (lanner.App) tell "),
        (["openapi", "shop:odd"], 3, "shop:odd is not a native application: only native applications (lanner.App) "),
        (["routes", "shop:emty"], 3, "cannot load shop:emty: shop has no attribute 'emty'; did you mean empty?"),
        (["routes"], 2, "routes needs a TARGET; for example: lanner routes shop:app"),
        (["openapi", "shop:app", "--ident", "1"], 2, "unknown flag --ident; did you mean --indent?"),
        (
            ["openapi", "shop:app", "--indent", "x"],
            2,
            "invalid value for '--indent': 'x' is not a valid integer range.",
        ),
        (["openapi", "shop:app", "--output", "no/such"], 2, "--output no/such: No such file or directory"),
        (["routes", "shop:app", "--app-dir", "nowhere"], 2, "--app-dir nowhere is not a directory"),
        (["opnapi", "shop:app"], 2, "unknown command opnapi; did you mean openapi?"),
    ],
)
def test_mistakes_are_one_line(lanner, arguments: list[str], code: int, line: str) -> None:
    result = lanner(*arguments)
    assert (result.returncode, result.stdout) == (code, "")
    assert result.stderr.startswith(f"lanner: {line}"), result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_modules_are_found_elsewhere(lanner, write) -> None:
    write("src/other.py", SHOP.replace('"1"', '"2"'))
    assert json.loads(lanner("openapi", "other:app", "--app-dir", "src").stdout)["info"]["version"] == "2"
    assert json.loads(lanner("openapi", "other:app", LANNER_APP_DIR="src").stdout)["info"]["version"] == "2"


def test_a_reader_that_has_enough_is_no_error(tmp_path: Path, write) -> None:
    write("many.py", SHOP + "\nfor i in range(3000):\n    app.get(f'/{i}')(create)\n")
    command = f"'{sys.executable}' -P -m lanner routes many:app | head -1; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(
        ["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("METHODS")
