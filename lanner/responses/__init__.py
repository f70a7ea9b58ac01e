"""Answers that a handler makes itself: JSON, HTML, plain text, a redirect, or any bytes.

from lanner.responses import JSONResponse

@app.get("/teapot")
def teapot() -> JSONResponse:
    return JSONResponse({"short": "stout"}, status_code=418)
"""

from lanner.native.responses import (
    HTMLResponse,
    JSONResponse,
    ORJSONResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
)

__all__ = ["HTMLResponse", "JSONResponse", "ORJSONResponse", "PlainTextResponse", "RedirectResponse", "Response"]
