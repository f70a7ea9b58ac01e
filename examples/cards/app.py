"""A card search API with Falcon: GET /search returns 100 cards that are in memory.

lanner run examples/cards/app.py
"""

import falcon
import orjson
from card_data import Card, make_cards

CARDS: list[Card] = make_cards()

INDEX = """\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Cards</title>
<h1>Cards</h1>
<p>A search API that answers from memory: Falcon and orjson, served by Lanner.</p>
<ul>
<li><a href="/search">/search</a>: 100 cards as JSON</li>
</ul>
</html>
"""


class Index:
    """What there is to open."""

    def on_get(self, request: falcon.Request, response: falcon.Response) -> None:
        response.content_type = falcon.MEDIA_HTML
        response.text = INDEX


class Search:
    """All cards. The list is serialized for each request: that is the work the benchmark measures."""

    def on_get(self, request: falcon.Request, response: falcon.Response) -> None:
        response.media = CARDS


def create_app() -> "falcon.App[falcon.Request, falcon.Response]":
    """The application, with orjson in place of the json module. Example: `create_app()` for falcon.testing."""
    made = falcon.App()
    made.resp_options.media_handlers[falcon.MEDIA_JSON] = falcon.media.JSONHandler(
        dumps=orjson.dumps, loads=orjson.loads
    )
    made.add_route("/", Index())
    made.add_route("/search", Search())
    return made


app = create_app()
