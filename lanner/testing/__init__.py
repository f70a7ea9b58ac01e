"""Clients for tests: requests to an application in this process, without sockets, by httpx's interface.

from lanner.testing import TestClient

def test_hello():
    client = TestClient(app)
    assert client.get("/").text == "Hello, World!"
"""

from lanner.testing.client import AsyncTestClient, TestClient

__all__ = ["AsyncTestClient", "TestClient"]
