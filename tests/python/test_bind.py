"""Addresses as --bind writes them."""

import pytest

from lanner.cli.bind import parse
from lanner.errors import ConfigError
from lanner.process.address import Address


@pytest.mark.parametrize(
    ("text", "address", "shown"),
    [
        ("127.0.0.1:80", Address(host="127.0.0.1", port=80), "http://127.0.0.1:80"),
        ("shop.test", Address(host="shop.test", port=8000), "http://shop.test:8000"),
        (":80", Address(host="0.0.0.0", port=80), "http://0.0.0.0:80"),
        ("[::1]:80", Address(host="::1", port=80), "http://[::1]:80"),
        ("[::]", Address(host="::", port=8000), "http://[::]:8000"),
        ("::1", Address(host="::1", port=8000), "http://[::1]:8000"),
        ("tcp://a:0", Address(host="a", port=0), "http://a:0"),
        ("unix:/run/x", Address(path="/run/x"), "unix:/run/x"),
        ("unix:///run/x", Address(path="/run/x"), "unix:/run/x"),
        ("unix:x.sock", Address(path="x.sock"), "unix:x.sock"),
        ("fd://0", Address(fd=0), "fd://0"),
    ],
)
def test_addresses_that_work(text: str, address: Address, shown: str) -> None:
    assert parse(text) == address
    assert str(address) == shown


@pytest.mark.parametrize("text", ["a:b", "a:65536", "[::1", "[::1]80", "unix:", "fd://x", "fd://-1", "a:-1"])
def test_addresses_that_do_not(text: str) -> None:
    with pytest.raises(ConfigError, match=r"^--bind "):
        parse(text)
