"""Schemas beside msgspec and pydantic, in one process: the fastest of interleaved rounds, as a markdown table.

    taskset -c 0 .venv/bin/python bench/schema_table.py

64 documents are taken in turn. Needs msgspec and pydantic (tools/setup.sh test).
"""

import gc
import itertools
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

import annotated_types as at
import msgspec
import pydantic

from lanner.schema import Schema, ValidationError

ROUNDS, DOCUMENTS = 15, 64


@dataclass(slots=True)
class Person:
    name: Annotated[str, at.MinLen(3)]
    age: Annotated[int, at.Ge(0), at.Le(150)]


@dataclass(slots=True)
class Order:
    id: int
    people: list[Person]


class PersonStruct(msgspec.Struct):
    name: Annotated[str, msgspec.Meta(min_length=3)]
    age: Annotated[int, msgspec.Meta(ge=0, le=150)]


class OrderStruct(msgspec.Struct):
    id: int
    people: list[PersonStruct]


PYDANTIC = pydantic.TypeAdapter(Order)


def order(number: int, people: int, age: int) -> dict[str, Any]:
    return {"id": number, "people": [{"name": f"Alice {number}-{i}", "age": age + i % 7} for i in range(people)]}


def turns(call: Callable[[Any], object], values: list[Any]) -> Callable[[], object]:
    """Calls with the next value each time; a refusal is an answer, too."""
    cycle = itertools.cycle(values)

    def once() -> object:
        try:
            return call(next(cycle))
        except (ValidationError, msgspec.ValidationError, pydantic.ValidationError):
            return None

    return once


def race(sides: list[Callable[[], object]], calls: int) -> list[float]:
    """Microseconds a call."""
    best = [float("inf")] * len(sides)
    gc.disable()
    for _ in range(ROUNDS):
        for i, side in enumerate(sides):
            began = time.perf_counter()
            for _ in range(calls):
                side()
            best[i] = min(best[i], (time.perf_counter() - began) / calls * 1e6)
    gc.enable()
    return best


def main() -> None:
    schema, decoder = Schema(Order), msgspec.json.Decoder(OrderStruct)
    print("| what | lanner us | msgspec us | pydantic us | x msgspec |\n|---|---|---|---|---|")
    for people, age in ((1, 30), (50, 30), (3, 200)):
        objects = [order(i, people, age) for i in range(DOCUMENTS)]
        texts = [json.dumps(value, separators=(",", ":")).encode() for value in objects]
        kind = f"{people} records" + (", all invalid" if age == 200 else "")
        rows: list[tuple[str, list[Any], list[Callable[[Any], object]]]] = [
            ("dict", objects, [schema.validate, lambda v: msgspec.convert(v, OrderStruct), PYDANTIC.validate_python]),
            ("JSON", texts, [schema.decode, decoder.decode, PYDANTIC.validate_json]),
        ]
        for name, values, calls in rows:
            us = race([turns(call, values) for call in calls], max(20, 2000 // people))
            print(f"| {name}, {kind} | {us[0]:.2f} | {us[1]:.2f} | {us[2]:.2f} | {us[0] / us[1]:.2f} |")


if __name__ == "__main__":
    main()
