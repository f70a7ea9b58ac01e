"""lanner.testing: requests to an application in this process."""

import asyncio
import contextlib
import contextvars
import gc
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx
import pytest

from lanner import App, BackgroundTasks, Body, Cookie, Header, HTTPException, Request, Response
from lanner.responses import JSONResponse, RedirectResponse
from lanner.testing import AsyncTestClient, TestClient

seen = contextvars.ContextVar("seen", default=0)


def make_app() -> App:
    ran: list[str] = []

    @contextlib.asynccontextmanager
    async def lifespan(app: App) -> AsyncIterator[dict[str, object]]:
        ran.append("start")
        app.state.loop = asyncio.get_running_loop()
        yield {"pool": "open"}
        ran.append("end")

    app = App(lifespan=lifespan)
    app.state.ran = ran

    @app.get("/items/{item_id}")
    def item(item_id: int, x_token: str = Header()) -> dict[str, object]:
        if x_token != "secret":
            raise HTTPException(400, "Invalid X-Token header")
        return {"id": item_id}

    @app.post("/items", status_code=201)
    async def add(item: dict[str, object] = Body()) -> dict[str, object]:  # noqa: B008 - as FastAPI has it
        await asyncio.sleep(0)
        return item

    @app.get("/login")
    def login(response: Response) -> str:
        response.set_cookie("session", "s1")
        return "in"

    @app.get("/me")
    def me(session: str | None = Cookie(None)) -> str | None:
        return session

    @app.get("/old")
    def old() -> RedirectResponse:
        return RedirectResponse("/me")

    @app.get("/boom")
    def boom() -> None:
        raise ZeroDivisionError("boom")

    @app.get("/boom-later")
    def boom_later(tasks: BackgroundTasks) -> str:
        tasks.add_task(boom)
        return "fine"

    @app.get("/tasks")
    def tasks(tasks: BackgroundTasks) -> str:
        async def slow() -> None:
            await asyncio.sleep(0.001)
            ran.append("task")

        tasks.add_task(slow)
        return "queued"

    @app.get("/thread", pool=True)
    def thread() -> bool:
        return threading.current_thread() is threading.main_thread()

    @app.get("/request")
    async def request(request: Request) -> dict[str, object]:
        same = asyncio.get_running_loop() is getattr(request.app.state, "loop", None)
        seen.set(seen.get() + 1)
        return {
            "url": str(request.url),
            "agent": request.headers["user-agent"],
            "client": request.client,
            "root": request.scope["root_path"],
            "pool": getattr(request.state, "pool", None),
            "same loop": same,
            "seen": seen.get(),
            "body": (await request.body()).decode(),
        }

    return app


@pytest.fixture
def client() -> Iterator[TestClient]:
    with TestClient(make_app()) as client:
        yield client


def ran(client: TestClient) -> list[str]:
    happened: list[str] = client.app.state.ran  # type: ignore[attr-defined]
    return happened


def test_read_item(client: TestClient) -> None:
    response = client.get("/items/3", headers={"X-Token": "secret"})
    assert response.status_code == 200
    assert response.json() == {"id": 3}


def test_read_item_bad_token(client: TestClient) -> None:
    response = client.get("/items/3", headers={"X-Token": "hailhydra"})
    assert (response.status_code, response.json()) == (400, {"detail": "Invalid X-Token header"})


def test_create_item(client: TestClient) -> None:
    response = client.post("/items", json={"id": "foobar", "title": "Foo Bar"})
    assert (response.status_code, response.json()) == (201, {"id": "foobar", "title": "Foo Bar"})
    assert client.post("/items", content=iter([b'{"a":', b"1}"])).json() == {"a": 1}


def test_a_client_without_with_has_no_lifespan() -> None:
    client = TestClient(make_app())
    assert client.get("/items/x", headers={"X-Token": "secret"}).status_code == 422
    assert ran(client) == []
    client.close()


def test_the_lifespan_runs_by_with() -> None:
    app = make_app()
    with TestClient(app) as client:
        assert ran(client) == ["start"]
        shown = client.get("/request").json()
        assert (shown["pool"], shown["same loop"]) == ("open", True)
    assert ran(client) == ["start", "end"]
    with client:
        assert client.get("/request").json()["pool"] == "open"
    assert ran(client) == ["start", "end", "start", "end"]


def test_what_a_request_is_told(client: TestClient) -> None:
    shown = client.get("/request", params={"a": "1 2"}).json()
    assert shown["url"] == "http://testserver/request?a=1+2"
    assert shown["agent"] == "testclient"
    assert shown["client"] == ["testclient", 50000]
    other = TestClient(
        client.app,
        "https://example.com:8443",
        root_path="/api",
        headers={"User-Agent": "me"},
        client=("1.2.3.4", 5),
    )
    shown = other.get("/request").json()
    assert shown["url"] == "https://example.com:8443/request"
    assert (shown["agent"], shown["client"], shown["root"]) == ("me", ["1.2.3.4", 5], "/api")


def test_each_request_has_a_context_of_its_own(client: TestClient) -> None:
    assert [client.get("/request").json()["seen"] for _ in range(3)] == [1, 1, 1]


def test_cookies_are_kept(client: TestClient) -> None:
    assert client.get("/me").json() is None
    client.get("/login")
    assert client.get("/me").json() == "s1"
    assert TestClient(client.app, cookies={"session": "given"}).get("/me").json() == "given"


def test_redirects_are_followed(client: TestClient) -> None:
    assert client.get("/old").url.path == "/me"
    assert client.get("/old", follow_redirects=False).status_code == 307
    assert TestClient(client.app, follow_redirects=False).get("/old").headers["location"] == "/me"


def test_background_tasks_are_over_when_the_call_returns(client: TestClient) -> None:
    assert client.get("/tasks").json() == "queued"
    assert ran(client)[-1] == "task"


def test_head(client: TestClient) -> None:
    response = client.head("/request")
    assert (response.status_code, response.content) == (200, b"")
    assert int(response.headers["content-length"]) > 0


def test_threads_of_the_pool(client: TestClient) -> None:
    assert client.get("/thread").json() is False


def test_what_a_handler_raises_is_raised(client: TestClient, capfd: pytest.CaptureFixture[str]) -> None:
    for path in ("/boom", "/boom-later"):
        with pytest.raises(ZeroDivisionError, match="boom"):
            client.get(path)
    assert "ZeroDivisionError" not in capfd.readouterr().err
    assert client.get("/me").status_code == 200


def test_a_handler_of_all_exceptions_does_not_hide_them() -> None:
    app = make_app()
    app.add_exception_handler(Exception, lambda request, error: JSONResponse({"failed": str(error)}, 500))
    with pytest.raises(ZeroDivisionError):
        TestClient(app).get("/boom")
    response = TestClient(app, raise_server_exceptions=False).get("/boom")
    assert (response.status_code, response.json()) == (500, {"failed": "boom"})
    app.add_exception_handler(ZeroDivisionError, lambda request, error: JSONResponse("expected", 418))
    assert TestClient(app).get("/boom").status_code == 418


def test_without_raising_a_mistake_is_a_500(capfd: pytest.CaptureFixture[str]) -> None:
    client = TestClient(make_app(), raise_server_exceptions=False)
    response = client.get("/boom")
    assert (response.status_code, response.text) == (500, "Internal Server Error")
    assert client.get("/boom-later").status_code == 200
    assert capfd.readouterr().err.count("ZeroDivisionError: boom") == 2


def test_what_the_start_raises_is_raised() -> None:
    app = make_app()
    app.on_startup(lambda: 1 // 0)
    with pytest.raises(ZeroDivisionError), TestClient(app):
        pass
    app = make_app()
    app.on_shutdown(lambda: 1 // 0)
    with pytest.raises(ZeroDivisionError), TestClient(app) as client:
        assert client.get("/me").status_code == 200


def test_a_client_that_is_forgotten_leaves_no_loop() -> None:
    TestClient(make_app()).get("/me")
    gc.collect()  # a loop that is left is a ResourceWarning


def test_in_a_coroutine_it_says_what_to_use() -> None:
    async def test() -> None:
        TestClient(make_app()).get("/me")

    with pytest.raises(RuntimeError, match="await AsyncTestClient"):
        asyncio.run(test())


def test_what_is_no_application() -> None:
    with pytest.raises(TypeError, match="'shop:app' is no ASGI application"):
        TestClient("shop:app")  # type: ignore[arg-type]


def test_without_httpx_it_says_what_to_install() -> None:
    script = "import sys; sys.modules['httpx'] = sys.modules['httpx2'] = None; import lanner.testing"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.stderr.endswith("ImportError: lanner.testing needs httpx, which is not installed: pip install httpx\n")


def test_async() -> None:
    async def test() -> None:
        app = make_app()
        async with AsyncTestClient(app) as client:
            answers = await asyncio.gather(*(client.get("/request") for _ in range(5)))
            assert [answer.json()["same loop"] for answer in answers] == [True] * 5
            assert (await client.post("/items", json={"a": 1})).json() == {"a": 1}
            assert (await client.head("/request")).content == b""
            await client.get("/login")
            assert (await client.get("/old")).json() == "s1"
            await client.get("/tasks")
            assert app.state.ran == ["start", "task"]
            with pytest.raises(ZeroDivisionError):
                await client.get("/boom")
        assert app.state.ran[-1] == "end"
        async with AsyncTestClient(app, raise_server_exceptions=False) as client:
            assert (await client.get("/boom")).status_code == 500

    asyncio.run(test())


class Raw:
    """An ASGI application by hand. mode: what it does."""

    def __init__(self, mode: str) -> None:
        self.mode = mode
        self.ended = ""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        assert scope["type"] == "http"
        if self.mode == "silent":
            return
        if self.mode == "raises":
            raise LookupError("nobody answers")
        await send({"type": "http.response.start", "status": 200, "headers": [(b"X-Mode", self.mode.encode())]})
        if self.mode == "half":
            return
        if self.mode == "twice":
            return await send({"type": "http.response.start", "status": 200})
        try:
            number = 0
            while True:
                number += 1
                await send({"type": "http.response.body", "body": b"%d\n" % number, "more_body": True})
                if self.mode == "breaks" and number == 3:
                    raise LookupError("no more")
                if self.mode == "waits" and number == 3:
                    message = await receive()
                    while message["type"] != "http.disconnect":
                        message = await receive()
                    self.ended = "disconnect"
                    return
                if self.mode == "sleeps" and number == 3:
                    await asyncio.sleep(3600)
        except OSError as error:
            self.ended = str(error)
            raise
        except asyncio.CancelledError:
            self.ended = "cancelled"
            raise


@pytest.mark.parametrize(
    ("mode", "ended"), [("endless", "the client has gone"), ("waits", "disconnect"), ("sleeps", "cancelled")]
)
def test_an_answer_without_end_is_read_as_it_is_made(mode: str, ended: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lanner.testing.exchange.GONE_S", 0.01)
    app = Raw(mode)
    client = TestClient(app)
    with client.stream("GET", "/") as response:
        assert response.headers["x-mode"] == mode
        lines = response.iter_lines()
        assert [next(lines) for _ in range(3)] == ["1", "2", "3"]
        assert app.ended == ""
    assert app.ended == ended


@pytest.mark.parametrize(
    ("mode", "error", "text"),
    [
        ("silent", RuntimeError, "the application has returned, and said nothing of its answer"),
        ("half", RuntimeError, "the application has returned, and said start of its answer"),
        ("twice", RuntimeError, "send() of 'http.response.start' after start of the answer"),
        ("raises", LookupError, "nobody answers"),
        ("breaks", LookupError, "no more"),
    ],
)
def test_mistakes_of_an_application(mode: str, error: type[Exception], text: str) -> None:
    with pytest.raises(error) as caught:
        TestClient(Raw(mode)).get("/")
    assert text in str(caught.value)


@pytest.mark.parametrize(
    ("mode", "status", "body"), [("silent", 500, "Internal Server Error"), ("breaks", 200, "1\n2\n3\n")]
)
def test_mistakes_that_are_not_raised(mode: str, status: int, body: str) -> None:
    response = TestClient(Raw(mode), raise_server_exceptions=False).get("/")
    assert (response.status_code, response.text) == (status, body)


def test_an_application_that_knows_no_lifespan() -> None:
    with pytest.raises(AssertionError), TestClient(Raw("waits")):
        pass


def test_starlette() -> None:
    from starlette.applications import Starlette
    from starlette.requests import Request as StarletteRequest
    from starlette.responses import StreamingResponse
    from starlette.routing import Route

    async def shout(request: StarletteRequest) -> StreamingResponse:
        pieces = [piece.upper() async for piece in request.stream()]
        return StreamingResponse(iter(pieces), headers={"x-pool": request.state.pool})

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[dict[str, object]]:
        yield {"pool": "open"}

    app = Starlette(routes=[Route("/", shout, methods=["POST"])], lifespan=lifespan)
    with TestClient(app) as client:
        response = client.post("/", content=iter([b"caf", b"e"]))
        assert (response.text, response.headers["x-pool"]) == ("CAFE", "open")
        assert isinstance(response, httpx.Response)
