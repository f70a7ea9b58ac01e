"""100 invented playing cards, the same ones every time: the data of a read-heavy search API."""

import random
from typing import TypedDict

SEED = 20
# fmt: off
SYLLABLES = (
    "ar", "bel", "cor", "dra", "el", "fen", "gor", "hal", "ith", "jor", "kel", "lum", "mor", "nar", "oth",
    "pyr", "quel", "rin", "sol", "tar", "ul", "ven", "wyr", "yth", "zan",
)
NOUNS = (
    "blade", "crown", "drake", "ember", "forge", "ghost", "herald", "knight", "oracle", "sage", "spire",
    "tide", "thorn", "warden", "wolf",
)
# fmt: on
TYPES = ("Instant", "Sorcery", "Artifact", "Enchantment", "Creature \u2014 Wizard", "Legendary Creature \u2014 Dragon")
RULES = (
    "Draw {n} cards, then discard a card.",
    "{name} deals {n} damage to any target.",
    "Flying. Whenever {name} attacks, you gain {n} life.",
    "Counter target spell unless its controller pays {{{n}}}.",
    "Return target card from your graveyard to your hand.",
    "Search your library for a basic land card, put it onto the battlefield tapped, then shuffle.",
    "Creatures you control get +{n}/+{n} until end of turn.",
)


class Card(TypedDict):
    """One card as /search returns it. Example: `make_cards(1)[0]["name"]`."""

    name: str
    set_code: str
    collector_number: str
    power: str | None
    toughness: str | None
    mana_cost: str | None
    oracle_text: str | None
    set_name: str
    type_line: str


def make_cards(count: int = 100) -> list[Card]:
    """The first `count` cards. Example: `make_cards() == make_cards()` is True."""
    dice = random.Random(SEED)
    sets = [(word(dice), word(dice)) for _ in range(8)]
    return [make_card(dice, number, *dice.choice(sets)) for number in range(1, count + 1)]


def make_card(dice: random.Random, number: int, *set_words: str) -> Card:
    name = f"{word(dice)} {dice.choice(NOUNS).title()}"
    if number % 17 == 0:
        name = "\u00c6ther " + name  # a card game is never ASCII only
    kind = dice.choice(TYPES)
    creature = "Creature" in kind
    rules = " ".join(dice.sample(RULES, dice.randint(1, 3))).format(name=name, n=dice.randint(1, 5))
    colours = "".join(sorted(dice.choices("WUBRG", k=dice.randint(1, 3))))
    return Card(
        name=name,
        set_code="".join(part[:2] for part in set_words).lower()[:3],
        collector_number=str(number),
        power=str(dice.randint(0, 9)) if creature else None,
        toughness=str(dice.randint(1, 9)) if creature else None,
        mana_cost=f"{{{dice.randint(1, 6)}}}" + "".join(f"{{{colour}}}" for colour in colours),
        oracle_text=None if creature and number % 10 == 0 else rules,
        set_name=" ".join(set_words),
        type_line=kind,
    )


def word(dice: random.Random) -> str:
    return "".join(dice.choices(SYLLABLES, k=dice.randint(2, 3))).title()
