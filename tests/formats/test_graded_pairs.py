"""Files of decisions and of known grades: what is read, refused and written."""

from __future__ import annotations

import io

import pytest

from workbench.errors import InvalidInput
from workbench.formats.graded_pairs import GradedPair, read_decisions, read_known_grades, write_decisions


def read_decided(text: str) -> list[tuple[str, str, int, str]]:
    found = read_decisions(io.BytesIO(text.encode()), source="file")
    return [(one.topic, one.docno, one.grade, one.words) for one in found]


def test_columns_come_in_any_order_and_the_reason_may_lack() -> None:
    text = "grade\tReason\tdocno\ttopic\twho\n2\tclear, I think\td#1\t007\tx\n0\t\té/2\t007\tx\n"
    assert read_decided(text) == [("007", "d#1", 2, "clear, I think"), ("007", "é/2", 0, "")]
    assert read_decided("topic\tdoc\tgrade\n1\td\t0\n") == [("1", "d", 0, "")]


def test_what_is_written_is_read_back() -> None:
    made = [GradedPair("007", "d#1", 2, "two\nlines\tand a tab", 2), GradedPair("1", "é", 0, "", 3)]
    text = b"".join(write_decisions(made)).decode()
    assert read_decided(text) == [("007", "d#1", 2, "two lines and a tab"), ("1", "é", 0, "")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ["empty"]),
        ("topic\tdoc\n1\td\n", ["header"]),
        ("topic\tdoc\tdocno\tgrade\n", ["header"]),
        (
            "topic\tdoc\tgrade\n1\td\n1\te\tx\n1\tf\t-1\n1\tg\t\n1 2\th\t1\n",
            ["columns"] + ["grade"] * 3 + ["id"],
        ),
        ("topic\tdoc\tgrade\n1\td\t0\n1\td\t0\n", ["twice"]),
    ],
)
def test_every_error_is_told_with_its_line(text: str, expected: list[str]) -> None:
    with pytest.raises(InvalidInput) as refused:
        read_decided(text)
    codes = [finding.code for finding in refused.value.findings]
    assert [code.partition("-")[0] for code in codes] == expected


def read_known(text: str) -> list[tuple[str, str, int, str]]:
    found = read_known_grades(io.BytesIO(text.encode()), source="file")
    return [(one.topic, one.docno, one.grade, one.words) for one in found]


def test_columns_come_in_any_order_and_the_feedback_may_lack() -> None:
    text = "grade\tWhy\tdocno\ttopic\twho\n2\tsays so\td#1\t007\tx\n0\t\té/2\t007\tx\n"
    assert read_known(text) == [("007", "d#1", 2, "says so"), ("007", "é/2", 0, "")]
    assert read_known("topic\tdoc\tgrade\n1\td\t0\n") == [("1", "d", 0, "")]


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
        read_known(text)
    assert [finding.code for finding in refused.value.findings] == expected
