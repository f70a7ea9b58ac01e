"""A Falcon site: media, forms, uploads, downloads, streams, errors."""

import os

import falcon
from shared_content import LINES, ZIPPED, digest


class Index:
    def on_get(self, request, response):
        response.text = "index of Falcon"


class Form:
    def on_post(self, request, response):
        media = request.get_media()
        response.media = {name: value if isinstance(value, list) else [value] for name, value in media.items()}


class Upload:
    def on_post(self, request, response):
        found = {"note": None}
        for part in request.get_media():
            if part.name == "file":
                found |= {"name": part.filename} | digest(part.stream.read)
            else:
                found[part.name] = part.text
        response.media = found


class Raw:
    def on_put(self, request, response):
        response.media = digest(request.stream.read)

    on_post = on_put


class Json:
    def on_post(self, request, response):
        response.media = request.get_media()


class Download:
    def on_get(self, request, response):
        path = os.environ["DOWNLOAD"]
        response.content_type = "application/octet-stream"
        response.set_stream(open(path, "rb"), os.path.getsize(path))  # noqa: SIM115  the server closes it


class Stream:
    def on_get(self, request, response):
        mark = request.get_param("mark", default="")
        response.content_type = "text/plain; charset=utf-8"
        response.stream = ((line + mark).encode() for line in LINES)


class Visits:
    def on_get(self, request, response):
        count = int(request.cookies.get("visits", "0")) + 1
        response.set_cookie("visits", str(count), secure=False)
        response.set_cookie("theme", "dark", secure=False)
        response.media = count


class Zipped:
    def on_get(self, request, response):
        response.content_type = "text/plain"
        response.set_header("Content-Encoding", "gzip")
        response.data = ZIPPED


class Elsewhere:
    def on_get(self, request, response):
        raise falcon.HTTPFound("/")


class Error:
    def on_get(self, request, response):
        raise RuntimeError("the site is broken")


class Forbidden:
    def on_get(self, request, response):
        raise falcon.HTTPForbidden(title="not for you")


class StreamError:
    def on_get(self, request, response):
        def lines():
            yield b"first"
            raise RuntimeError("the stream is broken")

        response.stream = lines()


class Rest:
    def on_get(self, request, response, rest):
        response.media = [rest, request.root_path, request.uri, request.remote_addr]


app = falcon.App()
app.add_route("/", Index())
app.add_route("/form", Form())
app.add_route("/upload", Upload())
app.add_route("/raw", Raw())
app.add_route("/json", Json())
app.add_route("/download", Download())
app.add_route("/stream", Stream())
app.add_route("/visits", Visits())
app.add_route("/zipped", Zipped())
app.add_route("/redirect", Elsewhere())
app.add_route("/error", Error())
app.add_route("/forbidden", Forbidden())
app.add_route("/stream-error", StreamError())
app.add_route("/path/{rest:path}", Rest())
app.req_options.strip_url_path_trailing_slash = False
