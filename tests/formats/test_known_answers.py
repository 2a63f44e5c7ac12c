"""Pairs with a known answer in a file: read, and refused with every error at once."""

from __future__ import annotations

import io

import pytest

from workbench.errors import InvalidInput
from workbench.formats.known_answers import read_known_answers


def read(text: str) -> list[tuple[str, str, int, str]]:
    found = read_known_answers(io.BytesIO(text.encode()), source="file")
    return [(one.topic, one.docno, one.grade, one.words) for one in found]


def test_columns_come_in_any_order_and_the_feedback_may_lack() -> None:
    text = "grade\tWhy\tdocno\ttopic\twho\n2\tsays so\td#1\t007\tx\n0\t\té/2\t007\tx\n"
    assert read(text) == [("007", "d#1", 2, "says so"), ("007", "é/2", 0, "")]
    assert read("topic\tdoc\tgrade\n1\td\t0\n") == [("1", "d", 0, "")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ["empty"]),
        ("topic\tdoc\n1\td\n", ["header"]),
        ("topic\tdoc\tgrade\n1\td\n1\te\tx\n1\tf\t-1\n1\tg\t\n", ["columns", "grade", "grade", "grade"]),
        ("topic\tdoc\tgrade\n1\td\t0\n1\td\t1\n", ["twice"]),
    ],
)
def test_what_is_wrong_is_said_all_at_once(text: str, expected: list[str]) -> None:
    with pytest.raises(InvalidInput) as refused:
        read(text)
    assert [finding.code for finding in refused.value.findings] == expected
