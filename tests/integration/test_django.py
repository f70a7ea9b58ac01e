"""A Django site behind the server."""

import httpx
from framework_checks import FrameworkChecks

APP = "django_site:app"


class TestDjango(FrameworkChecks):
    NAME = "Django"
    CHUNKED = False  # it takes a missing Content-Length for 0

    def test_a_checked_form(self, client: httpx.Client) -> None:
        assert client.post("/checked", data={"name": "Ada"}).json() == {"name": "Ada", "note": ""}
        refused = client.post("/checked", data={"name": "x" * 21})
        assert refused.status_code == 422
        assert list(refused.json()) == ["name"]

    def test_conditional_requests(self, client: httpx.Client) -> None:
        tag = client.get("/").headers["etag"]
        unchanged = client.get("/", headers={"If-None-Match": tag})
        assert (unchanged.status_code, unchanged.content) == (304, b"")
        assert client.get("/").status_code == 200
