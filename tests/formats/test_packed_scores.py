"""Decimal numbers as doubles, many at a time: to the bit those of float()."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.formats.strategies import stream
from tests.formats.written_runs import DECIMALS
from tests.support import examples
from workbench.formats.packed_lines import NotUnderstood, blocks, packed_lines
from workbench.formats.packed_runs import doubles
from workbench.formats.run_table import Scores, finite_doubles


def read(scores: list[str]) -> Scores:
    (block,) = blocks(stream("".join(f"1 Q0 d 1 {score} t\n" for score in scores)), 2**20)
    lines = packed_lines(block)
    return doubles(lines, lines.columns[4])


def bits(values: Scores) -> list[int]:
    """The doubles as integers, so that 0 and -0 differ."""
    return values.view(np.int64).tolist()


@given(st.lists(DECIMALS, min_size=1, max_size=200))
@settings(max_examples=examples(66))
def test_scores_are_the_doubles_of_float_to_the_bit(scores: list[str]) -> None:
    assert bits(read(scores)) == bits(np.array([float(score) for score in scores]))


@given(
    st.integers(0, 9),
    st.lists(st.tuples(st.sampled_from(["", "", "-", "+"]), st.integers(0, 10**16)), min_size=1, max_size=60),
    st.sampled_from(["{}{:.{}f}", "{}{:.{}f}", "{}{:08.{}f}"]),
)
@settings(max_examples=examples(100))
def test_numbers_with_the_dot_at_one_place_are_the_doubles_of_float_to_the_bit(
    places: int, numbers: list[tuple[str, int]], pattern: str
) -> None:
    scores = [pattern.format(sign, Decimal(number).scaleb(-places), places) for sign, number in numbers]
    assert bits(read(scores)) == bits(np.array([float(score) for score in scores]))


@given(st.lists(st.text("0123456789.+-/,e ", min_size=1, max_size=9), min_size=1, max_size=4))
@settings(max_examples=examples(166))
def test_only_finite_decimal_numbers_are_read(scores: list[str]) -> None:
    scores = [score.replace(" ", "9") for score in scores]
    expected = finite_doubles([score.encode() for score in scores])
    if expected is None:
        with pytest.raises(NotUnderstood):
            read(scores)
    else:
        assert bits(read(scores)) == bits(expected)


@given(st.integers(2**52, 2**53 - 1), st.integers(-62, -27), st.integers(10, 40), st.integers(-2, 2))
@settings(max_examples=examples(166))
def test_numbers_next_to_the_middle_of_two_doubles_are_rounded_as_by_float(
    mantissa: int, exponent: int, places: int, off: int
) -> None:
    # The exact middle, cut to some places, and a number next to it in the last of these.
    text = format(Decimal(2 * mantissa + 1) * Decimal(2) ** (exponent - 1), "f")[:places].rstrip(".")
    last = Decimal(1).scaleb(-len(text.partition(".")[2]))
    scores = [text, "-" + text, format(Decimal(text) + off * last, "f")]
    assert bits(read(scores)) == bits(np.array([float(score) for score in scores]))
