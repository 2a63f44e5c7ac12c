"""Side by side: tasks, sides by lot, answers once each, and what comes of them."""

from __future__ import annotations

import pytest
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from tests.builders import Made, campaign_with_people
from workbench.agreement.preferences import sign_test
from workbench.errors import Conflict, InvalidInput
from workbench.storage.engine import Database
from workbench.storage.tables import PreferenceEventRow
from workbench.workflow.judging.preference_desk import choose, side_by_side, undo_choice
from workbench.workflow.judging.preference_tasks import (
    compare_documents,
    left_to_compare,
    shown_left,
    tasks_of,
)
from workbench.workflow.judging.preferences import (
    PreferenceKind,
    SideAnswer,
    preferences_of,
)
from workbench.workflow.judging.worklists import effective_roles
from workbench.workflow.people.membership import Role, add_role

# The third is the first once more.
PAIRS = {"T1": [("d1", "d2"), ("d1", "d6"), ("d2", "d1")]}


@pytest.fixture
def made(database: Database) -> Made:
    with database.writing() as db:
        found = campaign_with_people(db)
        ids = [found.assessors["Ada"]]
        assert compare_documents(db, found.campaign.id, PAIRS, assessor_ids=ids, seed=7) == 1
    return found


def task_id(database: Database, made: Made) -> int:
    with database.reading() as db:
        (task,) = tasks_of(db, made.campaign.id)
        return task.id


@pytest.mark.engines
def test_a_pair_is_given_once_whatever_its_order(made: Made, db: Session) -> None:
    (task,) = tasks_of(db, made.campaign.id)
    assert (task.kind, task.topic, task.assessor, task.pairs, task.done) == (
        PreferenceKind.DOCUMENTS, "T1", "Ada", 2, 0,
    )  # fmt: skip
    both = list(made.assessors.values())
    # Ada has them; Ben gets them.
    assert compare_documents(db, made.campaign.id, PAIRS, assessor_ids=both) == 1
    assert left_to_compare(db, made.campaign.id, made.accounts["Ben"]) == 2


def test_an_answer_of_a_side_is_one_of_a_document(database: Database, made: Made) -> None:
    ada, number = made.accounts["Ada"], task_id(database, made)
    with database.writing() as db:
        shown = side_by_side(db, number, ada)
        assert (shown.number, shown.pairs, shown.done, shown.answer) == (1, 2, 0, "")
        (left,), (right,) = shown.left, shown.right
        assert {left.docno, right.docno} in ({"d1", "d2"}, {"d1", "d6"})
        assert left.text == f"Text of {left.docno}"
        assert choose(db, number, ada, SideAnswer(1, "left", "client-1", reason=" clearer "))
        assert not choose(db, number, ada, SideAnswer(1, "left", "client-1"))
        with pytest.raises(Conflict):
            choose(db, number, ada, SideAnswer(1, "right", "client-1"))
        (held,) = preferences_of(db, made.campaign.id)
        better = held.first if held.choice == "first" else held.second
        assert better == left.docno
        again = side_by_side(db, number, ada, number=1)
        assert (again.answer, again.reason, again.done) == ("left", "clearer", 1)


@pytest.mark.engines
def test_answers_are_taken_back_one_by_one_and_stay_in_the_history(database: Database, made: Made) -> None:
    ada, number = made.accounts["Ada"], task_id(database, made)
    with database.writing() as db:
        choose(db, number, ada, SideAnswer(1, "tie", "client-1"))
        choose(db, number, ada, SideAnswer(2, "both_bad", "client-2"))
        assert side_by_side(db, number, ada).finished
        assert undo_choice(db, number, ada, client_id="client-3") == 2
        assert undo_choice(db, number, ada, client_id="client-4") == 1
        assert undo_choice(db, number, ada, client_id="client-5") is None
        assert preferences_of(db, made.campaign.id) == ()
        assert db.scalar(select(func.count()).select_from(PreferenceEventRow)) == 4


def test_who_has_pairs_to_compare_is_nothing_else_meanwhile(database: Database, made: Made) -> None:
    ada, number = made.accounts["Ada"], task_id(database, made)
    with database.writing() as db:
        add_role(db, made.campaign.id, ada, Role.VIEWER)
        assert effective_roles(db, made.campaign.id, ada) == {Role.ASSESSOR}
        choose(db, number, ada, SideAnswer(1, "left", "client-1"))
        choose(db, number, ada, SideAnswer(2, "left", "client-2"))
        assert effective_roles(db, made.campaign.id, ada) == {Role.ASSESSOR, Role.VIEWER}


def test_what_is_not_in_the_campaign_is_told_whole(database: Database, made: Made) -> None:
    wrong = {"T9": [("d1", "d2")], "T1": [("d1", "x"), ("y", "d2")]}
    with database.writing() as db, pytest.raises(InvalidInput) as caught:
        compare_documents(db, made.campaign.id, wrong, assessor_ids=[made.assessors["Ada"]])
    assert [one.message for one in caught.value.findings] == [
        "there is no topic T9",
        "document x is not loaded",
        "document y is not loaded",
    ]


def test_the_sign_test_is_exact_and_two_sided() -> None:
    # By hand: 1 of 5: (1 + 5) / 32 each side, 12/32; 3 of 6 is no evidence at all.
    assert sign_test(1, 4) == 12 / 32
    assert sign_test(3, 3) == 1.0
    assert sign_test(0, 8) == 2 / 256
    assert sign_test(0, 0) is None


def test_sides_are_drawn_by_lot_and_the_same_again() -> None:
    drawn = [shown_left(5, (f"d{n}", "e")) for n in range(400)]
    assert drawn == [shown_left(5, (f"d{n}", "e")) for n in range(400)]
    # Two in a million lots of 400 have fewer than 152 or more than 248 on one side.
    assert 152 <= sum(drawn) <= 248
