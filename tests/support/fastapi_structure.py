"""Errors, routers and requests as FastAPI has them: exception handlers, prefixes, slashes, what is refused."""

from typing import Any

from pydantic import BaseModel

from tests.support.fastapi_twins import Ask, ask, get


class Unicorn(Exception):
    def __init__(self, name: str) -> None:
        self.name = name


class Horse(Unicorn):
    pass


class Body(BaseModel):
    a: int


def define(api: Any, app: Any) -> None:
    define_errors(api, app)
    define_handlers(api, app)
    define_routers(api, app)
    define_requests(api, app)


def define_errors(api: Any, app: Any) -> None:
    details: dict[str, Any] = {
        "text": "Item not found",
        "dict": {"code": 3, "why": ["a"]},
        "list": ["a", 1],
        "none": None,
        "number": 3,
        "unicode": "caf\u00e9",
    }

    @app.get("/http/{status}/{kind}")
    def http(status: int, kind: str) -> Any:
        raise api.HTTPException(status_code=status, detail=details[kind], headers={"X-Error": "yes"})

    @app.get("/challenge")
    async def challenge() -> Any:
        raise api.HTTPException(401, "Not authenticated", {"WWW-Authenticate": "Bearer"})

    @app.get("/crash")
    def crash() -> Any:
        return 1 // 0

    @app.get("/key-error")
    def key_error() -> Any:
        raise KeyError("x")

    @app.get("/injected-then-error")
    def injected(response: api.Response) -> Any:
        response.headers["X-Lost"] = "yes"
        raise api.HTTPException(409)


def define_handlers(api: Any, app: Any) -> None:
    @app.exception_handler(Unicorn)
    async def unicorn(request: api.Request, error: Unicorn) -> Any:
        return api.JSONResponse(
            {"message": f"Oops! {error.name} did something.", "at": request.url.path}, 418, {"X-Horn": "1"}
        )

    @app.exception_handler(LookupError)
    def lookup(request: api.Request, error: LookupError) -> Any:
        return api.PlainTextResponse(type(error).__name__, 410)

    @app.get("/unicorns/{name}")
    async def unicorns(name: str) -> Any:
        if name == "yolo":
            raise Unicorn(name)
        if name == "horse":
            raise Horse(name)
        return name


def define_routers(api: Any, app: Any) -> None:
    users = api.APIRouter(prefix="/users", tags=["users"], responses={404: {"description": "Not found"}})

    @users.get("/")
    async def all_users() -> list[str]:
        return ["Rick", "Morty"]

    @users.get("/me")
    async def me() -> str:
        return "me"

    @users.get("/{username}", name="read_user")
    async def user(username: str) -> dict[str, str]:
        return {"username": username}

    @users.post("/{username}/items/{number}", status_code=201)
    async def user_item(username: str, number: int) -> Any:
        return [username, number]

    items = api.APIRouter(default_response_class=api.PlainTextResponse)

    @items.get("/one")
    def one() -> str:
        return "one"

    @items.get("/json", response_class=api.JSONResponse)
    def as_json() -> str:
        return "json"

    inner = api.APIRouter(prefix="/inner")

    @inner.get("")
    def empty_path() -> str:
        return "inner"

    @inner.get("/deep/{value}", name="deep")
    def deep(value: int) -> int:
        return value

    outer = api.APIRouter(prefix="/outer")
    outer.include_router(inner, prefix="/more")
    app.include_router(users)
    app.include_router(items, prefix="/items", tags=["items"])
    app.include_router(items, prefix="/again")
    app.include_router(outer)

    @app.api_route("/several", methods=["GET", "POST"])
    def several(request: api.Request) -> str:
        return request.method  # type: ignore[no-any-return]

    @app.get("/same")
    def get_same() -> str:
        return "get"

    @app.put("/same")
    def put_same() -> str:
        return "put"

    @app.patch("/same")
    def patch_same() -> str:
        return "patch"

    @app.delete("/same", status_code=204)
    def delete_same() -> None:
        return None

    @app.get("/twice/{a}")
    def twice(a: str) -> list[str]:
        return ["first", a]

    @app.api_route("/twice/{b}", methods=["GET", "POST"])
    async def twice_again(b: str) -> list[str]:
        return ["second", b]

    @app.options("/own-options")
    def own_options() -> str:
        return "options"

    @app.head("/own-head")
    def own_head(response: api.Response) -> None:
        response.headers["X-Head"] = "yes"

    @app.get("/slash/")
    def slash(q: str = "") -> str:
        return q

    @app.post("/slash/")
    def post_slash(body: Body) -> int:
        return body.a

    @app.get("/no-slash")
    def no_slash() -> str:
        return "no"

    @app.get("/converted/{number:int}")
    def converted(number: int) -> int:
        return number

    @app.get("/ratio/{value:float}/x")
    def ratio(value: float) -> float:
        return value


def define_requests(api: Any, app: Any) -> None:
    @app.get("/request/{name}")
    async def request(name: str, request: api.Request) -> Any:
        return {
            "method": request.method,
            "url": str(request.url),
            "path": request.url.path,
            "query": request.url.query,
            "base": str(request.base_url),
            "host": request.url.hostname,
            "port": request.url.port,
            "scheme": request.url.scheme,
            "params": request.path_params,
            "args": dict(request.query_params),
            "all": request.query_params.multi_items(),
            "list": request.query_params.getlist("a"),
            "agent": request.headers["user-agent"],
            "missing": request.headers.get("X-Nope"),
            "cookies": request.cookies,
            "client": request.client is not None,
            "has state": hasattr(request.state, "nope"),
        }

    @app.get("/urls")
    def urls(request: api.Request) -> Any:
        return [
            str(request.url_for("read_user", username="a b")),
            str(request.url_for("deep", value=3)),
            app.url_path_for("no_slash"),
            str(app.url_path_for("user_item", username="u", number=2)),
        ]

    @app.post("/body")
    async def body(request: api.Request) -> Any:
        return {"body": (await request.body()).decode(), "json": await request.json()}

    @app.get("/state")
    def state(request: api.Request) -> Any:
        request.state.user = "u"
        request.app.state.seen = getattr(request.app.state, "seen", 0) + 1
        return [request.state.user, request.app.state.seen]


def handled(api: Any, app: Any) -> None:
    """Another application, that answers all errors itself."""

    @app.exception_handler(api.HTTPException)
    async def http(request: api.Request, error: Any) -> Any:
        return api.PlainTextResponse(str(error.detail), error.status_code, error.headers)

    @app.exception_handler(api.RequestValidationError)
    async def invalid(request: api.Request, error: Any) -> Any:
        shown = [{"loc": list(each["loc"]), "type": each["type"]} for each in error.errors()]
        return api.JSONResponse({"errors": shown, "body": error.body}, 400)

    @app.exception_handler(404)
    def missing(request: api.Request, error: Any) -> Any:
        return api.JSONResponse({"nothing at": request.url.path}, 404)

    @app.exception_handler(Exception)
    def everything(request: api.Request, error: Exception) -> Any:
        return api.JSONResponse({"failed": type(error).__name__}, 500)

    @app.get("/item/{number}")
    def item(number: int) -> Any:
        if number == 3:
            raise api.HTTPException(418, "Nope! I don't like 3.", {"X-Three": "3"})
        if number == 4:
            raise api.HTTPException(404, "no 4")
        return {"number": number, "ratio": 1 / (number - 5)}

    @app.post("/body")
    def body(body: Body) -> Body:
        return body


STATUSES = (400, 401, 404, 409, 418, 422, 500, 503)
REQUESTS: list[Ask] = [
    *get(*[f"/http/{status}/text" for status in STATUSES]),
    *get(*[f"/http/404/{kind}" for kind in ("dict", "list", "none", "number", "unicode")]),
    *get("/http/204/text", "/http/304/text", "/http/302/text", "/challenge", "/crash", "/key-error"),
    *get("/injected-then-error", "/unicorns/yolo", "/unicorns/horse", "/unicorns/other", "/nowhere"),
    *get("/users/", "/users/me", "/users/rick", "/items/one", "/again/one", "/items/json", "/items/"),
    *get("/users", "/users/rick/", "/outer/more/inner/", differs="slash"),
    *get("/outer/more/inner", "/outer/more/inner/deep/3", "/outer/inner", "/outer/more/inner/deep/x"),
    *get("/users/rick/items/3", differs="allow"),
    ask("POST", "/users/rick/items/3"),
    ask("POST", "/users/rick/items/x"),
    ask("POST", "/several"),
    *get("/twice/x"),
    ask("POST", "/twice/x"),
    ask("PUT", "/several", "allow"),
    *get("/several", "/same"),
    *[ask(method, "/same") for method in ("PUT", "PATCH")],
    ask("DELETE", "/same", "no-content"),
    *[ask(method, "/same", "allow") for method in ("POST", "TRACE")],
    *[ask(method, "/no-slash", "allow") for method in ("POST", "DELETE", "NONSENSE")],
    ask("HEAD", "/no-slash", "head"),
    ask("OPTIONS", "/no-slash", "options"),
    ask("OPTIONS", "/own-options"),
    ask("GET", "/own-options"),
    ask("HEAD", "/own-head"),
    ask("HEAD", "/nowhere"),
    ask("OPTIONS", "/nowhere"),
    *get("/slash/?q=1", "//no-slash"),
    *get("/slash?q=1&r=%20", "/slash", "/no-slash/", "/no-slash/?a=b", differs="slash"),
    *get("/no-slash//", differs="slashes"),
    ask("POST", "/slash", "slash", json={"a": 1}),
    ask("POST", "/slash/", json={"a": 1}),
    ask("PUT", "/slash", "slash-method"),
    *get("/slash?q=2", follow_redirects=True),
    ask("POST", "/slash", json={"a": 1}, follow_redirects=True),
    *get("/converted/3", "/converted/x", "/converted/-3", "/ratio/1.5/x", "/ratio/1/x", "/ratio/x/x"),
    *get("/request/n?a=1&a=2&b=%20", headers={"Cookie": 'a=1; b="x y"'}),
    *get("/request/caf%C3%A9", differs="url"),
    *get("/request/n", headers={"Host": "example.com:8080"}),
    *get("/urls", differs="url"),
    *get("/state", "/state"),
    ask("POST", "/body", json={"a": [1]}),
    ask("GET", "/body", "allow"),
    *get("/", ""),
]
HANDLED: list[Ask] = [
    *get("/item/1", "/item/3", "/item/4", "/item/5", "/item/x", "/nowhere"),
    *get("/item/1/", differs="slash"),
    ask("POST", "/item/1", "one-class"),
    ask("POST", "/body", json={"a": "x"}),
    ask("POST", "/body", json={"a": 1}),
    ask("POST", "/body", json=[]),
    ask("POST", "/body"),
    ask("POST", "/body", content=b"{", headers={"Content-Type": "application/json"}),
]
