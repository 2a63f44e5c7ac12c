"""What must hold for every rule that makes qrels, on random judgments."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from tests.support import Oracle
from workbench.consensus.rules import RULES
from workbench.consensus.settle import Consensus, consensus, consensus_of_table
from workbench.consensus.votes import vote_table
from workbench.records import Answer, Judgment

pd = Oracle("pandas")
aggregation = Oracle("crowdkit.aggregation")

QRELS = [name for name, rule in RULES.items() if not rule.soft]
OWN_SCALE = [name for name in QRELS if not RULES[name].own_scale]
# Rules that settle a whole table at once; any other settles pair by pair.
TABLES = [name for name in QRELS if RULES[name].settle_table]
SAID: dict[str, dict[str, str]] = {"one": {"assessor": "a0"}, "majority": {"ties": "lower"}}


def table(seed: int, *, grades: int = 3, pairs: int = 14, assessors: int = 4) -> list[Judgment]:
    generator = np.random.default_rng(seed)
    return [
        Judgment(f"a{who}", str(pair % 3), f"d{pair}", int(generator.integers(0, grades)))
        for pair in range(pairs)
        for who in range(assessors)
        if generator.random() < 0.8 or who < 2
    ]


def settle(given: list[Judgment], rule: str) -> Consensus:
    decided = {("0", "d0"): 1, ("1", "d4"): 0}
    said = SAID.get(rule, {})
    return consensus(given, rule=rule, scale=None, relevant_from=None, decided=decided, **said)


@pytest.mark.parametrize("rule", QRELS)
def test_no_rule_minds_the_order_of_judgments(rule: str) -> None:
    given = table(1)
    shuffled = [given[at] for at in np.random.default_rng(2).permutation(len(given))]
    assert settle(shuffled, rule) == settle(given, rule)


@pytest.mark.parametrize("rule", OWN_SCALE)
def test_every_rule_gives_the_grade_on_which_all_agree(rule: str) -> None:
    given = [Judgment(f"a{who}", "9", f"d{pair}", pair % 3) for pair in range(9) for who in range(3)]
    found = settle(given, rule)
    assert [q.grade for q in found.qrels if q.topic == "9"] == [0, 1, 2] * 3
    assert all(label.confidence > 0.5 for label in found.labels if label.topic == "9")


@pytest.mark.parametrize("rule", QRELS)
def test_every_judged_pair_has_a_line_or_a_reason_and_none_has_both(rule: str) -> None:
    given = table(3)
    found = settle(given, rule)
    settled, left = ({(one.topic, one.docno) for one in part} for part in (found.qrels, found.unsettled))
    assert settled | left == {(one.topic, one.docno) for one in given} | {("1", "d4"), ("0", "d0")} & settled
    assert not settled & left
    assert all(0 <= sure <= 1 for sure in found.confidence)
    assert all(one.reason for one in found.unsettled)


@pytest.mark.parametrize("seed", range(4))
def test_relevant_are_most_under_any_fewest_under_all_and_majority_lies_between(seed: int) -> None:
    given = table(seed, grades=2)
    grades = {rule: [q.grade for q in settle(given, rule).qrels] for rule in ("any", "majority", "all")}
    assert all(
        one >= most >= every
        for one, most, every in zip(grades["any"], grades["majority"], grades["all"], strict=True)
    )


def test_a_majority_of_random_tables_is_crowd_kits_where_nothing_is_tied() -> None:
    for seed in range(3):
        given = table(seed, pairs=30, assessors=5)
        rows = pd.DataFrame(
            [(f"{one.topic}/{one.docno}", one.assessor, one.grade) for one in given],
            columns=["task", "worker", "label"],
        )
        with warnings.catch_warnings():
            # Crowd-Kit warns of its own use of pandas.
            warnings.simplefilter("ignore")
            oracle = aggregation.MajorityVote().fit_predict(rows).to_dict()
        found = consensus(given, rule="majority")
        assert {f"{q.topic}/{q.docno}": q.grade for q in found.qrels} == {
            f"{q.topic}/{q.docno}": oracle[f"{q.topic}/{q.docno}"] for q in found.qrels
        }
        assert len(found.qrels) > 15


@pytest.mark.parametrize("rule", TABLES)
@pytest.mark.parametrize("judgments", [[], [Judgment("a0", "1", "d", None, Answer.UNSURE)]])
def test_a_table_without_grades_has_none(rule: str, judgments: list[Judgment]) -> None:
    found = consensus_of_table(vote_table(judgments), rule=rule, **SAID.get(rule, {}))
    assert found
    assert (found.qrels, len(found.left)) == ((), len(judgments))
