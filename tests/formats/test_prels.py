"""Prels of the Million Query track."""

from __future__ import annotations

import io

import pytest

from workbench.errors import InvalidInput
from workbench.formats.qrels import Prel, read_prels


def read(text: str) -> tuple[Prel, ...]:
    return read_prels(io.BytesIO(text.encode()), source="prels")


def test_what_statap_drew_and_somebody_judged_is_read() -> None:
    text = "1 a 2 1 0.25\n1 b 0 0 0.5\n1 c -1 2 0.5\n2 a 0 2 1e-3\n"
    assert read(text) == (Prel("1", "a", 2, 0.25), Prel("2", "a", 0, 0.001))


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("1 a 1 1\n", "columns"),
        ("1 a x 1 0.5\n", "grade"),
        ("1 a 1 3 0.5\n", "method"),
        ("1 a 1 1 0\n", "probability"),
        ("1 a 1 1 nan\n", "probability"),
        ("1 a 1 1 1.5\n", "probability"),
        ("1 a 1 1 0.5\n1 a 1 1 0.5\n", "duplicate"),
        ("", "empty"),
        ("1 a 1 0 0.5\n", "empty"),
    ],
)
def test_what_is_wrong_is_told_by_line(text: str, code: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        read(text)
    assert [finding.code for finding in refused.value.findings] == [code]
