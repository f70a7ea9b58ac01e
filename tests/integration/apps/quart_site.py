"""A small site in Quart."""

import asyncio
import hashlib

from quart import Quart, Response, jsonify, request, send_file, stream_with_context

app = Quart(__name__)
app.config["MAX_CONTENT_LENGTH"] = 100_000_000
log: list[str] = []
started: list[str] = []


@app.before_serving
async def start():
    started.append("world")


@app.get("/")
async def root():
    return jsonify(hello=started[0])


@app.get("/sync")
def sync():
    return "sync"


@app.post("/form")
async def form():
    return jsonify((await request.form).to_dict())


@app.post("/json")
async def json():
    return jsonify(got=await request.get_json())


@app.post("/digest")
async def digest():
    count, found = 0, hashlib.sha256()
    async for part in request.body:
        count += len(part)
        found.update(part)
    return jsonify(bytes=count, sha256=found.hexdigest())


@app.post("/upload")
async def upload():
    file = (await request.files)["file"]
    return jsonify(name=file.filename, bytes=len(file.read()))


@app.get("/stream")
async def stream():
    @stream_with_context
    async def rows():
        for number in range(100):
            yield f"{request.path} {number}\n".encode()
            await asyncio.sleep(0)

    return Response(rows(), mimetype="text/plain")


@app.get("/events")
async def events():
    async def ticks():
        try:
            while True:
                yield b"data: tick\n\n"
                await asyncio.sleep(0.005)
        finally:
            log.append("events ended")

    response = Response(ticks(), mimetype="text/event-stream")
    response.timeout = None
    return response


@app.get("/file")
async def file():
    return await send_file(__file__, conditional=True)


@app.get("/background")
async def background():
    async def later():
        await asyncio.sleep(0.01)
        log.append("later")

    app.add_background_task(later)
    return "answered"


@app.get("/log")
async def take_log():
    taken = list(log)
    log.clear()
    return jsonify(taken)


@app.get("/fails")
async def fails():
    raise LookupError("raised by the view")
