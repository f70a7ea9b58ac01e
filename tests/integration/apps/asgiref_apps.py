"""Applications of other conventions, wrapped by asgiref."""

import asyncio

from asgiref.compatibility import guarantee_single_callable
from asgiref.sync import async_to_sync, sync_to_async
from asgiref.wsgi import WsgiToAsgi


class Version2:
    """ASGI 2: called with the scope, then with receive and send."""

    def __init__(self, scope):
        self.scope = scope

    async def __call__(self, receive, send):
        body = b""
        while True:
            message = await receive()
            body += message["body"]
            if not message["more_body"]:
                break
        await send({"type": "http.response.start", "status": 200})
        await send({"type": "http.response.body", "body": self.scope["path"].encode() + b" " + body})


version2 = guarantee_single_callable(Version2)


def wsgi_application(environ, start_response):
    body = environ["wsgi.input"].read()
    start_response("201 Created", [("X-Path", environ["PATH_INFO"])])
    yield b"wsgi "
    yield body


wsgi = WsgiToAsgi(wsgi_application)


async def bridges(scope, receive, send):
    """From coroutines to functions and back, several times."""

    @sync_to_async
    def outer(number):
        return async_to_sync(inner)(number) + 1

    async def inner(number):
        await asyncio.sleep(0)
        return number * 2

    found = await asyncio.gather(*(outer(number) for number in range(10)))
    await send({"type": "http.response.start", "status": 200})
    await send({"type": "http.response.body", "body": repr(found).encode()})
