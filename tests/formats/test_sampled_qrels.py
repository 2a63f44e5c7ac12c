"""Sampled qrels: five columns, a stratum for each document, -1 for what is not judged."""

from __future__ import annotations

import pytest

from tests.formats.strategies import codes, stream
from workbench.errors import InvalidInput
from workbench.formats.qrels import SampledQrel, read_sampled_qrels


def test_a_negative_grade_is_none() -> None:
    assert read_sampled_qrels(stream("1 0 a 1 2\n\n1\t0\tb\ttop\t-1\n"), source="s") == (
        SampledQrel("1", "a", "1", 2),
        SampledQrel("1", "b", "top", None),
    )


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ("1 0 a 1\n", [(1, "columns")]),
        ("1 0 a 1 0.5\n1 0 b 1 x\n", [(1, "grade"), (2, "grade")]),
        ("1 0 a 1 0\n1 0 a 2 0\n", [(2, "duplicate")]),
        ("\n", [(None, "empty")]),
    ],
)
def test_what_is_wrong_has_its_line(content: str, found: list[tuple[int | None, str]]) -> None:
    with pytest.raises(InvalidInput) as refused:
        read_sampled_qrels(stream(content), source="s")
    assert codes(refused.value) == found
