"""The queue of disputed pairs: what is in it, where each stands, in which order."""

from __future__ import annotations

import pytest
from sqlalchemy.orm import Session

from tests.workflow.adjudication.disputed import AGREED, FAR, LINE, NEAR, Disputed, disputed_campaign
from workbench.consensus.disputes import Difference
from workbench.errors import WorkbenchError
from workbench.workflow.adjudication.disputes import dispute_queue
from workbench.workflow.adjudication.queue import Order, State
from workbench.workflow.adjudication.queue_table import Queue
from workbench.workflow.adjudication.rules import (
    AdjudicationRules,
    adjudication_rules,
    save_adjudication_rules,
)


def pairs(found: Queue, state: State | None = None) -> list[tuple[str, str]]:
    return [line.pair for line in found.filtered(state=state)]


def test_pairs_come_by_topic_by_distance_or_by_their_influence_on_the_ranking(db: Session) -> None:
    one = disputed_campaign(db)
    by_topic = dispute_queue(db, one.id, order=Order.TOPIC)
    assert pairs(by_topic) == [FAR, NEAR, LINE]
    assert by_topic.counts == dict.fromkeys(State, 0) | {State.OPEN: 3}
    assert by_topic.lines[0].influence is None
    assert pairs(dispute_queue(db, one.id, order=Order.DISTANCE)) == [FAR, LINE, NEAR]
    moved = dispute_queue(db, one.id, order=Order.INFLUENCE)
    # d1 of T1 stands first in alpha and third in beta, and d1 of T2 is in alpha only.
    assert pairs(moved)[0] == FAR
    shifts = {line.pair: line.influence.shift for line in moved.lines if line.influence}
    assert shifts[FAR] > shifts[NEAR] > 0
    # The only graded document of T2 is all of the ideal, whatever its grade: nDCG stays as it is.
    assert shifts[LINE] == 0
    assert moved.topics == (("T1", 2), ("T2", 1))


def test_the_next_pair_is_the_next_open_one_and_after_the_last_the_first(db: Session) -> None:
    one = disputed_campaign(db)
    one.decide(db, NEAR, 2)
    lines = dispute_queue(db, one.id, order=Order.TOPIC).lines
    assert [lines.next_open(one) for one in (None, FAR, LINE)] == [FAR, LINE, FAR]
    one.decide(db, FAR, 2)
    one.decide(db, LINE, 2)
    assert dispute_queue(db, one.id, order=Order.TOPIC).lines.next_open(FAR) is None


def test_a_decision_stays_when_assessors_change_their_answers_and_the_queue_says_so(db: Session) -> None:
    one = disputed_campaign(db)
    one.decide(db, FAR, 2)
    one.decide(db, NEAR, 2)
    one.say(db, "Ada", FAR, 1)
    # The same answer once more is no change, and agreement does not take a decision away.
    one.say(db, "Ada", NEAR, 2)
    lines = {line.pair: line for line in dispute_queue(db, one.id, order=Order.TOPIC).lines}
    assert (lines[FAR].state, lines[FAR].changed) == (State.DECIDED, True)
    assert (lines[NEAR].state, lines[NEAR].changed) == (State.DECIDED, False)
    one.say(db, "Ada", NEAR, 3)
    agreed = {line.pair: line for line in dispute_queue(db, one.id, order=Order.TOPIC).lines}[NEAR]
    assert (agreed.state, agreed.changed, agreed.spread.distance) == (State.DECIDED, True, 0)


def test_giving_machines_a_voice_later_changes_no_answer(db: Session) -> None:
    one = disputed_campaign(db)
    one.decide(db, AGREED, 1)
    save_adjudication_rules(db, one.id, AdjudicationRules(machines=True))
    (line,) = (each for each in dispute_queue(db, one.id).lines if each.pair == AGREED)
    assert (line.state, line.changed) == (State.DECIDED, False)


def test_settings_that_cannot_hold_are_refused_and_a_seed_once_drawn_stays(db: Session) -> None:
    one: Disputed = disputed_campaign(db)
    for wrong in (
        AdjudicationRules(Difference.DISTANCE, 4),
        AdjudicationRules(steps=0),
        AdjudicationRules(measure="P@10"),
    ):
        with pytest.raises(WorkbenchError):
            save_adjudication_rules(db, one.id, wrong)
    assert adjudication_rules(db, one.id) == AdjudicationRules()
    seed = save_adjudication_rules(db, one.id, AdjudicationRules(names_hidden=True)).seed
    assert seed > 0
    save_adjudication_rules(db, one.id, AdjudicationRules())
    kept = save_adjudication_rules(db, one.id, AdjudicationRules(names_hidden=True))
    assert adjudication_rules(db, one.id) == kept
    assert kept.seed == seed
