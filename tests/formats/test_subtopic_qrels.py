"""Qrels whose second column is a subtopic, and how they are told from ordinary ones."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.formats.strategies import IDS, codes, stream
from workbench.errors import InvalidInput
from workbench.formats.qrels import read_qrels, write_subtopic_qrels
from workbench.records import Qrel

DIVERSE = "1 1 a 1\n1 2 a 0\n1 1 b 0\n1 2 b 2\n"


def refused(content: str, *, subtopics: bool) -> list[tuple[int | None, str]]:
    with pytest.raises(InvalidInput) as error:
        read_qrels(stream(content), source="q", subtopics=subtopics)
    return codes(error.value)


def test_a_document_has_a_grade_for_each_subtopic() -> None:
    assert read_qrels(stream(DIVERSE), source="q", subtopics=True) == (
        Qrel("1", "a", 1, "1"),
        Qrel("1", "a", 0, "2"),
        Qrel("1", "b", 0, "1"),
        Qrel("1", "b", 2, "2"),
    )


def test_whoever_needs_one_grade_a_document_gets_one_finding_for_the_whole_file() -> None:
    assert refused(DIVERSE, subtopics=False) == [(2, "subtopics")]


def test_rounds_of_judging_in_the_second_column_are_no_subtopics() -> None:
    # As in TREC-COVID: every document has one round.
    rounds = "1 0.5 a 1\n1 1 b 0\n2 0.5 a 2\n"
    assert read_qrels(stream(rounds), source="q") == read_qrels(stream(rounds), source="q", subtopics=True)


@pytest.mark.parametrize("subtopics", [True, False])
def test_two_grades_for_one_subtopic_are_a_duplicate(subtopics: bool) -> None:
    assert refused("1 1 a 1\n1 1 a 0\n", subtopics=subtopics) == [(2, "duplicate")]


def test_a_subtopic_is_an_id_as_any_other() -> None:
    # A zero-width space would make two subtopics of one.
    assert refused("1 1 a 1\n1 1\u200b a 0\n", subtopics=True) == [(2, "id")]


LINES = st.dictionaries(st.tuples(IDS, IDS, IDS), st.integers(-2, 3), min_size=1, max_size=8)


@given(LINES)
def test_what_is_written_is_read(graded: dict[tuple[str, str, str], int]) -> None:
    lines = [(*ids, grade) for ids, grade in graded.items()]
    read = read_qrels(io.BytesIO(b"".join(write_subtopic_qrels(lines))), source="q", subtopics=True)
    assert {(one.topic, one.iteration, one.docno, one.grade) for one in read} == set(lines)
