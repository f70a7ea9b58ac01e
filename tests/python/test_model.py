"""lanner.Model: records with slots, made by keywords: what a value can do, and what it refuses."""

from __future__ import annotations

import copy
import dataclasses
import gc
import inspect
import pickle
import weakref
from collections.abc import Callable
from typing import Annotated, Any, ClassVar, Generic, NamedTuple, TypeVar

import pydantic
import pytest

import lanner
from lanner import json
from lanner.schema import Schema, ValidationError

T = TypeVar("T")


class Card(lanner.Model):
    name: str
    cost: int = 0
    tags: list[str] = []  # noqa: RUF012  # copied for each value
    kind: ClassVar[str] = "card"


class Frozen(lanner.Model, frozen=True):
    x: int
    y: tuple[int, ...] = ()


class Range(lanner.Model):
    low: int
    high: int = dataclasses.field(default_factory=lambda: 9)

    def __post_init__(self) -> None:
        if self.low > self.high:
            raise ValueError("low is above high")


class Rare(Card):
    rarity: str = "mythic"


class Page(lanner.Model, Generic[T]):
    items: list[T]
    total: int = 0


class Own(lanner.Model):
    x: int

    def __init__(self, text: str) -> None:
        super().__init__(x=int(text))


class Anything(lanner.Model):
    value: Any = None
    next: Any = None


def test_fields_are_given_by_name_in_any_order() -> None:
    card = Card(cost=2, name="Opt")
    assert (card.name, card.cost, card.tags) == ("Opt", 2, [])
    assert Card(**{"".join(["na", "me"]): "Opt"}) == Card(name="Opt")  # a name that is not interned
    assert Card.kind == "card"


def test_each_value_gets_its_own_list() -> None:
    one, other = Card(name="a"), Card(name="a")
    one.tags.append("x")
    assert other.tags == []


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Card(), r"^Card\(\) needs name=$"),
        (lambda: Card(cost=1, colour=2), r"^Card\(\) needs name=$"),
        (lambda: Card(name="a", colour=1, size=2), r"^Card\(\) has no field 'colour', 'size'$"),
        (lambda: Card("a"), r"^Card\(\) takes its fields by name"),
        (lambda: Rare(cost=1), r"^Rare\(\) needs name=$"),
        (lambda: Card.__new__(Card).__init__(nme=1), r"^Card\(\) needs name=$"),  # type: ignore[misc]
        (lambda: lanner.Model(x=1), r"^Model\(\) has no field 'x'$"),
    ],
)
def test_what_is_missing_or_unknown_is_named(make: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        make()


def test_a_subclass_has_the_fields_of_its_base_first() -> None:
    card = Rare(name="a")
    assert repr(card) == "Rare(name='a', cost=0, tags=[], rarity='mythic')"
    assert card != Card(name="a")
    assert Card(name="a") != 1


def test_post_init_runs_when_all_fields_have_a_value() -> None:
    assert Range(low=1) == Range(low=1, high=9)
    with pytest.raises(ValueError, match="above"):
        Range(low=10)


def test_a_class_may_have_its_own_init() -> None:
    assert Own("12").x == 12
    assert pickle.loads(pickle.dumps(Own("12"))) == Own("12")

    class Later(lanner.Model):
        x: int

    Later.__init__ = lambda self, y: lanner.Model.__init__(self, x=y + 1)  # type: ignore[method-assign, misc]
    assert Later(1).x == 2  # type: ignore[misc, call-arg]


def test_equality_is_that_of_the_values() -> None:
    assert Card(name="a") == Card(name="a")
    assert Card(name="a") != Card(name="b")
    nan = float("nan")
    assert Anything(value=nan) == Anything(value=nan)  # as in a tuple
    assert Card(name="a") != Rare(name="a")
    with pytest.raises(TypeError):
        Card(name="a") < Card(name="b")  # type: ignore[operator]  # noqa: B015

    class Rude:
        def __eq__(self, other: object) -> bool:
            raise KeyError("mine")

        __hash__ = None  # type: ignore[assignment]

    with pytest.raises(KeyError):
        Anything(value=Rude()) == Anything(value=Rude())  # noqa: B015


def test_a_value_may_drop_its_fields_while_it_is_compared() -> None:
    class Thief:
        def __eq__(self, other: object) -> bool:
            left.value = right.value = None
            gc.collect()
            return True

        __hash__ = None  # type: ignore[assignment]

    left, right = Anything(value=Thief(), next=[1]), Anything(value=Thief(), next=[1])
    assert left == right


def test_only_frozen_values_have_a_hash() -> None:
    assert len({Frozen(x=1), Frozen(x=1), Frozen(x=2)}) == 2
    with pytest.raises(TypeError, match=r"Card can change.*frozen=True"):
        hash(Card(name="a"))


def test_a_frozen_value_does_not_change() -> None:
    value = Frozen(x=1)
    with pytest.raises(AttributeError, match="Frozen is frozen: x cannot be set"):
        value.x = 2
    with pytest.raises(AttributeError, match="x cannot be deleted"):
        del value.x

    class Thawed(Frozen, frozen=False):
        pass

    thawed = Thawed(x=1)
    thawed.x = 2
    assert thawed.x == 2


def test_a_frozen_class_may_set_fields_in_post_init() -> None:
    class Doubled(lanner.Model, frozen=True):
        x: int
        twice: int = 0

        def __post_init__(self) -> None:
            object.__setattr__(self, "twice", 2 * self.x)

    assert Doubled(x=2).twice == 4


def test_there_are_only_the_fields() -> None:
    card = Card(name="a")
    assert not hasattr(card, "__dict__")
    with pytest.raises(AttributeError):
        card.colour = 1  # type: ignore[attr-defined]


def test_repr_shows_a_circle_once_and_no_empty_slots() -> None:
    value = Anything(value=1)
    value.next = value
    assert repr(value) == "Anything(value=1, next=Anything(...))"
    assert repr(Card.__new__(Card)) == "Card()"


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickles_hold_what_has_a_value(protocol: int) -> None:
    for value in (Rare(name="a", tags=["x"]), Frozen(x=1), Range(low=3)):
        again = pickle.loads(pickle.dumps(value, protocol))
        assert again == value
        assert type(again) is type(value)
    half = Card(name="a")
    del half.cost
    assert repr(pickle.loads(pickle.dumps(half, protocol))) == "Card(name='a', tags=[])"


def test_copies_share_values_and_deep_copies_do_not() -> None:
    card = Card(name="a", tags=["x"])
    assert copy.copy(card) == copy.deepcopy(card) == card
    assert copy.copy(card).tags is card.tags
    assert copy.deepcopy(card).tags is not card.tags


def test_replace_makes_a_value_anew() -> None:
    assert Card(name="a", cost=3).__replace__(name="b") == Card(name="b", cost=3)
    with pytest.raises(TypeError, match="no field 'nme'"):
        Card(name="a").__replace__(nme="b")
    with pytest.raises(ValueError, match="above"):
        Range(low=1).__replace__(low=10)


def test_patterns_match_by_place_and_name() -> None:
    match Card(name="a", cost=2):
        case Card("a", cost=cost):
            assert cost == 2
        case _:
            pytest.fail("no match")


def test_the_signature_says_what_is_needed() -> None:
    assert str(inspect.signature(Card)) == "(*, name: str, cost: int = 0, tags: list[str] = Ellipsis)"
    assert list(inspect.signature(Page).parameters) == ["items", "total"]


def test_models_have_a_form_in_json_without_a_schema() -> None:
    class Point(lanner.Model, rename="camel"):
        x_axis: int
        inner: Any = None

    assert json.dumpb([Point(x_axis=1, inner=Card(name="a"))]) == (
        b'[{"xAxis":1,"inner":{"name":"a","cost":0,"tags":[]}}]'
    )
    # As of dataclasses: only the keys of dicts are sorted.
    assert json.dumps(Point(x_axis=1), sort_keys=True) == '{"xAxis":1,"inner":null}'
    assert Schema(Any).encode({"point": Point(x_axis=1)}) == b'{"point":{"xAxis":1,"inner":null}}'
    with pytest.raises(json.JSONEncodeError, match="ModelMeta"):
        json.dumpb(Card)


def test_generic_models_are_types() -> None:
    assert Page[int](items=[1]).items == [1]
    assert Schema(Page[int]).decode(b'{"items":[1]}') == Page(items=[1])
    with pytest.raises(ValidationError):
        Schema(Page[int]).decode(b'{"items":["a"]}')


def test_class_arguments_are_checked() -> None:
    with pytest.raises(ValueError, match="rename='snake': there are camel"):
        type("X", (lanner.Model,), {}, rename="snake")  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="colour"):
        type("X", (lanner.Model,), {}, colour="red")  # type: ignore[call-overload]


def test_a_field_may_not_be_a_property_of_a_base() -> None:
    class Base(lanner.Model):
        @property
        def size(self) -> int:
            return 1

    class Mixed(Base):
        size: int  # type: ignore[assignment]

    assert Mixed(size=2).size == 2


def test_a_mixin_with_a_dict_keeps_its_dict() -> None:
    class Mixin:
        def note(self) -> None:
            self.noted = True

    class Mixed(Card, Mixin):
        more: int = 1

    value = Mixed(name="a")
    value.note()
    assert value.noted
    alive = weakref.ref(value)
    del value
    assert alive() is None


def test_an_object_of_no_model_cannot_be_made() -> None:
    base = lanner.Model.__mro__[1]
    with pytest.raises(TypeError, match=r"derive from lanner\.Model"):
        base()
    with pytest.raises(TypeError, match=r"derive from lanner\.Model"):
        type("X", (base,), {})()


def test_a_finalizer_runs() -> None:
    gone: list[int] = []

    class Noisy(lanner.Model):
        x: int

        def __del__(self) -> None:
            gone.append(self.x)

    Noisy(x=8)
    assert gone == [8]


def test_a_long_chain_is_freed_without_recursion() -> None:
    chain = None
    for _ in range(200_000):
        chain = Anything(next=chain)
    del chain


def test_circles_and_classes_are_collected(blocks_left_by: Callable[[Callable[[], object], int], int]) -> None:
    def run() -> None:
        class Local(lanner.Model, frozen=True):
            x: Any
            y: list[int] = dataclasses.field(default_factory=list)

        value = Local(x=[])
        value.x.append(value)
        for bad in ({}, {"x": 1, "z": 2}):
            with pytest.raises(TypeError):
                Local(**bad)
        copy.copy(value).__replace__(y=[1])
        repr(value)
        hash(Local(x=1, y=()))

    assert blocks_left_by(run, 100) < 500  # a class has more than ten blocks


class Noted:
    __slots__ = ("note",)


def test_slots_of_a_mixin_live_as_long_as_the_value_and_are_copied() -> None:
    class Mixed(lanner.Model, Noted):
        x: int

    global MixedHere
    MixedHere = Mixed
    Mixed.__qualname__ = "MixedHere"
    value = Mixed(x=1)
    value.note = note = Anything()
    assert gc.get_referrers(note)
    for twin in (copy.copy(value), pickle.loads(pickle.dumps(value)), copy.deepcopy(value)):
        assert (twin, twin.note) == (value, note)
    gone = Watched()
    value.note = gone
    alive = weakref.ref(gone)
    del value, gone
    assert alive() is None


class Watched:
    pass


def test_slots_in_the_body_are_kept_beside_the_fields() -> None:
    class Slotted(lanner.Model):
        x: int
        __slots__ = ("__weakref__", "cache", "x")

    value = Slotted(x=1)
    value.cache = watched = Watched()
    alive, gone = weakref.ref(value), weakref.ref(watched)
    assert repr(value) == f"{Slotted.__name__}(x=1)"
    assert (value, copy.copy(value).cache) == (Slotted(x=1), watched)
    assert Schema(Slotted).encode(Schema(Slotted).decode(b'{"x":1}')) == b'{"x":1}'
    with pytest.raises(AttributeError):
        value.other = 1
    del value, watched
    assert (alive(), gone()) == (None, None)

    class Single(lanner.Model):
        __slots__ = "cache"
        x: int = 0

    Single().cache = 1


def test_a_dict_in_the_body_is_kept_and_copied() -> None:
    class Open(lanner.Model):
        __slots__ = ("__dict__",)
        x: int

    value = Open(x=1)
    value.other = 2
    assert copy.copy(value).__dict__ == {"other": 2}


def test_a_schema_makes_a_value_as_a_call_of_the_class_does() -> None:
    calls: list[str] = []

    class Init(lanner.Model):
        x: int
        y: int = 2

        def __init__(self, **values: Any) -> None:
            calls.append("init")
            super().__init__(**values)

        def __post_init__(self) -> None:
            calls.append("post")

    class New(lanner.Model):
        x: int

        def __new__(cls, **values: Any) -> New:
            calls.append("new")
            return super().__new__(cls)

    class Meta(type(lanner.Model)):  # type: ignore[misc]
        def __call__(cls, **values: Any) -> Any:
            calls.append("meta")
            return super().__call__(**values)

    class Made(lanner.Model, metaclass=Meta):
        x: int

    class Mixin:
        def __init__(self, **values: Any) -> None:
            calls.append("mixin")
            super().__init__(**values)

    class Mixed(Mixin, lanner.Model):
        x: int

    for cls, expected in (
        (Init, ["init", "post"]),
        (New, ["new"]),
        (Made, ["meta"]),
        (Mixed, ["mixin"]),
    ):
        calls.clear()
        value = Schema(cls).decode(b'{"x":1}')
        assert calls == expected
        calls.clear()
        assert cls(x=1) == value
        assert calls == expected


def test_a_class_that_knows_its_defaults_is_asked_for_them() -> None:
    class Later(lanner.Model):
        x: int = 0

        def __init__(self, x: int = 7) -> None:
            super().__init__(x=x)

    assert Schema(Later).decode(b"{}").x == 7


def test_named_tuples_and_dataclasses_of_the_users_own_making_are_called() -> None:
    calls: list[object] = []

    class Pair(NamedTuple):
        x: int

    class Counted(Pair):
        def __new__(cls, x: int) -> Counted:
            calls.append(x)
            return super().__new__(cls, x)

    assert Schema(Counted).decode(b"[1]") == (1,)

    class Inited(Pair):
        def __init__(self, x: int) -> None:
            calls.append(x)

    assert Schema(Inited).decode(b"[2]") == (2,)

    @dataclasses.dataclass
    class Guarded:
        x: int

        def __setattr__(self, name: str, value: object) -> None:
            calls.append(name)
            super().__setattr__(name, value)

    assert Schema(Guarded).decode(b'{"x":3}') == Guarded(3)
    assert calls == [1, 2, "x", "x"]


class Aliased(lanner.Model, rename="camel"):
    first_name: Annotated[str, pydantic.Field(alias="given")]
    last_name: str = pydantic.Field(default="x", serialization_alias="family")
    middle_name: Annotated[str, pydantic.Field(validation_alias="between")] = ""
    plain_name: str = ""


def test_without_a_schema_a_model_has_the_names_that_a_schema_writes() -> None:
    value = Aliased(first_name="a")
    assert json.dumpb(value) == Schema(Aliased).encode(value)
    assert json.dumpb(value) == b'{"given":"a","family":"x","middleName":"","plainName":""}'
    assert json.dumpb([Rarer(rarity="b", first_name="a")]) == (
        b'[{"given":"a","family":"x","middleName":"","plainName":"","rank":"b"}]'
    )


class Rarer(Aliased):
    rarity: Annotated[str, pydantic.Field(alias="rank")]


def test_an_annotation_that_names_what_is_not_there_has_no_alias() -> None:
    class Absent(lanner.Model, rename="camel"):
        the_name: Missing  # type: ignore[name-defined]  # noqa: F821

    assert json.dumpb(Absent(the_name=1)) == b'{"theName":1}'
