"""Shelf: the cards in memory. It knows nothing of HTTP."""

from card_models import Card, Search

CARDS_MAX = 10_000
ORDERS = {
    "name": lambda card: card.name,
    "set": lambda card: (card.set_code, int(card.collector_number)),
}


class CardExists(Exception):
    """A set has one card of each number."""


class ShelfFull(Exception):
    """CARDS_MAX cards are there."""


class Shelf:
    """Cards by set and number. Example: `shelf.get("abc", "7")`."""

    def __init__(self, cards: list[Card]) -> None:
        self.cards = cards
        self.by_number = {(card.set_code, card.collector_number): card for card in cards}

    def get(self, set_code: str, number: str) -> Card | None:
        return self.by_number.get((set_code, number))

    def add(self, card: Card) -> None:
        """Raises CardExists, ShelfFull."""
        key = (card.set_code, card.collector_number)
        if key in self.by_number:
            raise CardExists(f"{card.set_code} has a card {card.collector_number} already")
        if len(self.cards) >= CARDS_MAX:
            raise ShelfFull(f"there are {CARDS_MAX} cards, which is enough")
        self.cards.append(card)
        self.by_number[key] = card

    def find(self, search: Search) -> list[Card]:
        """All cards that fit, in the order that the search asks for."""
        found = self.cards
        if search.set_code:
            found = [card for card in found if card.set_code == search.set_code]
        if search.q:
            words = search.q.casefold()
            found = [card for card in found if words in f"{card.name}\n{card.oracle_text or ''}".casefold()]
        if search.type:
            kind = search.type.casefold()
            found = [card for card in found if kind in card.type_line.casefold()]
        if search.color:
            found = [card for card in found if all(f"{{{color}}}" in (card.mana_cost or "") for color in search.color)]
        return sorted(found, key=ORDERS[search.sort]) if search.sort in ORDERS else found
