"""Side by side: tasks, sides by lot, answers once each, and what comes of them."""

from __future__ import annotations

import pytest
from sqlalchemy import func, select

from tests.builders import ALPHA, BETA, Made, campaign_with_people, send_runs
from workbench.agreement.preferences import sign_test
from workbench.errors import Conflict, InvalidInput, NotFound, WorkbenchError
from workbench.records import THREE_GRADES, Answer
from workbench.storage.engine import Database
from workbench.storage.tables import PreferenceEventRow
from workbench.workflow.judging.preference_desk import choose, side_by_side, undo_choice
from workbench.workflow.judging.preference_results import (
    preference_answers,
    preference_lines,
    preference_results,
    preferences_of,
)
from workbench.workflow.judging.preference_tasks import (
    best_judged,
    compare_best,
    compare_documents,
    compare_runs,
    left_to_compare,
    revoke_task,
    shown_left,
    tasks_of,
)
from workbench.workflow.judging.preferences import PreferenceKind, SideAnswer
from workbench.workflow.judging.record import Place, append
from workbench.workflow.judging.submission import Submission
from workbench.workflow.judging.worklists import effective_roles
from workbench.workflow.people.membership import add_role
from workbench.workflow.people.roles import Role

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
def test_a_pair_is_given_once_whatever_its_order(database: Database, made: Made) -> None:
    with database.writing() as db:
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


def test_trec_eval_gets_a_subgroup_for_every_decided_pair(database: Database, made: Made) -> None:
    ada, number = made.accounts["Ada"], task_id(database, made)
    with database.writing() as db:
        said = {}
        for at in (1, 2):
            shown = side_by_side(db, number, ada, number=at)
            documents = {shown.left[0].docno: "left", shown.right[0].docno: "right"}
            # d1 is better than d2; d1 and d6 are alike.
            pair = frozenset(documents)
            said[pair] = documents["d1"] if "d2" in documents else "tie"
            choose(db, number, ada, SideAnswer(at, said[pair], f"client-{at}"))
        assert list(preference_lines(db, made.campaign.id)) == [b"T1 Ada 1 d1 1\n", b"T1 Ada 1 d2 0\n"]


def test_a_task_is_its_assessors_own_and_can_be_taken_back(database: Database, made: Made) -> None:
    number = task_id(database, made)
    with database.writing() as db:
        with pytest.raises(NotFound):
            side_by_side(db, number, made.accounts["Ben"])
        with pytest.raises(NotFound):
            side_by_side(db, number, made.accounts["Ada"], number=3)
        with pytest.raises(WorkbenchError, match="unknown answer"):
            choose(db, number, made.accounts["Ada"], SideAnswer(1, "best", "client-1"))
        revoke_task(db, made.campaign.id, number)
        with pytest.raises(NotFound):
            choose(db, number, made.accounts["Ada"], SideAnswer(1, "left", "client-1"))
        assert tasks_of(db, made.campaign.id) == ()


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


def test_the_best_judged_are_an_assessors_own_relevant_documents(database: Database) -> None:
    # Ada: d6 and d/4 2, d1 1, d2 0 and so not relevant; Ben alone graded é5.
    rows = [("Ada", "d6", 2), ("Ada", "d/4", 2), ("Ada", "d1", 1), ("Ada", "d2", 0)]
    rows += [("Ben", "é5", 2), ("Ben", "d1", 2)]
    with database.writing() as db:
        made = campaign_with_people(db, scale=THREE_GRADES)
        here = made.campaign.id
        for number, (name, docno, grade) in enumerate(rows):
            said = Submission(docno, f"client-{number}", answer=Answer.GRADE, grade=grade)
            append(db, Place(here, made.assessors[name], "T1", docno, source="desk"), said)
        own = {
            name: best_judged(db, here, ["T1", "T2"], 3, assessor_id=number)
            for name, number in made.assessors.items()
        }
        given = compare_best(db, here, ["T1"], count=2, assessor_ids=made.assessors.values())
    assert own["Ada"] == {"T1": [("d/4", "d6"), ("d/4", "d1"), ("d6", "d1")], "T2": []}
    assert own["Ben"] == {"T1": [("d1", "é5")], "T2": []}
    assert given == 2


def test_answers_come_out_with_reason_side_and_time(database: Database, made: Made) -> None:
    ada, number = made.accounts["Ada"], task_id(database, made)
    with database.writing() as db:
        shown = side_by_side(db, number, ada, number=1)
        choose(db, number, ada, SideAnswer(1, "right", "client-1", reason="newer", active_ms=12_345))
        (one,) = preference_answers(db, made.campaign.id)
    assert (one.left, one.preferred) == (shown.left[0].docno, shown.right[0].docno)
    assert (one.reason, one.active_ms) == ("newer", 12_345)


def test_two_runs_stand_side_by_side_without_names(database: Database, made: Made) -> None:
    here, ada, ben = made.campaign.id, made.accounts["Ada"], made.accounts["Ben"]
    with database.writing() as db:
        send_runs(db, here, alpha=ALPHA, beta=BETA)
        ids = [made.assessors["Ada"], made.assessors["Ben"]]
        assert compare_runs(db, here, "beta", "alpha", topics=["T1", "T2"], assessor_ids=ids, seed=3) == 4
        for account, better in ((ada, "alpha"), (ben, "beta")):
            runs = [t for t in tasks_of(db, here, account_id=account) if t.kind is PreferenceKind.RUNS]
            for number, task in enumerate(runs):
                shown = side_by_side(db, task.id, account)
                lists = [[one.docno for one in side] for side in (shown.left, shown.right)]
                ranked = {"alpha": list(ALPHA[task.topic]), "beta": list(BETA[task.topic])}
                assert sorted(lists) == sorted(ranked.values())
                said = "left" if lists[0] == ranked[better] else "right"
                said = "tie" if (account, number) == (ben, 1) else said
                choose(db, task.id, account, SideAnswer(1, said, f"client-{account}-{number}"))
        (one,) = preference_results(preference_answers(db, here)).runs
        # Ada: alpha twice; Ben: beta once and a tie.
        assert (one.first, one.first_better, one.second_better, one.ties) == ("alpha", 2, 1, 1)
        assert list(preference_lines(db, here)) == []
        with pytest.raises(WorkbenchError, match="with itself"):
            compare_runs(db, here, "beta", "beta", topics=["T1"], assessor_ids=ids)


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
