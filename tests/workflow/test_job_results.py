"""Results go into bytes and come back equal, and nothing else is made of bytes."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from enum import StrEnum

import numpy as np
import pytest

from workbench.scoring.relevance import Floats
from workbench.workflow.jobs import result_bytes, result_from


class Colour(StrEnum):
    RED = "red"


@dataclass(frozen=True, slots=True)
class Part:
    name: str
    share: float | None


@dataclass(frozen=True, slots=True)
class Whole:
    parts: tuple[Part, ...]
    pair: tuple[str, int]
    by_name: Mapping[str, Part | None]
    counts: Mapping[str, Mapping[str, float]]
    colour: Colour
    certain: bool
    day: date
    moment: datetime
    other: Part | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Arrays:
    values: Floats
    empty: Floats


WHOLE = Whole(
    parts=(Part("é\udc80", 0.1 + 0.2), Part("", None)),
    pair=("a", 2**60),
    by_name={"x": Part("x", -0.0), "none": None},
    counts={"AP": {"1": 1.0, "2": 1e-300}},
    colour=Colour.RED,
    certain=np.True_,  # type: ignore[arg-type]  # as computed results have them
    day=date(2026, 11, 2),
    moment=datetime(2026, 11, 2, 9, 30, 1, 250, tzinfo=UTC),
)


def test_a_result_comes_back_with_its_types() -> None:
    found = result_from(Whole, result_bytes(WHOLE))
    assert found == WHOLE
    assert (type(found.colour), type(found.certain), type(found.parts)) == (Colour, bool, tuple)


def test_arrays_come_back_to_the_last_bit() -> None:
    made = Arrays(np.array([[0.1, np.nan], [np.inf, -0.0]]), np.zeros((3, 0)))
    found = result_from(Arrays, result_bytes(made))
    assert found.values.tobytes() == made.values.tobytes()
    assert (found.values.shape, found.empty.shape) == ((2, 2), (3, 0))


@pytest.mark.parametrize(
    "content",
    [
        b"no zlib",
        zlib.compress(b"no json"),
        zlib.compress(b"[1]"),
        zlib.compress(b'{"parts": 1}'),
        result_bytes(Part("a", 1.0)),
        result_bytes(WHOLE)[:-3],
    ],
)
def test_other_bytes_are_refused(content: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  # whatever was wrong with them
        result_from(Whole, content)
