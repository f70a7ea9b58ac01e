"""Documents for bench/json_table.py, made by a seeded generator: the same on every machine and in every run."""

import random
from collections.abc import Callable
from typing import Any

WORDS = [
    *("falcon", "over", "the", "river", "by", "night", "with", "wings", "of", "light", "and", "a", "voice", "like"),
    *("rain", "on", "stone", "while", "cities", "sleep", "under", "old", "bridges", "where", "rooks", "gather", "to"),
    *("count", "the", "hours", "until", "morning", "comes", "again"),
]
CJK = (
    "\u9df9\u98de\u8fc7\u6cb3\u6d41\u7684\u591c\u665a\u7fc5\u8180\u5982\u5149\u58f0\u97f3\u50cf\u96e8"
    "\u6ef4\u5728\u77f3\u4e0a\u57ce\u5e02\u7761\u7740\u53e4\u8001\u6865\u4e0b"
)
LATIN = ["Gr\xfc\xdfe", "aus", "K\xf6ln,", "\xe0", "bient\xf4t,", "ma\xf1ana", "ser\xe1", "otro", "d\xeda"]

Record = Callable[[random.Random, int], Any]


def words(chosen: random.Random, low: int, high: int) -> str:
    return " ".join(chosen.choices(WORDS, k=chosen.randint(low, high)))


def card(chosen: random.Random, number: int) -> dict[str, Any]:
    """A row of a database: nine short strings, some null, a dash here and there."""
    return {
        "name": words(chosen, 1, 4).title(),
        "set_code": f"{chosen.randrange(4096):03x}",
        "collector_number": str(number),
        "power": str(chosen.randint(0, 9)) if number % 2 else None,
        "toughness": str(chosen.randint(1, 9)) if number % 2 else None,
        "mana_cost": "".join(f"{{{chosen.choice('WUBRG123X')}}}" for _ in range(chosen.randint(1, 5))),
        "oracle_text": words(chosen, 8, 50),
        "set_name": words(chosen, 3, 3).title(),
        "type_line": chosen.choice(["Creature \u2014 Bird", "Instant", "Artifact", "Sorcery"]),
    }


def tweet(chosen: random.Random, number: int) -> dict[str, Any]:
    """Nested objects of many keys, ids over 2^53, URLs, text in several scripts."""
    text = words(chosen, 5, 20)
    if number % 3 == 0:
        text += " " + "".join(chosen.choices(CJK, k=30)) + " \U0001f985"
    user = {
        "id": chosen.randrange(2**33),
        "name": words(chosen, 1, 2).title(),
        "screen_name": words(chosen, 1, 1) + str(chosen.randrange(1000)),
        "location": chosen.choice(["", "K\xf6ln", "\u6771\u4eac", "Lisboa"]),
        "followers_count": chosen.randrange(100_000),
        "verified": chosen.random() < 0.1,
        "profile_image_url": f"https://pbs.example.org/images/{chosen.randrange(2**40)}_normal.jpeg",
        "default_profile": True,
        "utc_offset": None,
    }
    entities = {
        "hashtags": [{"text": words(chosen, 1, 1), "indices": [3, 9]} for _ in range(chosen.randrange(3))],
        "urls": [{"url": "https://t.example/x", "expanded_url": f"http://example.org/{chosen.randrange(10**6)}"}],
        "user_mentions": [],
    }
    return {
        "created_at": "Sun Aug 31 00:29:15 +0000 2014",
        "id": 505_000_000_000_000_000 + chosen.randrange(10**15),
        "text": text,
        "source": '<a href="https://example.org/app" rel="nofollow">web</a>',
        "truncated": False,
        "user": user,
        "entities": entities,
        "retweet_count": chosen.randrange(1000),
        "favorited": False,
        "lang": chosen.choice(["en", "ja", "de"]),
    }


def numbers(chosen: random.Random, number: int) -> list[Any]:
    """Coordinates, short decimals, and integers of every length."""
    return [
        [chosen.uniform(-180, 180), chosen.uniform(-90, 90)],
        round(chosen.uniform(0, 1000), 2),
        chosen.random() * 10 ** chosen.randint(-20, 20),
        chosen.randrange(-100, 100),
        chosen.randrange(10 ** chosen.randint(1, 18)),
        number,
    ]


def escapes(chosen: random.Random, number: int) -> dict[str, Any]:
    """Source code and paths: quotes, backslashes, newlines."""
    lines = [f'    print("{words(chosen, 2, 5)}\\n")\t# {number}' for _ in range(chosen.randint(2, 8))]
    return {"path": "C:\\Users\\falcon\\" + words(chosen, 1, 1), "code": "\n".join(lines), "line": number}


def cjk(chosen: random.Random, number: int) -> dict[str, Any]:
    """Chinese text under ASCII keys."""
    return {"id": number, "title": "".join(chosen.choices(CJK, k=12)), "body": "".join(chosen.choices(CJK, k=200))}


def latin(chosen: random.Random, number: int) -> dict[str, Any]:
    """European text: an accent in most words."""
    return {"id": number, "text": " ".join(chosen.choices(LATIN, k=chosen.randint(5, 40)))}


KINDS: dict[str, Record] = {
    "cards": card,
    "twitter": tweet,
    "numbers": numbers,
    "escapes": escapes,
    "cjk": cjk,
    "latin": latin,
}


MADE_MAX = 1 << 20  # larger documents repeat their records: made in no time, and too large for any cache all the same


def make(kind: str, size: int, dumps: Callable[[Any], bytes], seed: int = 7) -> list[Any]:
    """Records of this kind until dumps(records) has about `size` bytes."""
    chosen = random.Random(f"{kind} {seed}")
    records: list[Any] = []
    total = 0
    while total < min(size, MADE_MAX):
        records.append(KINDS[kind](chosen, len(records)))
        total += len(dumps(records[-1])) + 1
    return records * max(1, round(size / total))
