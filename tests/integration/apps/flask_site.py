"""A Flask site: forms, sessions, uploads, downloads, streams, errors."""

import os

from flask import Flask, Response, abort, jsonify, redirect, request, send_file, session, stream_with_context, url_for
from shared_content import LINES, ZIPPED, digest

app = Flask(__name__)
app.secret_key = "for tests only"


@app.get("/")
def index():
    return "index of Flask"


@app.post("/form")
def form():
    return jsonify({name: request.form.getlist(name) for name in request.form})


@app.post("/upload")
def upload():
    file = request.files["file"]
    return jsonify({"name": file.filename, "note": request.form.get("note")} | digest(file.stream.read))


@app.route("/raw", methods=["PUT", "POST"])
def raw():
    return jsonify(digest(request.stream.read))


@app.post("/json")
def json():
    return jsonify(request.get_json())


@app.get("/download")
def download():
    return send_file(os.environ["DOWNLOAD"], mimetype="application/octet-stream", as_attachment=True, conditional=True)


@app.get("/stream")
def stream():
    @stream_with_context
    def lines():
        for line in LINES:
            yield line + (request.args.get("mark", ""))

    return Response(lines(), mimetype="text/plain; charset=utf-8")


@app.get("/visits")
def visits():
    session["visits"] = session.get("visits", 0) + 1
    answer = jsonify(session["visits"])
    answer.set_cookie("theme", "d\xe4rk", path="/")
    return answer


@app.get("/zipped")
def zipped():
    return Response(ZIPPED, headers={"Content-Encoding": "gzip"}, mimetype="text/plain")


@app.get("/redirect")
def elsewhere():
    return redirect(url_for("index"))


@app.get("/error")
def error():
    raise RuntimeError("the site is broken")


@app.get("/forbidden")
def forbidden():
    abort(403)


@app.get("/stream-error")
def stream_error():
    def lines():
        yield "first"
        raise RuntimeError("the stream is broken")

    return Response(lines())


@app.get("/path/<path:rest>")
def path(rest):
    return jsonify([rest, request.script_root, request.url, request.remote_addr])


@app.errorhandler(404)
def missing(error):
    return "nothing here", 404
