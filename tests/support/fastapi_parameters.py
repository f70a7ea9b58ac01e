"""Parameters as FastAPI has them: an application with every kind, and what it is asked."""

import enum
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, Field

from tests.support.fastapi_twins import Ask, get


class Color(enum.Enum):
    red = "red"
    blue = "blue"


class Level(enum.IntEnum):
    low = 1
    high = 2


class Filters(BaseModel):
    model_config = {"extra": "forbid"}

    limit: int = Field(100, gt=0, le=100)
    offset: int = Field(0, ge=0)
    order_by: Literal["created_at", "updated_at"] = "created_at"
    tags: list[str] = []


class Loose(BaseModel):
    q: str
    short: str | None = Field(None, alias="s", max_length=3)


class Common(BaseModel):
    host: str
    save_data: bool
    if_modified_since: str | None = None
    x_tag: list[str] = []


class Cookies(BaseModel):
    model_config = {"extra": "forbid"}

    session_id: str
    tracker: int | None = None


def define(api: Any, app: Any) -> None:
    define_path(api, app)
    define_query(api, app)
    define_constraints(api, app)
    define_lists(api, app)
    define_head(api, app)


def define_path(api: Any, app: Any) -> None:
    types = {
        "int": int,
        "float": float,
        "bool": bool,
        "str": str,
        "uuid": UUID,
        "date": date,
        "datetime": datetime,
        "time": time,
        "timedelta": timedelta,
        "decimal": Decimal,
        "color": Color,
        "level": Level,
        "literal": Literal["a", "b"],
        "union": int | str,
    }
    for name, type in types.items():
        app.get(f"/path/{name}/{{value}}")(only_value(type))

    @app.get("/users/me")
    def me() -> str:
        return "me"

    @app.get("/users/{user_id}")
    def user(user_id: str) -> str:
        return user_id

    @app.get("/files/{path:path}")
    def file(path: str) -> str:
        return path

    @app.get("/ge/{value}")
    def ge(value: Annotated[int, api.Path(title="a number", ge=1, le=1000)], q: str | None = None) -> Any:
        return [value, q]

    @app.get("/gt/{value}")
    def gt(*, value: float = api.Path(gt=0, lt=10.5)) -> Any:
        return value

    @app.get("/untyped/{value}")
    def untyped(value) -> Any:  # type: ignore[no-untyped-def]
        return value


def builtin(value: object) -> str:
    return type(value).__name__


def only_value(type: Any) -> Any:
    def one(value):  # type: ignore[no-untyped-def]
        return {"value": value, "is": builtin(value)}

    one.__annotations__ = {"value": type}
    return one


def define_query(api: Any, app: Any) -> None:
    @app.get("/required")
    def required(q: str, n: int) -> Any:
        return [q, n]

    @app.get("/optional")
    def optional(q: str | None = None, n: int | None = None, f: float = 0.5, b: bool = False) -> Any:
        return [q, n, f, b]

    @app.get("/dots")
    async def dots(q: str = api.Query(...), p: str = api.Query("fixed")) -> Any:
        return [q, p]

    @app.get("/nullable")
    async def nullable(q: Annotated[str | None, api.Query()]) -> Any:
        return q

    @app.get("/dates")
    def dates(
        day: date | None = None,
        at: datetime | None = None,
        hour: time | None = None,
        span: timedelta | None = None,
        key: UUID | None = None,
        price: Decimal | None = None,
        color: Color | None = None,
        level: Level = Level.low,
        letter: Literal["a", "b"] = "a",
    ) -> Any:
        return [day, at, hour, span, key, price, color, level, letter]

    @app.get("/alias")
    def alias(
        item: Annotated[str | None, api.Query(alias="item-query")] = None,
        old: Annotated[str | None, api.Query(deprecated=True, include_in_schema=False)] = None,
        other: Annotated[str | None, api.Query(validation_alias="other_name")] = None,
    ) -> Any:
        return [item, old, other]

    @app.get("/factory")
    def factory(q: Annotated[list[str], api.Query(default_factory=lambda: ["made"])]) -> Any:
        return q

    @app.get("/unions")
    def unions(a: int | str, b: int | bool | None = None, c: float | int | None = None) -> Any:
        return [[x, builtin(x)] for x in (a, b, c)]


def define_constraints(api: Any, app: Any) -> None:
    @app.get("/length")
    def length(q: Annotated[str, api.Query(min_length=3, max_length=5, pattern="^fi")] = "fixed") -> Any:
        return q

    @app.get("/range")
    def range_(
        a: Annotated[int, api.Query(ge=1, le=3)] = 1,
        b: Annotated[float, api.Query(gt=1, lt=3)] = 2,
        c: Annotated[int, api.Query(multiple_of=5)] = 5,
        d: Annotated[Decimal, api.Query(max_digits=4, decimal_places=2)] = Decimal("1.5"),
    ) -> Any:
        return [a, b, c, d]

    @app.get("/strict")
    def strict(q: Annotated[list[Annotated[int, Field(ge=0)]], api.Query(min_length=1, max_length=2)]) -> Any:
        return q

    @app.get("/filters")
    def filters(wanted: Annotated[Filters, api.Query()]) -> Filters:
        return wanted

    @app.get("/loose")
    def loose(wanted: Annotated[Loose, api.Query()]) -> Loose:
        return wanted


def define_lists(api: Any, app: Any) -> None:
    @app.get("/list")
    def lists(
        a: Annotated[list[str] | None, api.Query()] = None,
        b: Annotated[list[int], api.Query()] = [1, 2],  # noqa: B006 - as FastAPI's users write it
        c: Annotated[set[int], api.Query()] = set(),  # noqa: B006
        d: list[str] = api.Query([], alias="d-list"),  # noqa: B008
    ) -> Any:
        return [a, b, sorted(c), d]

    @app.get("/list-required")
    def list_required(a: Annotated[list[int], api.Query()]) -> Any:
        return a

    @app.get("/tuple")
    def pair(a: Annotated[tuple[int, str], api.Query()]) -> Any:
        return a

    @app.get("/bare-list")
    def bare(a: list = api.Query([])) -> Any:  # type: ignore[type-arg]  # noqa: B008
        return a

    @app.get("/colors")
    def colors(a: Annotated[list[Color], api.Query()] = []) -> Any:  # noqa: B006
        return a


def define_head(api: Any, app: Any) -> None:
    @app.get("/header")
    def header(
        user_agent: Annotated[str | None, api.Header()] = None,
        x_token: Annotated[list[str] | None, api.Header()] = None,
        strange_header: Annotated[str | None, api.Header(convert_underscores=False)] = None,
        x_number: Annotated[int, api.Header(ge=3)] = 3,
        renamed: Annotated[str | None, api.Header(alias="X-Renamed")] = None,
    ) -> Any:
        return [user_agent, x_token, strange_header, x_number, renamed]

    @app.get("/header-required")
    def header_required(x_key: Annotated[str, api.Header()]) -> Any:
        return x_key

    @app.get("/headers")
    def headers(found: Annotated[Common, api.Header()]) -> Any:
        return found

    @app.get("/cookie")
    def cookie(
        ads_id: Annotated[str | None, api.Cookie()] = None, number: Annotated[int, api.Cookie(lt=10)] = 1
    ) -> Any:
        return [ads_id, number]

    @app.get("/cookie-required")
    def cookie_required(session: str = api.Cookie(...)) -> Any:
        return session

    @app.get("/cookies")
    def cookies(found: Annotated[Cookies, api.Cookie()]) -> Any:
        return found


KEY = "0b6f7c9e-1c3d-4b8e-9f2a-5d6c7b8a9e0f"
PATH = [
    *get("/path/int/3", "/path/int/-3", "/path/int/+3", "/path/int/3.0", "/path/int/3.5", "/path/int/x"),
    *get("/path/int/1_000", "/path/int/%203", "/path/int/0x10", "/path/int/007", f"/path/int/{'9' * 30}"),
    *get("/path/float/1.5", "/path/float/3", "/path/float/1e3", "/path/float/x", "/path/float/.5"),
    *get("/path/float/nan", "/path/float/inf", differs="numbers"),
    *get("/path/bool/true", "/path/bool/1", "/path/bool/on", "/path/bool/YES", "/path/bool/f", "/path/bool/maybe"),
    *get(
        "/path/str/caf%C3%A9",
        "/path/str/a+b",
        "/path/str/a%20b",
        "/path/str/%F0%9F%98%80",
    ),
    *get("/path/str/a%2Fb", differs="escaped-slash"),
    *get(f"/path/uuid/{KEY}", f"/path/uuid/{KEY.replace('-', '')}", "/path/uuid/x", f"/path/uuid/{{{KEY}}}"),
    *get("/path/date/2026-12-01", "/path/date/2026-13-01", "/path/date/x", "/path/date/2026-12-01T00:00:00"),
    *get("/path/date/1700000000", "/path/datetime/1700000000"),
    *get("/path/datetime/2026-12-01T10:11:12Z", "/path/datetime/2026-12-01T10:11:12.5+02:00"),
    *get("/path/datetime/2026-12-01", "/path/datetime/2026-12-01 10:11", "/path/datetime/x"),
    *get("/path/time/10:11", "/path/time/10:11:12.5", "/path/time/25:00"),
    *get("/path/timedelta/P1DT2H", "/path/timedelta/01:02:03", differs="timedelta"),
    *get("/path/timedelta/3600", "/path/timedelta/x", "/path/decimal/x", "/path/decimal/NaN"),
    *get("/path/decimal/1.10", "/path/decimal/1e3", differs="decimal"),
    *get("/path/color/red", "/path/color/green", "/path/level/1", "/path/level/3", "/path/level/x"),
    *get("/path/literal/a", "/path/literal/c", "/path/union/3", "/path/union/x", "/path/union/3.0"),
    *get("/users/me", "/users/you", "/users/", "/files/a/b/c.txt", "/files//a", "/files/", "/files/a%2Fb"),
    *get("/ge/1", "/ge/0", "/ge/1001?q=x", "/ge/x", "/gt/0", "/gt/10.4", "/gt/10.5", "/untyped/3"),
]
QUERY = [
    *get("/required?q=a&n=1", "/required", "/required?q=a", "/required?q=&n=", "/required?q=a&n=x&z=1"),
    *get("/required?q=a&q=b&n=1&n=2", "/required?q=a%20b+c&n=1", "/required?q=%C3%A9&n=%31", "/required?q&n=1"),
    *get("/optional", "/optional?q=&n=1&f=2&b=true", "/optional?n=", "/optional?b=", "/optional?f=x&b=2"),
    *get("/optional?b=off", "/optional?b=N", "/optional?b=TRUE", "/optional?f=-0"),
    *get("/optional?f=1e400", differs="numbers"),
    *get("/optional?Q=upper", "/optional?q=a;n=3", "/optional?q=a%26n%3D3", "/optional?&&q=b&&"),
    *get("/dots", "/dots?q=x&p=y", "/nullable", "/nullable?q=", "/nullable?q=x", "/nullable?q=null"),
    *get("/dates", "/dates?day=2026-12-01&at=2026-12-01T10:00:00&hour=10:00&span=P2D&level=2&letter=b"),
    *get(f"/dates?key={KEY}&price=1.50&color=blue", "/dates?day=x&at=y&hour=z&span=w&key=v&price=u&color=t"),
    *get("/dates?level=9&letter=c", "/dates?level=low", "/dates?day=", "/dates?price=1e2", "/dates?at=2026-12-01T10"),
    *get("/alias?item-query=x", "/alias?item=x", "/alias?old=y", "/alias?other_name=z", "/alias?other=z"),
    *get("/factory", "/factory?q=a", "/unions?a=1&b=true&c=2", "/unions?a=x&b=3&c=2.5", "/unions", "/unions?a=1&b=x"),
]
RULES = [
    *get("/length", "/length?q=fi", "/length?q=fixed", "/length?q=fixed1", "/length?q=fax", "/length?q=a"),
    *get("/length?q=", "/length?q=fi%C3%A9", "/range", "/range?a=0&b=1&c=6&d=1.234", "/range?a=4&b=3&d=12345"),
    *get("/range?a=3&b=2.9&c=-10&d=12.34", "/range?d=123.4", "/strict", "/strict?q=1", "/strict?q=1&q=2&q=3"),
    *get("/strict?q=-1&q=x", "/filters", "/filters?limit=0&offset=-1&order_by=x", "/filters?limit=5&tags=a&tags=b"),
    *get("/filters?tool=plumbus", "/filters?limit=101&tool=a&other=b", "/filters?limit=x", "/filters?tags="),
    *get("/loose?q=a&s=abc", "/loose?q=a&short=abc", "/loose?s=abcd", "/loose?q=a&other=1"),
]
LISTS = [
    *get("/list", "/list?a=x&a=y", "/list?b=3", "/list?b=3&b=x", "/list?c=2&c=1&c=2", "/list?d-list=a", "/list?d=a"),
    *get("/list?a=", "/list?a=1,2", "/list-required", "/list-required?a=1", "/list-required?a=x&a=2&a=y"),
    *get("/tuple?a=1&a=b", "/tuple?a=1", "/tuple?a=1&a=b&a=c", "/tuple", "/bare-list?a=1&a=b", "/bare-list"),
    *get("/colors?a=red&a=blue", "/colors?a=red&a=pink"),
]
HEAD = [
    *get("/header"),
    *get("/header", headers=[("X-Token", "a"), ("x-token", "b"), ("User-Agent", "me"), ("X-Renamed", "r")]),
    *get("/header", headers={"strange_header": "s"}),
    *get("/header", headers={"strange-header": "s"}),
    *get("/header", headers={"X-Number": "2"}),
    *get("/header", headers={"x-number": "many"}),
    *get("/header", headers={"X-Token": ""}),
    *get("/header-required"),
    *get("/header-required", headers={"X-Key": "k"}),
    *get("/header-required", headers={"x_key": "k"}),
    *get("/headers", headers={"save-data": "true", "X-Tag": "one"}),
    *get("/headers", headers=[("Save-Data", "yes"), ("x-tag", "one"), ("x-tag", "two"), ("If-Modified-Since", "x")]),
    *get("/headers", headers={"save_data": "true"}),
    *get("/headers"),
    *get("/headers", headers={"save-data": "perhaps"}),
    *get("/cookie"),
    *get("/cookie", headers={"Cookie": "ads_id=abc; number=3"}),
    *get("/cookie", headers={"Cookie": 'ads_id="a b"; number=12; other=1'}),
    *get("/cookie", headers={"Cookie": "ads_id=1; ads_id=2"}),
    *get("/cookie", headers={"Cookie": "ads_id="}),
    *get("/cookie", headers={"Cookie": "number=x;;ads_id"}),
    *get("/cookie-required"),
    *get("/cookie-required", headers={"Cookie": "session=s"}),
    *get("/cookies", headers={"Cookie": "session_id=s; tracker=3"}),
    *get("/cookies", headers={"Cookie": "session_id=s; extra=1"}),
    *get("/cookies", headers={"Cookie": "tracker=x"}),
    *get("/cookies"),
]
REQUESTS: list[Ask] = PATH + QUERY + RULES + LISTS + HEAD
