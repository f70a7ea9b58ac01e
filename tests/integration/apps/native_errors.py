"""A native application with exception handlers for everything."""

from lanner import App, HTTPException, Request, RequestValidationError
from lanner.responses import JSONResponse

app = App(slashes="strict")


@app.exception_handler(404)
def missing(request: Request, error: HTTPException) -> JSONResponse:
    return JSONResponse({"missing": request.url.path}, status_code=404)


@app.exception_handler(HTTPException)
async def http(request: Request, error: HTTPException) -> JSONResponse:
    return JSONResponse({"status": error.status_code, "why": error.detail}, error.status_code, error.headers)


@app.exception_handler(RequestValidationError)
def invalid(request: Request, error: RequestValidationError) -> JSONResponse:
    return JSONResponse({"errors": len(error.errors()), "body": (error.body or b"").decode()}, status_code=400)


@app.exception_handler(LookupError)
def lookup(request: Request, error: LookupError) -> JSONResponse:
    return JSONResponse({"lookup": type(error).__name__}, status_code=410)


@app.exception_handler(Exception)
def any_other(request: Request, error: Exception) -> JSONResponse:
    return JSONResponse({"failed": type(error).__name__}, status_code=500)


@app.get("/number")
def number(value: int) -> int:
    return value


@app.post("/numbers")
def numbers(values: dict[str, int]) -> int:
    return sum(values.values())


@app.get("/lookup")
def look() -> None:
    raise KeyError("x")


@app.get("/http/{status:int}")
async def raises(status: int) -> None:
    raise HTTPException(status)


@app.get("/other")
def other() -> None:
    raise OSError("disk")


@app.exception_handler(TimeoutError)
def broken(request: Request, error: TimeoutError) -> JSONResponse:
    raise RuntimeError("the exception handler is broken")


@app.get("/broken")
def late() -> None:
    raise TimeoutError
