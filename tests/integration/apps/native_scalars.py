"""A native application whose parameters are scalars: it refuses them without Python."""

import datetime
import enum
import os
import time
import uuid
from typing import Annotated, Literal

from lanner import App, BackgroundTasks, Cookie, Header, Path, Query, Response


class Color(enum.Enum):
    red = "red"
    green = "green"


app = App()
first = App(errors="first")
compat = App(coerce="compat")


def numbers(
    number: Annotated[int, Path(ge=1)],
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
    step: Annotated[int, Query(multiple_of=5)] = 5,
    ratio: Annotated[float, Query(gt=0, lt=1.5)] = 1.0,
    half: Annotated[float, Query(le=0.5)] = 0.5,
    flag: bool = False,
    maybe: int | None = None,
) -> list[object]:
    return [number, limit, step, ratio, half, flag, maybe]


def texts(
    response: Response,
    tasks: BackgroundTasks,
    q: Annotated[str, Query(min_length=2, max_length=5)],
    code: Annotated[str, Query(pattern=r"^[a-z\d]+$")] = "a",
    color: Color = Color.red,
    size: Literal["s", "m", 3, True] = "s",
    x_trace: Annotated[uuid.UUID | None, Header()] = None,
    session: Annotated[int, Cookie()] = 0,
) -> list[object]:
    return [q, code, color, size, x_trace, session]


def moments(
    day: datetime.date | None = None,
    at: datetime.datetime | None = None,
    hour: datetime.time | None = None,
    span: datetime.timedelta | None = None,
) -> list[object]:
    return [day, at, hour, span]


for one in (app, first, compat):
    one.get("/numbers/{number}")(numbers)
    one.get("/texts")(texts)
    one.get("/moments")(moments)


@app.get("/hold", pool=True)
def hold() -> int:
    """Holds the GIL for about a second."""
    time.sleep(0.1)  # until the loop waits, without it
    os.write(2, b"it is held\n")
    return sum(range(60_000_000))
