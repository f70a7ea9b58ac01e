"""FastAPI: an App with FastAPI's defaults, so that an application moves over by changing its imports."""

from __future__ import annotations

import dataclasses
import inspect
import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from lanner.native.app import App
from lanner.native.errors import HTTPException, RequestValidationError
from lanner.native.fallback import lenient
from lanner.native.routing import Router
from lanner.spelling import hint

if TYPE_CHECKING:
    from lanner.json import JSONDecodeError
    from lanner.schema import ValidationError

DEFAULTS: dict[str, Any] = {"title": "FastAPI", "coerce": "compat", "sync": "pool"}


class FastAPI(App):
    """An App that is titled "FastAPI", reads bodies by pydantic's lax rules, runs `def` handlers in a thread pool,
    and answers malformed JSON with a 422. Of two routes for the same requests the first wins. docs/from-fastapi.md
    lists what else differs.

    redirect_slashes: /cards/ is redirected to /cards, or the other way round. on_startup, on_shutdown: functions, as
    App.on_startup() registers them. max_body_size: body_limit of App. Others: App's, most of which are FastAPI's.
    Raises TypeError for a keyword that is not there.

    Example: `app = FastAPI(title="Cards", redirect_slashes=False)`
    """

    first_wins = True
    malformed_status = 422

    def __init__(
        self,
        *,
        redirect_slashes: bool = True,
        on_startup: Sequence[Callable[[], Any]] | None = None,
        on_shutdown: Sequence[Callable[[], Any]] | None = None,
        max_body_size: int | None = None,
        **options: Any,
    ) -> None:
        for name in options:
            if name not in KEYWORDS:
                raise TypeError(f"FastAPI(): there is no {name}=" + hint(name, KEYWORDS))
        if max_body_size is not None:
            options["body_limit"] = max_body_size
        options.setdefault("slashes", "redirect" if redirect_slashes else "strict")
        super().__init__(**{**DEFAULTS, **options})
        self.coercion = dataclasses.replace(self.coercion, lists_in_body=True, converts_answers=True)
        for function in on_startup or ():
            self.on_startup(function)
        for function in on_shutdown or ():
            self.on_shutdown(function)

    def fallback(self, value: Any) -> Any:
        """The attributes of any object, as FastAPI has it."""
        return lenient(value)

    def invalid(self, error: ValidationError, body: bytes) -> RequestValidationError:
        """Its `body` is what the JSON says, as FastAPI has it."""
        return RequestValidationError(error.errors(), parsed(body))

    def malformed(self, error: JSONDecodeError, body: bytes) -> Exception:
        """One error in the list of a 422, in the words of Python's json module. A 400 if it is no text."""
        try:
            text = body.decode()
        except UnicodeDecodeError:
            return HTTPException(400, "There was an error parsing the body")
        position, message = error.pos, error.msg
        try:
            json.loads(text)
        except json.JSONDecodeError as theirs:
            position, message = theirs.pos, theirs.msg
        except (RecursionError, ValueError):
            pass
        entry = {
            "type": "json_invalid",
            "loc": ("body", position),
            "msg": "JSON decode error",
            "input": {},
            "ctx": {"error": message},
        }
        return RequestValidationError([entry], text)


KEYWORDS = frozenset(
    name
    for made in (App.__init__, Router.__init__, FastAPI.__init__)
    for name in inspect.signature(made).parameters
    if name not in ("self", "router", "options")
)


def parsed(body: bytes) -> Any:
    """The value of a body that was read as JSON; None if there was none."""
    from lanner import json as fast

    try:
        return fast.loads(body) if body else None
    except ValueError:
        return body
