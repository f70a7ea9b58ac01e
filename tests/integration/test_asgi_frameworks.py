"""Real applications of real frameworks, driven by httpx and curl as their users would."""

import asyncio
import hashlib
import json
import random
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from asgi_fixtures import LOOPS
from server_process import APPS, ServerProcess, wait_until
from wire_client import CutError, Wire, chunk, request

DATA = random.Random(5).randbytes(3_000_000)
DIGEST = {"bytes": len(DATA), "sha256": hashlib.sha256(DATA).hexdigest()}


@pytest.fixture(params=LOOPS)
def server(request: pytest.FixtureRequest, pool: Any) -> Iterator[ServerProcess]:
    """The SITE of the test's class, on both loops."""
    taken = pool.take(request.cls.SITE, "--loop", request.param)
    yield taken
    assert taken.alive or taken.discarded, f"the server died: exit code {taken.process.returncode}"


@pytest.fixture
def client(server: ServerProcess) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.url, timeout=20) as made:
        yield made


def curl(server: ServerProcess, target: str, *arguments: str, stdin: bytes = b"") -> bytes:
    command = ["curl", "--silent", "--show-error", "--fail-with-body", "--max-time", "30", *arguments]
    done = subprocess.run([*command, server.url + target], input=stdin, capture_output=True, check=False)
    assert done.returncode == 0, done
    return done.stdout


def taken_log(client: httpx.Client, path: str, event: str) -> list[str]:
    """What the application logged, once the event is in it."""
    found: list[str] = []

    def there() -> bool:
        found.extend(client.get(path).json())
        return event in found

    wait_until(there, f"{event!r} in the log of the application")
    return found


def first_events(server: ServerProcess, path: str) -> None:
    """Reads an endless stream for a while, then leaves."""
    with Wire(server.address) as wire:
        wire.send(request(path))
        assert wire.final_head().status == 200
        got = b""
        while got.count(b"data: tick\n\n") < 3:
            got += wire.block()


class TestFastApi:
    SITE = "fastapi_shop:app"

    def test_coroutines_and_functions(self, client: httpx.Client) -> None:
        assert client.get("/").json() == {"hello": "world", "opened": True}
        assert client.get("/sync").json() == {"main": False}

    def test_models(self, client: httpx.Client) -> None:
        item = {"name": "lamp", "price": 9.5, "tags": ["a", "b"]}
        answer = client.post("/items", json=item)
        assert (answer.status_code, answer.json()) == (201, item)
        assert client.get("/items/lamp", params={"limit": 3, "q": "\u00e9 &"}).json() == {
            "item": item,
            "limit": 3,
            "q": "\u00e9 &",
        }
        assert client.put("/items/lamp", json=item | {"price": 1}).json()["replaced"]["price"] == 1.0
        answer = client.delete("/items/lamp")
        assert (answer.status_code, answer.content) == (204, b"")
        answer = client.put("/items/lamp", json=item)
        assert (answer.status_code, answer.headers["x-error"]) == (404, "none")

    def test_what_is_not_valid_is_422(self, client: httpx.Client) -> None:
        answer = client.post("/items", json={"name": "", "price": -1})
        assert answer.status_code == 422
        assert {error["loc"][-1] for error in answer.json()["detail"]} == {"name", "price"}
        assert client.post("/items", content=b"{", headers={"Content-Type": "application/json"}).status_code == 422
        assert client.get("/items/x", params={"limit": "many"}).status_code == 422
        assert client.get("/").status_code == 200

    def test_fields_cookies_and_forms(self, client: httpx.Client) -> None:
        headers = {"X-Token": "t", "Cookie": "a=b; session=s"}
        assert client.get("/fields", headers=headers).json() == {"token": "t", "session": "s"}
        assert client.post("/form", data={"user": "\u00fc", "password": "p&="}).json() == {
            "user": "\u00fc",
            "length": 3,
        }

    def test_dependencies_with_yield(self, client: httpx.Client) -> None:
        client.get("/log")
        assert client.get("/depends").json() == {"found": "transaction on connection"}
        assert taken_log(client, "/log", "closed") == ["opened", "begun", "handled", "committed", "closed"]
        assert client.get("/depends/fails").status_code == 500
        assert taken_log(client, "/log", "closed") == ["opened", "failed", "closed"]

    def test_background_tasks(self, client: httpx.Client) -> None:
        client.get("/log")
        assert client.get("/background").json() == "answered"
        assert taken_log(client, "/log", "async task") == ["sync task", "async task"]

    def test_streams(self, client: httpx.Client) -> None:
        rows = "".join(f"{number}\n" for number in range(2000))
        for path in ("/stream/2000", "/stream-sync/2000"):
            answer = client.get(path)
            assert (answer.text, answer.headers["transfer-encoding"]) == (rows, "chunked")

    def test_a_stream_that_its_client_leaves(self, server: ServerProcess, client: httpx.Client) -> None:
        first_events(server, "/events")
        taken_log(client, "/log", "events ended")

    def test_files(self, server: ServerProcess, client: httpx.Client) -> None:
        source = (APPS / "fastapi_shop.py").read_bytes()
        answer = client.get("/file")
        assert (answer.content, answer.headers["content-length"]) == (source, str(len(source)))
        assert answer.headers["content-disposition"] == 'attachment; filename="shop.py"'
        answer = client.get("/file", headers={"Range": "bytes=5-14"})
        assert (answer.status_code, answer.content) == (206, source[5:15])
        assert curl(server, "/file", "--range", "-20") == source[-20:]
        assert client.head("/file").status_code in (200, 405)

    def test_uploads(self, server: ServerProcess, client: httpx.Client, tmp_path: Path) -> None:
        found = DIGEST | {"name": "data.bin", "note": "n"}
        answer = client.post("/upload", files={"file": ("data.bin", DATA)}, data={"note": "n"})
        assert answer.json() == found
        (tmp_path / "data.bin").write_bytes(DATA)
        assert json.loads(curl(server, "/upload", "-F", f"file=@{tmp_path}/data.bin", "-F", "note=n")) == found
        assert client.post("/upload", data={"note": "n"}).status_code == 422

    def test_large_bodies(self, server: ServerProcess, client: httpx.Client) -> None:
        assert client.post("/digest", content=DATA).json() == DIGEST
        pieces = (DATA[at : at + 50_000] for at in range(0, len(DATA), 50_000))
        assert client.post("/digest", content=pieces).json() == DIGEST
        for arguments in ((), ("-H", "Transfer-Encoding: chunked"), ("-H", "Expect: 100-continue")):
            assert json.loads(curl(server, "/digest", *arguments, "--data-binary", "@-", stdin=DATA)) == DIGEST

    def test_documentation(self, client: httpx.Client) -> None:
        document = client.get("/openapi.json").json()
        assert document["info"]["title"] == "Shop"
        assert "/items/{name}" in document["paths"]
        page = client.get("/docs")
        assert (page.status_code, "swagger-ui" in page.text) == (200, True)
        assert "redoc" in client.get("/redoc").text

    def test_redirects_and_what_is_not_there(self, client: httpx.Client) -> None:
        assert client.get("/redirect", follow_redirects=True).json()["hello"] == "world"
        assert client.get("/items/", follow_redirects=False).status_code in (307, 404)
        assert client.get("/nothing").json() == {"detail": "Not Found"}
        assert client.post("/").status_code == 405

    @pytest.mark.parametrize("path", ["/raise", "/raise-sync"])
    def test_exceptions(self, server: ServerProcess, client: httpx.Client, path: str) -> None:
        since = server.position()
        answer = client.get(path)
        assert (answer.status_code, answer.text) == (500, "Internal Server Error")
        server.wait_for_output("LookupError: raised in a", since)
        log = server.wait_for_output("error app.error", since)
        assert f"target={path} " in log
        assert client.get("/").status_code == 200

    def test_an_exception_in_a_stream_cuts_it(self, server: ServerProcess) -> None:
        since = server.position()
        with Wire(server.address) as wire, pytest.raises(CutError) as cut:
            wire.get("/stream-fails")
        assert cut.value.body == b"first"
        server.wait_for_output("LookupError: raised in a stream", since)

    def test_many_clients_at_once(self, server: ServerProcess) -> None:
        """httpx's own asynchronous client, 50 connections, coroutines and functions mixed."""

        async def main() -> None:
            limits = httpx.Limits(max_connections=50)
            async with httpx.AsyncClient(base_url=server.url, timeout=30, limits=limits) as client:
                paths = ["/", "/sync", "/stream/50", "/depends", "/items/none"] * 60
                answers = await asyncio.gather(*(client.get(path) for path in paths))
            assert [answer.status_code for answer in answers] == [200, 200, 200, 200, 404] * 60

        asyncio.run(main())


class TestStarlette:
    SITE = "starlette_site:app"

    def test_base_http_middleware_and_lifespan_state(self, client: httpx.Client) -> None:
        answer = client.get("/hello")
        assert (answer.text, answer.headers["x-tagged"]) == ("hello yes", "/hello")

    def test_middleware_that_reads_the_body(self, client: httpx.Client) -> None:
        for body in (b"", b"small", DATA):
            answer = client.post("/echo", content=body)
            assert (answer.content, answer.headers["x-size"]) == (body, str(len(body)))

    def test_streams_through_middleware(self, server: ServerProcess, client: httpx.Client) -> None:
        expected = b"".join(bytes([65 + number % 26]) * 20_000 for number in range(50))
        assert client.get("/stream").content == expected  # gzip, which httpx takes
        assert client.get("/stream", headers={"Accept-Encoding": "identity"}).content == expected
        assert curl(server, "/stream", "--compressed") == expected
        assert curl(server, "/stream", "--http1.0") == expected

    def test_a_stream_that_its_client_leaves(self, server: ServerProcess, client: httpx.Client) -> None:
        since = server.position()
        first_events(server, "/events")
        taken_log(client, "/log", "events ended")
        client.get("/hello")
        assert "Traceback" not in server.output(since)

    def test_files_and_ranges(self, server: ServerProcess, client: httpx.Client) -> None:
        whole = bytes(range(256)) * 4096
        for path in ("/file", "/static/large.bin"):
            plain = {"Accept-Encoding": "identity"}
            answer = client.get(path, headers=plain)
            assert (answer.content, answer.headers["content-length"]) == (whole, str(len(whole)))
            answer = client.get(path, headers=plain | {"Range": "bytes=1000-1999"})
            assert (answer.status_code, answer.content) == (206, whole[1000:2000])
            assert answer.headers["content-range"] == f"bytes 1000-1999/{len(whole)}"
            answer = client.get(path, headers=plain | {"Range": "bytes=0-9,20-29"})
            assert answer.status_code == 206
            assert answer.headers["content-type"].startswith("multipart/byteranges")
            assert client.get(path, headers=plain | {"Range": f"bytes={len(whole)}-"}).status_code == 416
            head = client.head(path, headers=plain)
            assert (head.content, head.headers["content-length"]) == (b"", str(len(whole)))
        tag = client.get("/static/large.bin").headers["etag"]
        answer = client.get("/static/large.bin", headers={"If-None-Match": tag})
        assert (answer.status_code, answer.content) == (304, b"")
        assert client.get("/static/../starlette_site.py").status_code == 404

    def test_background_tasks(self, client: httpx.Client) -> None:
        client.get("/log")
        assert client.get("/background").text == "answered"
        assert taken_log(client, "/log", "two") == ["one", "two"]

    def test_sessions(self, client: httpx.Client) -> None:
        assert [client.get("/session").json()["visits"] for _ in range(3)] == [1, 2, 3]

    def test_mounted(self, server: ServerProcess, client: httpx.Client) -> None:
        facts = client.get("/mounted/facts?q=1").json()
        assert facts == {"url": f"{server.url}/mounted/facts?q=1", "client": "127.0.0.1", "path": "/mounted"}

    def test_exceptions(self, server: ServerProcess, client: httpx.Client) -> None:
        since = server.position()
        assert client.get("/fails").status_code == 500
        server.wait_for_output("LookupError: raised by the endpoint", since)
        assert "target=/fails " in server.wait_for_output("error app.error", since)
        assert client.get("/hello").status_code == 200

    def test_an_upload_that_breaks_off(self, server: ServerProcess, client: httpx.Client) -> None:
        """ClientDisconnect is the client's doing: no error of the application's in the log."""
        client.get("/log")
        since = server.position()
        with Wire(server.address) as wire:
            wire.send(request("/upload", "POST", [("Transfer-Encoding", "chunked")]) + chunk(b"part"))
            taken_log(client, "/log", "part True")
        taken_log(client, "/log", "disconnected")
        assert client.get("/fails").status_code == 500  # logged behind whatever the upload has logged
        server.wait_for_output("LookupError: raised by the endpoint", since)
        log = server.wait_for_output("error app.", since)
        assert log.count("error app.") == 1
        assert "ClientDisconnect" not in log.replace("error=ClientDisconnect", "")


class TestDjango:
    SITE = "django_asgi:application"

    def test_views_of_both_kinds(self, client: httpx.Client) -> None:
        for path, text in (("/hello/", "hello from a coroutine"), ("/hello_sync/", "hello from a function")):
            answer = client.get(path)
            assert (answer.text, answer.headers["x-tagged"]) == (text, path)
        assert client.get("/hello", follow_redirects=True).text == "hello from a coroutine"
        assert client.get("/nothing/").status_code == 404

    def test_forms_and_bodies(self, server: ServerProcess, client: httpx.Client) -> None:
        answer = client.post("/form/", params={"q": "\u00e9"}, data={"a": "1", "b": "\u00fc"})
        assert answer.json() == {"post": {"a": "1", "b": "\u00fc"}, "get": {"q": "\u00e9"}, "method": "POST"}
        assert client.post("/body/", content=DATA).json() == DIGEST
        assert json.loads(curl(server, "/body/", "--data-binary", "@-", stdin=DATA)) == DIGEST

    def test_uploads(self, client: httpx.Client) -> None:
        answer = client.post("/upload/", files={"file": ("data.bin", DATA)})
        assert answer.json() == DIGEST | {"name": "data.bin"}

    def test_streams_and_files(self, client: httpx.Client) -> None:
        assert client.get("/stream/").text == "".join(f"{number}\n" for number in range(1000))
        source = (APPS / "django_asgi.py").read_bytes()
        assert client.get("/file/").content == source

    def test_meta(self, server: ServerProcess, client: httpx.Client) -> None:
        meta = client.get("/meta/?a=b", headers={"X-One": "1"}).json()
        assert meta == {
            "REMOTE_ADDR": "127.0.0.1",
            "SERVER_NAME": server.host,
            "SERVER_PORT": str(server.port),
            "REQUEST_METHOD": "GET",
            "HTTP_X_ONE": "1",
            "CONTENT_TYPE": meta["CONTENT_TYPE"],
            "PATH_INFO": "/meta/",
            "url": f"{server.url}/meta/?a=b",
        }

    def test_clients_that_leave(self, server: ServerProcess, client: httpx.Client) -> None:
        """Django listens for the disconnect in a task of its own, and cancels the view."""
        client.get("/take_log/")
        first_events(server, "/events/")
        taken_log(client, "/take_log/", "events ended")
        with Wire(server.address) as wire:
            wire.send(request("/waits/"))
            taken_log(client, "/take_log/", "waits")
        taken_log(client, "/take_log/", "cancelled")

    def test_exceptions(self, client: httpx.Client) -> None:
        assert client.get("/fails/").status_code == 500
        assert client.get("/hello/").status_code == 200


class TestLitestar:
    SITE = "litestar_site:app"

    def test_handlers(self, client: httpx.Client) -> None:
        assert client.get("/").json() == {"hello": "world"}
        assert client.get("/sync").text == "sync"
        assert client.get("/items/5?q=x").json() == {"number": 5, "q": "x"}
        assert client.get("/items/x").status_code == 404
        answer = client.post("/items", json={"name": "lamp", "price": 2})
        assert (answer.status_code, answer.json()) == (201, {"name": "lamp", "price": 2.0})
        assert client.post("/items", json={"name": "lamp"}).status_code == 400
        assert client.delete("/items/5").status_code == 204

    def test_bodies(self, client: httpx.Client) -> None:
        assert client.post("/body", content=DATA).json() == {"bytes": len(DATA)}
        found = client.post("/upload", files={"data": ("data.bin", DATA)}).json()
        assert found == {"name": "data.bin", "bytes": len(DATA)}

    def test_streams_and_files(self, client: httpx.Client) -> None:
        assert client.get("/stream").text == "".join(f"{number}\n" for number in range(100))
        assert client.get("/file").content == (APPS / "litestar_site.py").read_bytes()

    def test_background_and_schema(self, client: httpx.Client) -> None:
        assert client.get("/background").text == "answered"
        assert taken_log(client, "/log", "later") == ["later"]
        assert "/items/{number}" in client.get("/schema/openapi.json").json()["paths"]

    def test_exceptions(self, client: httpx.Client) -> None:
        assert client.get("/fails").status_code == 500
        assert client.get("/").status_code == 200


class TestQuart:
    SITE = "quart_site:app"

    def test_views(self, client: httpx.Client) -> None:
        assert client.get("/").json() == {"hello": "world"}
        assert client.get("/sync").text == "sync"
        assert client.post("/form", data={"a": "1"}).json() == {"a": "1"}
        assert client.post("/json", json=[1, {"x": None}]).json() == {"got": [1, {"x": None}]}
        assert client.get("/nothing").status_code == 404

    def test_bodies(self, server: ServerProcess, client: httpx.Client) -> None:
        assert client.post("/digest", content=DATA).json() == DIGEST
        assert json.loads(curl(server, "/digest", "--data-binary", "@-", stdin=DATA)) == DIGEST
        found = client.post("/upload", files={"file": ("data.bin", DATA)}).json()
        assert found == {"name": "data.bin", "bytes": len(DATA)}

    def test_streams_and_files(self, server: ServerProcess, client: httpx.Client) -> None:
        assert client.get("/stream").text == "".join(f"/stream {number}\n" for number in range(100))
        source = (APPS / "quart_site.py").read_bytes()
        assert client.get("/file").content == source
        assert curl(server, "/file", "--range", "0-9") == source[:10]

    def test_a_stream_that_its_client_leaves(self, server: ServerProcess, client: httpx.Client) -> None:
        first_events(server, "/events")
        taken_log(client, "/log", "events ended")

    def test_background(self, client: httpx.Client) -> None:
        client.get("/log")
        assert client.get("/background").text == "answered"
        assert taken_log(client, "/log", "later") == ["later"]

    def test_exceptions(self, client: httpx.Client) -> None:
        assert client.get("/fails").status_code == 500
        assert client.get("/").status_code == 200


class TestAsgiref:
    SITE = "asgiref_apps:version2"

    def test_asgi_2_made_single(self, client: httpx.Client) -> None:
        for body in (b"", b"small", b"large" * 100_000):
            assert client.post("/a/b", content=body).content == b"/a/b " + body

    @pytest.mark.parametrize("loop", LOOPS)
    def test_wsgi_behind_asgi(self, serve: Any, loop: str) -> None:
        server = serve("asgiref_apps:wsgi", "--loop", loop)
        answer = httpx.post(server.url + "/x", content=b"body" * 50_000)
        assert (answer.status_code, answer.headers["x-path"]) == (201, "/x")
        assert answer.content == b"wsgi " + b"body" * 50_000

    @pytest.mark.parametrize("loop", LOOPS)
    def test_bridges_between_coroutines_and_functions(self, serve: Any, loop: str) -> None:
        server = serve("asgiref_apps:bridges", "--loop", loop, "--lifespan", "off")
        for _ in range(3):
            assert httpx.get(server.url).text == repr([number * 2 + 1 for number in range(10)])


@pytest.mark.parametrize("site", [TestFastApi, TestStarlette, TestDjango, TestLitestar, TestQuart])
@pytest.mark.parametrize("loop", LOOPS)
def test_each_stops_in_order(serve: Any, site: type, loop: str) -> None:
    """With a stream under way whose client has left, and connections that idle."""
    server = serve(site.SITE, "--loop", loop)  # type: ignore[attr-defined]
    with httpx.Client(base_url=server.url, timeout=20) as client:
        client.get("/")
        assert server.terminate() == 0
    assert "never retrieved" not in server.output()
    assert "was destroyed" not in server.output()
