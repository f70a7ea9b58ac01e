"""A Django site in one file: forms, uploads, sessions by cookie, downloads, streams, errors."""

import os

import django
from django import forms
from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.core.handlers.wsgi import WSGIHandler
from django.http import FileResponse, HttpResponse, HttpResponseRedirect, JsonResponse, StreamingHttpResponse
from django.urls import path
from shared_content import LINES, ZIPPED, digest

settings.configure(
    ALLOWED_HOSTS=["*"],
    ROOT_URLCONF=__name__,
    SECRET_KEY="for tests only",
    SESSION_ENGINE="django.contrib.sessions.backends.signed_cookies",
    INSTALLED_APPS=["django.contrib.sessions"],
    MIDDLEWARE=[
        "django.middleware.security.SecurityMiddleware",
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.common.CommonMiddleware",
        "django.middleware.http.ConditionalGetMiddleware",
    ],
    LOGGING_CONFIG=None,
)
django.setup(set_prefix=False)


class NameForm(forms.Form):
    name = forms.CharField(max_length=20)
    note = forms.CharField(required=False)


def index(request):
    return HttpResponse("index of Django")


def form(request):
    return JsonResponse({name: request.POST.getlist(name) for name in request.POST})


def checked(request):
    """A form with rules."""
    found = NameForm(request.POST)
    if found.is_valid():
        return JsonResponse(found.cleaned_data)
    return JsonResponse(found.errors, status=422)


def upload(request):
    file = request.FILES["file"]
    return JsonResponse({"name": file.name, "note": request.POST.get("note")} | digest(file.read))


def raw(request):
    return JsonResponse(digest(request.read))


def json(request):
    from json import loads

    return JsonResponse(loads(request.body), safe=False)


def download(request):
    return FileResponse(open(os.environ["DOWNLOAD"], "rb"), as_attachment=True)


def stream(request):
    mark = request.GET.get("mark", "")
    return StreamingHttpResponse((line + mark for line in LINES), content_type="text/plain; charset=utf-8")


def visits(request):
    request.session["visits"] = request.session.get("visits", 0) + 1
    answer = JsonResponse(request.session["visits"], safe=False)
    answer.set_cookie("theme", "dark")
    return answer


def zipped(request):
    return HttpResponse(ZIPPED, headers={"Content-Encoding": "gzip"}, content_type="text/plain")


def elsewhere(request):
    return HttpResponseRedirect("/")


def error(request):
    raise RuntimeError("the site is broken")


def forbidden(request):
    raise PermissionDenied


def stream_error(request):
    def lines():
        yield "first"
        raise RuntimeError("the stream is broken")

    return StreamingHttpResponse(lines())


def rest(request, rest):
    found = [rest, request.META["SCRIPT_NAME"], request.build_absolute_uri(), request.META["REMOTE_ADDR"]]
    return JsonResponse(found, safe=False)


urlpatterns = [
    path("", index),
    path("form", form),
    path("checked", checked),
    path("upload", upload),
    path("raw", raw),
    path("json", json),
    path("download", download),
    path("stream", stream),
    path("visits", visits),
    path("zipped", zipped),
    path("redirect", elsewhere),
    path("error", error),
    path("forbidden", forbidden),
    path("stream-error", stream_error),
    path("path/<path:rest>", rest),
]

app = WSGIHandler()
