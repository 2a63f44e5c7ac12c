"""Sums over assessors and soft labels, by hand and on the Cystic Fibrosis collection."""

from __future__ import annotations

import json

import pytest

from tests.support import cases, shared
from workbench.consensus.settle import Unsettled, consensus, label_export, summary
from workbench.consensus.sums import FEWER_THAN_OTHERS, SoftLabel, soft_export, soft_labels
from workbench.formats.judgments import read_judgments
from workbench.formats.qrels import read_qrels
from workbench.records import FOUR_GRADES, Answer, Judgment, Qrel


def judged(docno: str, *grades: int) -> list[Judgment]:
    return [Judgment(f"a{at}", "1", docno, grade) for at, grade in enumerate(grades)]


GIVEN = [*judged("high", 2, 2, 1), *judged("low", 0, 1, 0), *judged("few", 2, 2), *judged("none", 0, 0, 0)]


def test_grades_are_added_up_and_the_line_stands_on_the_sum() -> None:
    found = consensus(GIVEN, rule="sum", line="3")
    assert found.qrels == (Qrel("1", "high", 5), Qrel("1", "low", 1), Qrel("1", "none", 0))
    assert found.relevant_from == 3
    # All three of "high" stand above the assessors' own line of 1, two of "low" below it, as their sums do.
    assert found.confidence == pytest.approx((1, 2 / 3, 1))
    # Two grades cannot add up to what three can.
    assert found.unsettled == (Unsettled("1", "few", FEWER_THAN_OTHERS),)
    assert consensus(GIVEN, rule="sum", fewer="sum").qrels[0] == Qrel("1", "few", 4)


def test_a_sum_may_be_made_binary_at_its_line() -> None:
    found = consensus(GIVEN, rule="sum", line="2", binary="yes", fewer="sum")
    assert {q.docno: q.grade for q in found.qrels} == {"few": 1, "high": 1, "low": 0, "none": 0}
    assert found.relevant_from == 1


def test_without_a_line_the_sum_has_that_of_the_scale() -> None:
    assert consensus(GIVEN, rule="sum").relevant_from == 1
    assert consensus(GIVEN, rule="sum", scale=FOUR_GRADES).relevant_from == FOUR_GRADES.relevant_from == 2


def test_the_sums_of_the_cystic_fibrosis_collection_are_those_that_were_published() -> None:
    folder = shared("data", "cf")
    with (folder / "judgments.tsv").open("rb") as stream:
        given = read_judgments(stream, source="cf")
    with (folder / "qrels.sum.txt").open("rb") as stream:
        published = {(q.topic, q.docno): q.grade for q in read_qrels(stream, source="sum")}
    found = consensus(given, rule="sum", line="4")
    assert {(q.topic, q.docno): q.grade for q in found.qrels} == published
    # Counted in the published file: 1 to 8 occur 2280, 744, 251, 202, 250, 297, 330 and 465 times.
    said = summary(found)
    assert said.by_grade == tuple(zip(range(1, 9), (2280, 744, 251, 202, 250, 297, 330, 465), strict=True))
    assert said.relevant == 202 + 250 + 297 + 330 + 465


def test_soft_labels_keep_the_mean_and_the_share_of_every_grade() -> None:
    given = [*judged("d", 2, 2, 1), Judgment("a9", "1", "d", None, Answer.UNSURE), *judged("e", 0)]
    found = soft_labels(given, scale=FOUR_GRADES)
    assert found.grades == (0, 1, 2, 3)
    assert found.labels == (
        SoftLabel("1", "d", 5 / 3, 3, (0, 1 / 3, 2 / 3, 0)),
        SoftLabel("1", "e", 0.0, 1, (1, 0, 0, 0)),
    )
    table = soft_export(soft_labels(judged("d", 2, 2, 1)))
    assert table.columns == ("topic", "docno", "mean", "n", "share_1", "share_2")
    assert json.loads(table.json())[0]["share_2"] == 2 / 3


def test_the_means_of_three_judges_are_the_worked_ones() -> None:
    case = cases("50_label_aggregation.json")["simple_rules_graded"]
    given = [
        Judgment(name, "1", f"d{at}", grade)
        for name, grades in case["input"]["judges"].items()
        for at, grade in enumerate(grades)
    ]
    assert [one.mean for one in soft_labels(given).labels] == pytest.approx(case["expected"]["mean"])


def test_a_table_of_labels_has_what_is_left_with_its_reason() -> None:
    found = label_export(consensus([*judged("d", 1, 1, 0), *judged("e", 0, 1)], rule="majority"))
    assert tuple(found.rows()) == (
        ("1", "d", 1, 2 / 3, 3, "rule", ""),
        ("1", "e", None, None, None, "", "equally many assessors gave different grades"),
    )
