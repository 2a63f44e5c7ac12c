"""Spreads as arrays are those of each pair by itself."""

from __future__ import annotations

import random

import numpy as np
import pytest

from tests.consensus.pair_by_pair import disputes
from workbench.agreement.ratings import CANNOT_JUDGE, UNSURE
from workbench.consensus.disputes import Difference, DisputeRule, spread_of, spreads_of
from workbench.errors import WorkbenchError
from workbench.records import FOUR_GRADES, Answer, Judgment

DOCUMENTS = 60
CODES = {"unsure": UNSURE, "cannot_judge": CANNOT_JUDGE}


@pytest.mark.parametrize("difference", Difference)
@pytest.mark.parametrize("beside", [False, True])
def test_spreads_as_arrays_are_those_of_each_pair(difference: Difference, beside: bool) -> None:
    rule = DisputeRule(difference, 2, beside)
    draw = random.Random(7)
    given = [
        (docno, who, draw.choice((0, 1, 2, 3, "unsure", "cannot_judge")))
        for docno in range(DOCUMENTS - 1)  # of the last pair nobody said anything
        for who in draw.sample(range(5), draw.randint(1, 5))
    ]
    judged: list[list[Judgment]] = [[] for _ in range(DOCUMENTS)]
    for docno, who, one in given:
        grade = one if isinstance(one, int) else None
        answer = Answer.GRADE if isinstance(one, int) else Answer(one)
        judged[docno].append(Judgment(f"p{who}", "1", f"d{docno:02}", grade, answer))
    codes = np.array([one if isinstance(one, int) else CODES[one] for *_, one in given])
    found = spreads_of(np.array([docno for docno, *_ in given]), codes, DOCUMENTS, FOUR_GRADES)
    assert [found.one(place) for place in range(DOCUMENTS)] == [
        spread_of(several, FOUR_GRADES) for several in judged
    ]
    every = [one for several in judged for one in several]
    expected = {one.docno for one in disputes(every, rule=rule, scale=FOUR_GRADES)}
    disputed = np.flatnonzero(found.disputed(rule)).tolist()
    assert {f"d{place:02}" for place in disputed} == expected
    assert len(expected) > 5
    # What nobody has answered stands at -1.
    assert found.at(np.array([3, -1])).one(1) == spread_of((), FOUR_GRADES)


def test_a_grade_outside_the_scale_is_named_where_two_answered() -> None:
    with pytest.raises(WorkbenchError, match="7"):
        spreads_of(np.array([0, 0, 1]), np.array([1, 7, 8]), 2, FOUR_GRADES)
