"""Converts the text of a flag or variable to a value: each function raises ValueError with the reason."""

from collections.abc import Callable

SIZES = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
YES = ("1", "true", "yes", "on")
NO = ("0", "false", "no", "off", "")
LARGEST = (1 << 63) - 1
INT_MAX = (1 << 31) - 1


def text(word: str) -> str:
    if "\0" in word:
        raise ValueError("has a NUL byte in it")
    return word


def path(word: str) -> str:
    """A path. An empty one, perhaps from an unset variable, is refused."""
    if not word:
        raise ValueError("is empty; write a path")
    return text(word)


def host(word: str) -> str:
    """An address or a name. An empty one, perhaps from an unset variable, must not mean all addresses."""
    if not word.strip():
        raise ValueError("is empty; write 127.0.0.1, or 0.0.0.0 for all addresses")
    return text(word)


def words(text: str) -> tuple[str, ...]:
    """A comma separated list, as gunicorn's --bind."""
    found = tuple(word.strip() for word in text.split(",") if word.strip())
    if not found:
        raise ValueError("is empty; write HOST:PORT, unix:PATH or fd://N")
    return found


def number(word: str) -> int:
    """A whole number >= 0. Example: `number("8000")` is 8000."""
    if word.startswith("-") and word[1:].isdigit():
        raise ValueError(f"{word} is negative")
    if not (word.isascii() and word.isdigit() and len(word) < 20):
        raise ValueError(f"{word!r} is not a whole number")
    return int(word)


def positive(word: str) -> int:
    value = number(word)
    if value < 1:
        raise ValueError(f"{word} is too small; 1 is the least")
    return value


def port(word: str) -> int:
    value = number(word)
    if value > 65535:
        raise ValueError(f"{word} is not a port; 65535 is the largest, 0 takes a free one")
    return value


def descriptor(word: str) -> int:
    value = number(word)
    if value > INT_MAX:
        raise ValueError(f"{word} is too large for a descriptor")
    return value


def mode(word: str) -> int:
    """File permissions in octal. Example: `mode("0660")` is 0o660."""
    digits = word.lower().removeprefix("0o")
    if not digits or set(digits) - set("01234567") or int(digits, 8) > 0o777:
        raise ValueError(f"{word!r} is not a mode; write it in octal, for example 660")
    return int(digits, 8)


def flag(word: str) -> bool:
    """Example: `flag("on")` is True; LANNER_ACCESS_LOG=1 is read with it."""
    if word.lower() in YES:
        return True
    if word.lower() in NO:
        return False
    raise ValueError(f"{word!r} is neither yes nor no; write 1 or 0")


def size(word: str) -> int:
    """Bytes, with k, m or g. Example: `size("64k")` is 65536."""
    lower = word.lower().removesuffix("ib").removesuffix("b")
    unit = lower[-1:] if lower[-1:] in SIZES else ""
    digits = lower.removesuffix(unit)
    if not (digits.isascii() and digits.isdigit()) or len(digits) > 18:
        raise ValueError(f"{word!r} is not a size; write bytes, or 64k, 8m, 1g")
    return checked(int(digits) * SIZES[unit], word)


def milliseconds(word: str) -> int:
    """Seconds (decimals allowed), or with ms, s, m, h, d as granian, in ms. Example: `milliseconds("1m30s")`."""
    if not word.isascii():
        raise ValueError(f"{word!r} is not a time; write seconds, for example 30 or 2.5")
    total, rest = 0.0, word.lower()
    while rest:
        digits = rest[: len(rest) - len(rest.lstrip("0123456789."))]
        rest = rest[len(digits) :]
        unit = rest[: len(rest) - len(rest.lstrip("abcdefghijklmnopqrstuvwxyz"))]
        rest = rest[len(unit) :]
        try:
            total += float(digits) * UNITS[unit or "s"]
        except (KeyError, ValueError):
            raise ValueError(f"{word!r} is not a time; write seconds, for example 30 or 2.5") from None
    if not word:
        raise ValueError("is empty; write seconds, for example 30 or 2.5")
    value = checked(round(total * 1000), word)
    return max(value, 1) if total > 0 else 0  # 0 means "no limit", and 0.0001 s does not


def checked(value: int, word: str) -> int:
    if value > LARGEST:
        raise ValueError(f"{word} is too large")
    return value


def one_of(*choices: str, **synonyms: str) -> Callable[[str], str]:
    """A choice by name, in any case. Example: `one_of("info", "debug", trace="debug")("TRACE")` is "debug"."""

    def choice(word: str) -> str:
        name = synonyms.get(word.lower(), word.lower())
        if name not in choices:
            raise ValueError(f"{word!r} is not one of {', '.join(choices)}")
        return name

    return choice
