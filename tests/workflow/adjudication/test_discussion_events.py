"""Answers of the page of a discussion: each recorded once, and none dropped."""

from __future__ import annotations

from typing import Any

import pytest

from tests.builders import account
from tests.workflow.adjudication.disputed import FAR, NEAR, Disputed, disputed_campaign
from workbench.consensus.votes import Pair
from workbench.storage import Session
from workbench.workflow.adjudication.decisions import Decision
from workbench.workflow.adjudication.discussions import discussion, receive_discussed
from workbench.workflow.judging.sync import Outcome, receive
from workbench.workflow.judging.unrecorded import DISCUSSION_FIELD, Settlement, settle, unrecorded_lines

pytestmark = pytest.mark.engines


def send(db: Session, one: Disputed, pair: Pair, grade: int, **more: Any) -> Outcome:
    """Send Ada's answer, as the page does; the client id is of pair and grade."""
    event: dict[str, Any] = {
        "discussion": one.made.campaign.slug,
        "topic": pair[0],
        "docno": pair[1],
        "client_id": f"client-{pair[1]}-{grade}",
        "kind": "answer",
        "answer": "grade",
        "grade": grade,
        "comment": "the table says so",
    }
    who = more.pop("by", one.made.accounts["Ada"])
    (receipt,) = receive(db, who, [event | more], {DISCUSSION_FIELD: receive_discussed})
    return receipt.outcome


def test_an_answer_is_recorded_once_also_after_the_pair_was_decided(db: Session) -> None:
    one = disputed_campaign(db)
    ada = one.made.accounts["Ada"]
    one.decide(db, FAR, Decision.BACK)
    assert send(db, one, FAR, 2) is Outcome.RECORDED
    found = discussion(db, one.id, ada, FAR)
    assert (found.answered, found.mine.grade, found.mine.comment) == (True, 2, "the table says so")
    one.decide(db, FAR, 3)
    assert send(db, one, FAR, 2) is Outcome.REPEATED
    assert unrecorded_lines(db, one.id) == ()


def test_an_answer_that_comes_after_the_decision_waits_for_the_organiser(db: Session) -> None:
    one = disputed_campaign(db)
    one.decide(db, FAR, Decision.BACK)
    one.decide(db, FAR, 3)
    assert send(db, one, FAR, 2) is Outcome.UNRECORDED
    assert send(db, one, FAR, 9) is Outcome.UNRECORDED
    assert send(db, one, FAR, 1, kind="later", client_id="client-later") is Outcome.UNRECORDED
    line, *_ = unrecorded_lines(db, one.id)
    assert (line.person, line.topic, line.docno, line.grade) == ("Ada", *FAR, 2)
    assert line.current is not None
    assert line.current.grade == 0
    settle(db, one.id, line.id, one.judith, settlement=Settlement.RECORDED)
    line, *_ = unrecorded_lines(db, one.id)
    assert line.current is not None
    assert line.current.grade == 2


def test_only_what_was_sent_back_to_an_account_is_received_from_it(db: Session) -> None:
    one = disputed_campaign(db)
    one.decide(db, FAR, Decision.BACK)
    assert send(db, one, NEAR, 2) is Outcome.REFUSED
    assert send(db, one, FAR, 2, by=account(db, "Stranger")) is Outcome.REFUSED
    assert send(db, one, FAR, 2, discussion="elsewhere") is Outcome.REFUSED
    for odd in ("\udcff", "\x00", 7):
        assert send(db, one, FAR, 2, docno=odd) is Outcome.REFUSED
    assert unrecorded_lines(db, one.id) == ()
