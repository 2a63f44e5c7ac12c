"""A real crowd against its experts: TREC's relevance feedback track of 2010."""

from __future__ import annotations

import pytest

from tests.support import shared
from workbench.consensus.settle import Accuracy, accuracy, consensus, summary
from workbench.consensus.votes import LatestJudgments, latest_judgments
from workbench.formats.judgments import read_judgments
from workbench.formats.qrels import read_qrels
from workbench.records import Answer, Judgment

BROKEN = -2


@pytest.fixture(scope="module")
def crowd() -> LatestJudgments:
    with shared("data", "trec-rf10-crowd", "judgments.tsv.gz").open("rb") as stream:
        return latest_judgments(read_judgments(stream, source="crowd", cannot_judge=[BROKEN]))


@pytest.fixture(scope="module")
def experts() -> dict[tuple[str, str], int]:
    with shared("data", "trec-rf10-crowd", "qrels.nist_gold.txt").open("rb") as stream:
        return {(q.topic, q.docno): q.grade for q in read_qrels(stream, source="gold")}


def test_repeats_are_events_of_which_the_latest_holds(crowd: LatestJudgments) -> None:
    # CATALOGUE.md: 98,453 labels, 1,489 repeated by a worker on a document, 277 of them contradictory.
    assert (crowd.events, crowd.repeated, crowd.contradicted) == (98_453, 1_489, 277)
    # 98,453 less the 1,570 that came before another one of the same worker.
    assert len(crowd.judgments) == 96_883
    assert len({one.assessor for one in crowd.judgments}) == 766


def test_a_broken_link_is_no_grade(crowd: LatestJudgments) -> None:
    assert {one.grade for one in crowd.judgments} == {0, 1, 2, None}
    assert all((one.grade is None) == (one.answer is Answer.CANNOT_JUDGE) for one in crowd.judgments)
    found = summary(consensus(crowd.judgments, rule="any"))
    assert (found.settled, found.left) == (20_025, (("nobody gave a grade", 207),))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rule", "said", "expected"),
    [
        # Measured before with Crowd-Kit: .655 and .690.
        ("majority", {"ties": "lower"}, 0.655),
        ("dawid-skene", {}, 0.690),
    ],
)
def test_each_rule_is_right_as_often_as_was_measured(
    crowd: LatestJudgments,
    experts: dict[tuple[str, str], int],
    rule: str,
    said: dict[str, str],
    expected: float,
) -> None:
    settled = consensus(crowd.judgments, rule=rule, relevant_from=1, decided=None, scale=None, **said)
    found = accuracy(settled, experts)
    assert (found.known, found.n) == (3_277, 3_275)
    assert found.binary == pytest.approx(expected, abs=0.005)


def test_accuracy_by_hand() -> None:
    given = [Judgment("a", "1", docno, grade) for docno, grade in (("d", 2), ("e", 0), ("f", 1), ("h", 1))]
    given += [Judgment("b", "1", "h", 0)]
    gold = {("1", "d"): 1, ("1", "e"): 1, ("1", "f"): 1, ("1", "g"): 0, ("1", "h"): 1, ("2", "d"): -2}
    found = accuracy(consensus(given, rule="majority"), gold)
    # d and f are on the right side, f has the very grade, h is tied and left, g nobody judged.
    assert found == Accuracy(4, 3, 2 / 3, 1 / 3)
    assert accuracy(consensus([], rule="majority"), gold) == Accuracy(0, 0, None, None)
