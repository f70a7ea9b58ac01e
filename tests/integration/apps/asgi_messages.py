"""Scopes as they come, and send() in every order: POST /play sends the messages that its body lists."""

import ast

from asgi_dispatch import answer, arguments, note, read, router

kept = []


async def scope(scope, receive, send):
    """What the server gave, as a Python literal."""
    await answer(send, repr(scope))


async def keep(scope, receive, send):
    """Holds on to the scope after the request."""
    kept.append(scope)
    await answer(send, b"kept")


async def kept_scopes(scope, receive, send):
    await answer(send, repr(kept))


async def spoil(scope, receive, send):
    """Changes all that can be changed in a scope."""
    for value in list(scope.values()):
        if isinstance(value, dict):
            value["spoilt"] = {}
            for inner in value.values():
                if isinstance(inner, dict):
                    inner["spoilt"] = True
        elif isinstance(value, list):
            value.append((b"spoilt", b""))
    scope["spoilt"] = True
    await answer(send, b"spoilt")


async def play(scope, receive, send):
    """Notes the number of each message that was sent, or how send() failed; then raises that (&then=go on: goes on)."""
    for number, message in enumerate(ast.literal_eval((await read(receive)).decode())):
        try:
            await send(message)
            note(scope, number)
        except BaseException as error:
            kinds = [kind.__name__ for kind in type(error).__mro__]
            note(scope, [number, kinds, str(error)])
            if "then" not in arguments(scope):
                raise


app = router(globals(), otherwise=scope)
