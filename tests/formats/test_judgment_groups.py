"""All assessors in one file, as trec_eval's qrels_jg."""

from __future__ import annotations

import pytest

from tests.support import cases
from workbench.errors import WorkbenchError
from workbench.formats.judgments import group_names, write_judgment_groups
from workbench.records import Answer, Judgment


def test_lines_are_sorted_by_topic_group_and_docno_and_hold_grades_only() -> None:
    given = [
        Judgment("bea", "2", "d", 0),
        Judgment("bea", "1", "d", 2),
        Judgment("ann", "1", "e", 1),
        Judgment("ann", "1", "d\udcff", None, Answer.UNSURE),
        Judgment("A. Marlow", "1", "d", 1),
    ]
    assert b"".join(write_judgment_groups(given)) == b"1 A._Marlow d 1\n1 ann e 1\n1 bea d 2\n2 bea d 0\n"


def test_two_assessors_are_never_one_group() -> None:
    assert group_names(["A B", "A_B", "A  B", "Ü\tX"]) == {
        "A  B": "A_B", "A B": "A_B-2", "A_B": "A_B-3", "Ü\tX": "Ü_X",
    }  # fmt: skip


def test_two_grades_of_an_assessor_are_refused() -> None:
    with pytest.raises(WorkbenchError, match='ann has two grades for document "d" of topic "1"'):
        list(write_judgment_groups([Judgment("ann", "1", "d", 1), Judgment("ann", "1", "d", 1)]))


def test_the_worked_case_has_the_shape_that_is_written() -> None:
    case = next(case for name, case in cases("30_formats_trec_eval.json").items() if "jg" in name)
    text = case["input"]["qrels_jg"]
    given = [
        Judgment(group, topic, docno, int(grade))
        for topic, group, docno, grade in (line.split() for line in text.splitlines())
    ]
    assert sorted(b"".join(write_judgment_groups(given)).decode().splitlines()) == sorted(text.splitlines())
