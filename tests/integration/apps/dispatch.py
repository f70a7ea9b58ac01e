"""Many small WSGI applications in one: the first part of the path names a function of the module.

Also what tests look at them with: /ledger?id=X is what the application noted under that id.
"""

import json
from urllib.parse import parse_qsl

_ledger = {}


def arguments(environ):
    """The query as a dict."""
    return dict(parse_qsl(environ["QUERY_STRING"], keep_blank_values=True))


def note(environ, event):
    """Writes down that something happened, under the request's ?id=."""
    _ledger.setdefault(arguments(environ)["id"], []).append(event)


def text(start_response, body, status="200 OK"):
    start_response(status, [("Content-Type", "text/plain")])
    return [body if isinstance(body, bytes) else str(body).encode()]


def ledger(environ, start_response):
    start_response("200 OK", [("Content-Type", "application/json")])
    return [json.dumps(_ledger.get(arguments(environ)["id"], [])).encode()]


def hello(environ, start_response):
    return text(start_response, "hello")


def router(functions):
    """The application of a module: `app = router(globals())`."""
    table = {"ledger": ledger, "hello": hello} | functions

    def app(environ, start_response):
        name = environ["PATH_INFO"].split("/")[1]
        return table[name](environ, start_response)

    return app
