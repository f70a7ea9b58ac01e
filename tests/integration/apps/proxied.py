"""What frameworks make of a request that came through a proxy: the client, and a link to the page itself."""

from flask import Flask
from flask import request as flask_request
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from werkzeug.middleware.proxy_fix import ProxyFix

flask = Flask(__name__)


@flask.get("/page")
def page() -> str:
    return f"{flask_request.remote_addr} {flask_request.url}"


async def starlette_page(request: Request) -> Response:
    client = request.client
    return PlainTextResponse(f"{client.host if client else '-'} {request.url}")


starlette = Starlette(routes=[Route("/page", starlette_page)])

fixed = Flask("fixed")
fixed.add_url_rule("/page", view_func=page)
fixed.wsgi_app = ProxyFix(fixed.wsgi_app, x_for=1, x_proto=1, x_host=1, x_port=1)  # as behind other servers
