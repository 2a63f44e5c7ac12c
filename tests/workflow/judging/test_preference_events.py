"""Answers of the desk of pairs side by side: each recorded once, and none dropped."""

from __future__ import annotations

from typing import Any

import pytest

from tests.builders import Made, account, campaign_with_people
from workbench.records import THREE_GRADES
from workbench.storage import Session
from workbench.workflow.campaigns.archive import archive_campaign
from workbench.workflow.judging.preference_desk import side_by_side
from workbench.workflow.judging.preference_tasks import compare_documents, revoke_task, tasks_of
from workbench.workflow.judging.preferences import TASK_FIELD, WITHDRAWN
from workbench.workflow.judging.sync import Outcome, receive, receive_preference
from workbench.workflow.judging.unrecorded import Settlement, settle, unrecorded_lines
from workbench.workflow.people.membership import Role, remove_role

pytestmark = pytest.mark.engines
RECEIVERS = {TASK_FIELD: receive_preference}


class Comparing:
    """Ada with a task of three pairs."""

    def __init__(self, db: Session) -> None:
        self.made: Made = campaign_with_people(db, scale=THREE_GRADES)
        self.campaign, self.ada = self.made.campaign.id, self.made.accounts["Ada"]
        pairs = {"T1": [("d1", "d2"), ("d1", "d6"), ("d2", "d6")]}
        compare_documents(db, self.campaign, pairs, assessor_ids=[self.made.assessors["Ada"]], seed=7)
        (task,) = tasks_of(db, self.campaign)
        self.task = task.id

    def send(
        self, db: Session, *said: tuple[int, object], by: int | None = None, **more: Any
    ) -> list[Outcome]:
        """Send answers to pairs by number, as the desk does; the client id is of pair and answer."""
        events = [
            {
                "task": self.task,
                "client_id": f"client-{pair}-{one}"[:64].replace("_", "-"),
                "pair": pair,
                "said": one,
            }
            for pair, one in said
        ]
        sent = [event | more for event in events]
        return [one.outcome for one in receive(db, by or self.ada, sent, RECEIVERS)]

    def answered(self, db: Session) -> list[tuple[int, str]]:
        """What is current, in its order."""
        return list(side_by_side(db, self.task, self.ada).answered)


def test_answers_and_undone_ones_are_recorded_once_in_their_order(db: Session) -> None:
    made = Comparing(db)
    said = [(1, "left"), (2, "tie"), (2, WITHDRAWN), (3, "right"), (2, "both_bad")]
    assert made.send(db, *said) == [Outcome.RECORDED] * 5
    assert made.answered(db) == [(1, "left"), (3, "right"), (2, "both_bad")]
    # The receipt was lost, and the whole batch comes again.
    assert made.send(db, *said) == [Outcome.REPEATED] * 5
    assert made.answered(db) == [(1, "left"), (3, "right"), (2, "both_bad")]
    assert unrecorded_lines(db, made.campaign) == ()


def test_what_cannot_be_recorded_waits_for_the_organiser_and_stops_nothing(db: Session) -> None:
    made = Comparing(db)
    assert made.send(db, (1, "left")) == [Outcome.RECORDED]
    odd = [(9, "left"), (2, "\x00"), (2, 7), (2, "tie")]
    expected = [Outcome.UNRECORDED, Outcome.REFUSED, Outcome.UNRECORDED, Outcome.RECORDED]
    assert made.send(db, *odd) == expected
    revoke_task(db, made.campaign, made.task)
    # Recorded before the task was removed: known, and not kept aside as new.
    assert made.send(db, (1, "left"), (3, "right")) == [Outcome.REPEATED, Outcome.UNRECORDED]
    *_, line = unrecorded_lines(db, made.campaign)
    assert (line.person, line.topic, line.preferred) == ("Ada", "T1", "")
    assert set(line.docno.split(" | ")) == {"d1", "d6"}
    settle(db, made.campaign, line.id, made.ada, settlement=Settlement.RECORDED)
    *_, line = unrecorded_lines(db, made.campaign)
    assert line.answer == line.preferred == f"{line.docno.split(' | ')[1]} is better"


@pytest.mark.parametrize("how", ["role", "archive"])
def test_whoever_may_not_answer_any_more_has_the_answer_stored(how: str, db: Session) -> None:
    made = Comparing(db)
    if how == "role":
        remove_role(db, made.campaign, made.ada, Role.ASSESSOR)
    else:
        archive_campaign(db, made.campaign)
    assert made.send(db, (1, "tie"), reason="alike") == [Outcome.UNRECORDED]
    (line,) = unrecorded_lines(db, made.campaign)
    assert (line.answer, line.comment) == ("tie", "alike")


def test_nobody_answers_for_somebody_else(db: Session) -> None:
    made = Comparing(db)
    for who in (made.made.accounts["Ben"], account(db, "Stranger")):
        assert made.send(db, (1, "left"), by=who) == [Outcome.REFUSED]
    assert made.send(db, (1, "left"), client_id="short") == [Outcome.REFUSED]
    assert made.send(db, (1, "left"), task=2**63) == [Outcome.REFUSED]
    assert unrecorded_lines(db, made.campaign) == ()
    assert made.answered(db) == []
