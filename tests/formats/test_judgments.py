"""Judgments of several assessors: a header in any order, words for what is no grade, repeated ones kept."""

from __future__ import annotations

import gzip
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.formats.strategies import IDS, codes, stream
from workbench.errors import InvalidInput, WorkbenchError
from workbench.formats.identifiers import trimmed
from workbench.formats.judgments import read_judgments, write_judgments
from workbench.records import Answer, Judgment

HEADER = "topic\tdoc\tassessor\tgrade\n"


def errors(content: str | bytes) -> list[tuple[int | None, str]]:
    with pytest.raises(InvalidInput) as refused:
        read_judgments(stream(content), source="j")
    return codes(refused.value)


@pytest.mark.parametrize("name", ["doc", "docno", "Document"])
def test_columns_are_found_by_their_names(name: str) -> None:
    content = (
        f"\ufeffgrade\tseconds\tassessor\t{name}\tTOPIC\r\n"
        "2\t7.5\tAda L.\td#1\t007\r\n\r\nunsure\t1\tB\td2\t7"
    )
    expected = (
        Judgment("Ada L.", "007", "d#1", 2),
        Judgment("B", "7", "d2", None, Answer.UNSURE),
    )
    assert read_judgments(stream(content), source="j") == expected
    assert read_judgments(stream(gzip.compress(content.encode())), source="j") == expected


def test_answers_that_are_no_grade_are_kept_apart_from_grade_0() -> None:
    grades = ("0", "cannot_judge", "-2", "Unsure", "-1")
    content = HEADER + "".join(f"1\t{docno}\tw\t{grade}\n" for docno, grade in enumerate(grades, 1))
    read = read_judgments(stream(content), source="j", cannot_judge=(-2,))
    assert [(judgment.grade, judgment.answer) for judgment in read] == [
        (0, Answer.GRADE),
        (None, Answer.CANNOT_JUDGE),
        (None, Answer.CANNOT_JUDGE),
        (None, Answer.UNSURE),
        (-1, Answer.GRADE),
    ]
    assert read_judgments(stream(content), source="j")[2] == Judgment("w", "1", "3", -2)


def test_repeated_judgments_are_events_and_kept_in_order() -> None:
    content = "topic\tdoc\tassessor\tgrade\n1\ta\tw\t0\n1\ta\tw\t1\n1\ta\tw\t0\n"
    assert [judgment.grade for judgment in read_judgments(stream(content), source="j")] == [0, 1, 0]


@pytest.mark.parametrize(
    "content",
    [
        "1\ta\tw\t0\n",
        "1 a w 0\n",
        "topic,doc,assessor,grade\n1,a,w,0\n",
        "topic\tdoc\tgrade\n1\ta\t0\n",
        "topic\tdoc\tdocno\tassessor\tgrade\n1\ta\ta\tw\t0\n",
    ],
)
def test_without_a_whole_header_the_file_is_refused_at_once(content: str) -> None:
    assert errors(content) == [(1, "header")]


def test_all_errors_are_told() -> None:
    content = (
        HEADER + "1\ta\tw\n1\ta\t\t0\n1\ta b\tw\t0\n\ta\tw\t0\n1\ta\tw\t1.5\n1\ta\tw\tgrade\n1\ta\tw\t\n"
    )
    assert errors(content.encode() + b"1\ta\tJos\xe9\t1\n") == [
        (2, "columns"),
        (3, "assessor"),
        (4, "id"),
        (5, "id"),
        (6, "grade"),
        (7, "grade"),
        (8, "grade"),
        (9, "encoding"),
    ]


@pytest.mark.parametrize("content", ["", "topic\tdoc\tassessor\tgrade\n"])
def test_a_file_without_judgments_is_refused(content: str) -> None:
    assert errors(content) == [(None, "empty")]


ASSESSORS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=8).filter(
    lambda name: name == trimmed(name) and "\ufeff" not in name
)
JUDGMENTS = st.one_of(
    st.builds(Judgment, ASSESSORS, IDS, IDS, st.integers(-(10**17), 10**17)),
    st.builds(
        Judgment, ASSESSORS, IDS, IDS, st.none(), st.sampled_from([Answer.UNSURE, Answer.CANNOT_JUDGE])
    ),
)


@given(st.lists(JUDGMENTS, min_size=1, max_size=8))
def test_judgments_written_and_read_are_the_same(judgments: list[Judgment]) -> None:
    content = b"".join(write_judgments(judgments))
    assert content.startswith(b"topic\tdoc\tassessor\tgrade\n")
    assert list(read_judgments(io.BytesIO(content), source="j")) == judgments


@pytest.mark.parametrize(
    "judgment",
    [
        Judgment("a\tb", "1", "d", 1),
        Judgment("", "1", "d", 1),
        Judgment(" a", "1", "d", 1),
        Judgment("\udcff", "1", "d", 1),
        Judgment("a", "1", "d e", 1),
        Judgment("a", "1", "d", None),
        Judgment("a", "1", "d", 1, Answer.UNSURE),
    ],
)
def test_what_would_not_survive_is_not_written(judgment: Judgment) -> None:
    with pytest.raises(WorkbenchError):
        list(write_judgments([judgment]))
