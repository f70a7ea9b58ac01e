"""A small Django site in one file, as ASGI: views of both kinds, streams, uploads, files."""

import asyncio
import hashlib
import json

import django
from django.conf import settings
from django.core.asgi import get_asgi_application
from django.http import FileResponse, HttpResponse, JsonResponse, StreamingHttpResponse
from django.urls import path
from django.utils.decorators import async_only_middleware

settings.configure(
    DEBUG=False,
    SECRET_KEY="not secret",
    ALLOWED_HOSTS=["*"],
    ROOT_URLCONF=__name__,
    MIDDLEWARE=["django.middleware.common.CommonMiddleware", f"{__name__}.tagging"],
    DATA_UPLOAD_MAX_MEMORY_SIZE=100_000_000,
    USE_TZ=True,
)
django.setup()

log: list[str] = []


@async_only_middleware
def tagging(get_response):
    async def middleware(request):
        response = await get_response(request)
        response["X-Tagged"] = request.path
        return response

    return middleware


async def hello(request):
    await asyncio.sleep(0)
    return HttpResponse("hello from a coroutine", content_type="text/plain")


def hello_sync(request):
    return HttpResponse("hello from a function", content_type="text/plain")


def form(request):
    return JsonResponse({"post": request.POST.dict(), "get": request.GET.dict(), "method": request.method})


async def body(request):
    return JsonResponse({"bytes": len(request.body), "sha256": hashlib.sha256(request.body).hexdigest()})


def upload(request):
    file = request.FILES["file"]
    digest = hashlib.sha256()
    for part in file.chunks():
        digest.update(part)
    return JsonResponse({"name": file.name, "bytes": file.size, "sha256": digest.hexdigest()})


async def stream(request):
    async def rows():
        for number in range(1000):
            yield f"{number}\n"
            if number % 100 == 0:
                await asyncio.sleep(0)

    return StreamingHttpResponse(rows(), content_type="text/plain")


async def events(request):
    async def ticks():
        try:
            while True:
                yield b"data: tick\n\n"
                await asyncio.sleep(0.005)
        except asyncio.CancelledError:
            log.append("cancelled")
            raise
        finally:
            log.append("events ended")

    return StreamingHttpResponse(ticks(), content_type="text/event-stream")


async def waits(request):
    """Django cancels a view whose client has left."""
    log.append("waits")
    try:
        await asyncio.sleep(3600)
    except asyncio.CancelledError:
        log.append("cancelled")
        raise


def file(request):
    return FileResponse(open(__file__, "rb"), as_attachment=True)  # Django closes it


def meta(request):
    names = ("REMOTE_ADDR", "SERVER_NAME", "SERVER_PORT", "REQUEST_METHOD", "HTTP_X_ONE", "CONTENT_TYPE", "PATH_INFO")
    return JsonResponse({name: request.META.get(name) for name in names} | {"url": request.build_absolute_uri()})


async def take_log(request):
    taken = json.dumps(log)
    log.clear()
    return HttpResponse(taken)


async def fails(request):
    raise LookupError("raised by the view")


urlpatterns = [
    path(f"{view.__name__}/", view)
    for view in (hello, hello_sync, form, body, upload, stream, events, waits, file, meta, take_log, fails)
]
application = get_asgi_application()
