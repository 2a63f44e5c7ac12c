"""An assessor's task as the desk shows it: with the probes of the campaign among its documents.

Where a campaign has probes every document of a desk goes by a key, the probes as the others: nothing that
an assessor gets tells one from the other, but training, which says what it is. Where training asks for a
share of right answers the work waits behind it. Adaptive pools and those with a queue have no probes: there
the answers themselves decide what comes next, and for whom.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from workbench.storage.events import HOLDING, JUDGING, LATER, WITHDRAWN, CurrentEvent, events_with
from workbench.storage.tables import CampaignRow, JudgmentEventRow, PoolRow
from workbench.workflow.judging.probe_places import (
    PLANTED,
    PROBES,
    REPEAT,
    TRAINING,
    Slot,
    by_lot,
    probe_places,
    slot_key,
)
from workbench.workflow.judging.quality_probes import ProbeRules, probe_rules
from workbench.workflow.judging.task import Task, own_assignment, task_of
from workbench.workflow.judging.training import (
    Gate,
    Round,
    Trained,
    TrainingAnswer,
    is_let_through,
    known_grades,
    rounds_of,
    trained_by,
    training_answers,
)
from workbench.workflow.pools.adaptive_pools import is_adaptive


@dataclass(frozen=True, slots=True)
class _Said:
    """What an assessor said to the probes of a topic: here, with the place, and in other assignments.

    `settled` are not planned any more: those of other assignments, and those from before the latest rules.
    `trained` are the answers in training, of whatever assignment.
    """

    here: Mapping[Slot, tuple[CurrentEvent, int]]
    elsewhere: frozenset[Slot]
    settled: frozenset[Slot]
    trained: Trained


def screen_task(
    db: Session, assignment_id: int, account_id: int, *, writing: bool = False, only: str | None = None
) -> Task:
    """The task behind an assignment as its desk shows it; raises NotFound as `own_assignment`.

    With `only` the task need have no answers but that of this document: saving looks at no other.
    """
    own = own_assignment(db, assignment_id, account_id, writing=writing)
    # Where a campaign has probes the answers say where they stand, and `only` is a key.
    probed = _rules(own.campaign, own.pool) is not None
    return with_probes(db, task_of(db, own.assignment, own.pool, only=None if probed else only))


def with_probes(db: Session, task: Task) -> Task:
    """A task with the probes of its campaign in their places; without any it comes back as it is."""
    rules = _rules(task.campaign, task.pool)
    return task if rules is None else _with(db, task, rules)


def documents_behind(db: Session, task: Task, given: Iterable[str]) -> dict[str, str]:
    """The docnos of the assessor's part behind what a desk calls its documents; probes are left out."""
    screen, found = with_probes(db, task), {}
    for each in dict.fromkeys(given):
        key = screen.key_of(each)
        if key is not None and screen.slot(key).purpose == JUDGING:
            found[each] = screen.slot(key).docno
    return found


def _rules(campaign: CampaignRow, pool: PoolRow) -> ProbeRules | None:
    return None if is_adaptive(pool) or pool.per_pair is not None else probe_rules(campaign.desk_rules)


def _with(db: Session, task: Task, rules: ProbeRules) -> Task:
    assignment, pooled = task.assignment, set(task.order)
    known = known_grades(db, task.campaign.id, assignment.topic)
    said = _said(db, task, rules)
    before = _judged_before(db, task, rules)
    coming = [docno for docno in task.order if docno not in set(before)]
    places = probe_places(
        before,
        coming,
        seed=assignment.seed,
        topic=assignment.topic,
        one_in=rules.one_in,
        distance=rules.distance,
        planted=[
            docno
            for docno in known[PLANTED]
            if docno not in pooled and Slot(docno, PLANTED) not in said.settled
        ],
        repeated=[slot.docno for slot in said.settled if slot.purpose == REPEAT],
    )
    training: list[Slot] = []
    rounds: tuple[Round, ...] = ()
    if rules.training and not before and not is_let_through(task.campaign.desk_rules, assignment.id):
        rounds = rounds_of(known[TRAINING], said.trained, least=rules.least)
        for one in rounds:
            drawn = by_lot(known[TRAINING], seed=assignment.seed + one.number - 1, topic=assignment.topic)
            training += [Slot(docno, TRAINING, one.number) for docno in drawn]
        training = [slot for slot in training if slot not in said.elsewhere]
    work = _merged(task.order, coming, places)
    # Who has begun the work goes on with it, whatever becomes of the known answers.
    closed = bool(rules.least and rounds and not rounds[-1].passed) and not (task.answers or task.put_off)
    order = [*training, *(() if closed else work)]
    # What was answered stays where it was, whatever the rules have become since.
    lost = [(position, slot) for slot, (_, position) in said.here.items() if slot not in set(order)]
    for position, slot in sorted(lost, key=lambda one: one[0]):
        order.insert(min(position - 1, len(order)), slot)
    shown = _keyed(task, [*order, *(work if closed else ())], known, said)
    return _gated(shown, rounds, len(order)) if closed else shown


def _gated(task: Task, rounds: tuple[Round, ...], training: int) -> Task:
    """The task while its training is not passed: what comes after so many documents is left for later."""
    waiting = task.order[training:]
    return replace(
        task,
        order=task.order[:training],
        left=0 if task.closed else len(waiting),
        gate=Gate(rounds, frozenset(waiting)),
    )


def _merged(order: Sequence[str], coming: Sequence[str], places: Mapping[int, Sequence[Slot]]) -> list[Slot]:
    """The documents in their order, each probe after as many of those that come as its place says."""
    comes, shown = set(coming), 0
    merged = list(places.get(0, ()))
    for docno in order:
        merged.append(Slot(docno))
        if docno in comes:
            shown += 1
            merged.extend(places.get(shown, ()))
    return merged


def _keyed(task: Task, order: Sequence[Slot], known: Mapping[str, Iterable[str]], said: _Said) -> Task:
    """The task by keys. A probe that is planned no more keeps its key: its answer may be on the way."""
    latest_round = max((number for rounds in said.trained.values() for number in rounds), default=0)
    possible = [
        *order,
        *(Slot(docno, REPEAT) for docno in task.order),
        *(Slot(docno, PLANTED) for docno in known[PLANTED]),
        *(Slot(docno, TRAINING, at) for at in range(1, latest_round + 2) for docno in known[TRAINING]),
    ]
    assignment = task.assignment
    keys = {
        slot: slot_key(slot, assignment_id=assignment.id, seed=assignment.seed, topic=assignment.topic)
        for slot in dict.fromkeys(possible)
    }
    events = [(Slot(docno), event) for docno, event in [*task.answers.items(), *task.put_off.items()]]
    events += [(slot, event) for slot, (event, _) in said.here.items()]
    events.sort(key=lambda one: one[1].id)
    return replace(
        task,
        order=[keys[slot] for slot in order],
        answers={keys[slot]: event for slot, event in events if event.answer != LATER},
        put_off={keys[slot]: event for slot, event in events if event.answer == LATER},
        slots={key: slot for slot, key in keys.items()},
    )


def _said(db: Session, task: Task, rules: ProbeRules) -> _Said:
    assessor_id, topic = task.assignment.assessor_id, task.assignment.topic
    events = list(events_with(db, task.campaign.id, assessor_id, topic, purposes=PROBES))
    answers: list[TrainingAnswer] = []
    if any(event.purpose == TRAINING for event, _, _ in events):
        answers = list(training_answers(db, task.campaign.id, assessor_id=assessor_id, topic=topic))
    rounds = {one.event_id: one.round for one in answers}
    latest = {
        Slot(event.docno, event.purpose, rounds.get(event.id, 1)): (event, assignment_id, position or 1)
        for event, assignment_id, position in events
    }
    holding = {slot: said for slot, said in latest.items() if said[0].answer != WITHDRAWN}
    here = {
        slot: (event, position)
        for slot, (event, assignment_id, position) in holding.items()
        if assignment_id == task.assignment.id
    }
    elsewhere = frozenset(holding.keys() - here.keys())
    since = rules.since
    early = {slot for slot, (event, _) in here.items() if since is not None and event.recorded_at < since}
    return _Said(here, elsewhere, elsewhere | early, trained_by(iter(answers))[assessor_id, topic])


def _judged_before(db: Session, task: Task, rules: ProbeRules) -> list[str]:
    """The documents of the order that were judged before the rules were changed last, oldest first."""
    if rules.since is None:
        return []
    event = JudgmentEventRow
    rows = db.execute(
        select(event.docno, func.min(event.id))
        .where(
            event.campaign_id == task.campaign.id,
            event.assessor_id == task.assignment.assessor_id,
            event.topic == task.assignment.topic,
            event.purpose.in_(HOLDING),
            event.answer.not_in([WITHDRAWN, LATER]),
            event.recorded_at < rules.since,
        )
        .group_by(event.docno)
        .order_by(func.min(event.id))
    ).all()
    pooled = set(task.order)
    return [docno for docno, _ in rows if docno in pooled]
