"""Pairs with a known answer: fresh ones in every round of training, and the list with what most miss."""

from __future__ import annotations

import pytest
from sqlalchemy.orm import Session

from tests.workflow.judging.probed import probed
from workbench.errors import NotFound, WorkbenchError
from workbench.storage.events import TRAINING
from workbench.workflow.agreement.probe_answers import known_answer_lines
from workbench.workflow.judging.quality_checks import CheckRules
from workbench.workflow.judging.quality_settings import (
    change_known_answer,
    remove_known_answer,
    save_check_rules,
)
from workbench.workflow.judging.training import rounds_of


def test_another_round_asks_other_pairs_where_there_are_enough() -> None:
    known = {f"d{n}": n % 2 for n in range(12)}
    (first,) = rounds_of(known, {}, least=100)
    assert (first.total, len(first.docnos)) == (6, 6)
    # All six wrong: the next six have not been asked; after them the first six come again.
    trained = {docno: {1: 3} for docno in first.docnos}
    second = rounds_of(known, trained, least=100)[1]
    assert sorted([*first.docnos, *second.docnos]) == sorted(known)
    trained |= {docno: {2: 3} for docno in second.docnos}
    assert set(rounds_of(known, trained, least=100)[2].docnos) == set(first.docnos)
    # Nine pairs are too few for that, and without a pass mark there is one round of all.
    assert rounds_of({f"d{n}": 0 for n in range(9)}, {}, least=100)[0].total == 9
    assert rounds_of(known, {}, least=None)[0].total == 12


def test_known_answers_are_listed_by_what_most_miss_and_corrected_singly(db: Session) -> None:
    ada = probed(db)
    ada.known(db, TRAINING, ("x1", 3), ("x2", 0), ("x3", 1))
    save_check_rules(db, ada.campaign, CheckRules(training=True, least=60))
    task = ada.task(db)
    given = {"x1": 3, "x2": 3, "x3": 2}
    for key in task.order:
        ada.say(db, key, given[task.slot(key).docno])
    lines = known_answer_lines(db, ada.campaign)
    shown = [(one.docno, one.grade, one.right, one.answered, one.others) for one in lines]
    assert shown == [("x2", 0, 0, 1, (3, 1)), ("x3", 1, 0, 1, (2, 1)), ("x1", 3, 1, 1, None)]
    x2, x3 = ("T1", "x2"), ("T1", "x3")
    change_known_answer(db, ada.campaign, purpose=TRAINING, pair=x2, grade=3)
    remove_known_answer(db, ada.campaign, purpose=TRAINING, pair=x3)
    lines = known_answer_lines(db, ada.campaign)
    assert [(one.docno, one.right) for one in lines] == [("x1", 1), ("x2", 1)]
    # Two of two are right by now, and the work is open.
    assert ada.task(db).gate is None
    with pytest.raises(WorkbenchError, match="9 is not a grade"):
        change_known_answer(db, ada.campaign, purpose=TRAINING, pair=x2, grade=9)
    with pytest.raises(NotFound):
        remove_known_answer(db, ada.campaign, purpose=TRAINING, pair=x3)
