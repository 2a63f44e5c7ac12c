"""Quality checks among the documents of a desk: repeats, planted pairs and training."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from heapq import heappop, heappush
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from workbench.frozen import frozen_dataclass
from workbench.records import id_bytes
from workbench.storage.events import (
    CURRENT_PURPOSES,
    JUDGING,
    LATER,
    PLANTED,
    PROBES,
    REPEAT,
    TRAINING,
    WITHDRAWN,
    CurrentEvent,
    events_with,
)
from workbench.storage.tables import AssignmentRow, CampaignRow, JudgmentEventRow, PoolRow
from workbench.workflow.clock import parse_client_time
from workbench.workflow.judging.task import OwnAssignment, Slot, Task, kind_of, own_assignment, task_of
from workbench.workflow.judging.training import (
    GradesByRound,
    TrainingAnswer,
    TrainingGate,
    TrainingRound,
    grades_by_round,
    is_waived,
    known_grades,
    rounds_of,
    training_answers,
)

CHECKS_RULE = "probes"
DISTANCE = 10
MOST_OFTEN, RAREST = 2, 1000
FARTHEST = 1000


@frozen_dataclass
class CheckRules:
    """One repeat in so many documents (None for no repeats), the least distance, and whether one trains.

    `least` is the share of right answers in percent that opens the work after training, None for no minimum.
    `since` is the moment of the latest change: what an assessor had judged by then is checked no more.
    """

    one_in: int | None = None
    distance: int = DISTANCE
    training: bool = False
    since: datetime | None = None
    least: int | None = None


def check_rules(desk_rules: Mapping[str, Any]) -> CheckRules | None:
    """The rules as they are kept; None where the campaign never asked for quality checks."""
    kept = desk_rules.get(CHECKS_RULE)
    if not isinstance(kept, Mapping):
        return None
    since = kept.get("since")
    return CheckRules(
        one_in=_within(kept.get("one_in"), MOST_OFTEN, RAREST),
        distance=_within(kept.get("distance"), 1, FARTHEST) or DISTANCE,
        training=kept.get("training") is True,
        since=parse_client_time(since) if isinstance(since, str) else None,
        least=_within(kept.get("least"), 1, 100),
    )


def check_rules_of(db: Session, campaign_id: int) -> CheckRules:
    """What a campaign asks for now."""
    return check_rules(db.get_one(CampaignRow, campaign_id).desk_rules) or CheckRules()


def _within(value: object, least: int, most: int) -> int | None:
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if least <= value <= most else None


KEY_LENGTH = 24


def slot_key(slot: Slot, *, assignment_id: int, seed: int, topic: str) -> str:
    """What a desk calls a slot: tells neither the document nor what its answer is for."""
    about = (str(assignment_id), slot.purpose, slot.docno, *([str(slot.round)] if slot.round > 1 else []))
    return _draw(seed, topic, *about).hex()[:KEY_LENGTH]


def seeded_order(docnos: Collection[str], *, seed: int, topic: str) -> list[str]:
    """Docnos in an order that the seed draws."""
    return sorted(docnos, key=lambda docno: _draw(seed, topic, "order", docno))


def check_places(
    before: Sequence[str],
    coming: Sequence[str],
    *,
    seed: int,
    topic: str,
    rules: CheckRules,
    planted: Collection[str] = (),
    repeated: Collection[str] = (),
) -> dict[int, list[Slot]]:
    """The quality checks of a topic by how many of the `coming` documents are shown before them (from 0).

    `before` are the documents judged already, oldest first: they can be repeated, but nothing is put among
    them. Of every `one_in` coming documents one place, drawn by seed, has a repeat of a document since which
    at least `distance` others came, or half of a small topic's; every document at most once, none of
    `repeated`. Where there is no such document yet, later ones make up for the place. Planted ones are spread
    over all places but the last.
    """
    found: dict[int, list[Slot]] = {}
    if not coming:
        return found
    for docno in sorted(planted, key=id_bytes):
        at = int.from_bytes(_draw(seed, topic, PLANTED, docno)[:8]) % len(coming)
        found.setdefault(at, []).append(Slot(docno, PLANTED))
    if rules.one_in is None:
        return found
    shown = [*before, *coming]
    barred, waiting, ripe = set(repeated), 0, list[tuple[bytes, str]]()
    apart, owed = min(rules.distance, len(shown) // 2), 0
    drawn = set(_places(len(coming), rules.one_in, seed=seed, topic=topic))
    for at in range(1, len(coming) + 1):
        while waiting < len(before) + at - apart:
            docno = shown[waiting]
            waiting += 1
            if docno not in barred:
                heappush(ripe, (_draw(seed, topic, REPEAT, docno), docno))
        owed += at in drawn
        # What is owed from the start comes one by one, since a run of repeats would give itself away.
        if owed and ripe and (at in drawn or at % 2 == 0):
            found.setdefault(at, []).append(Slot(heappop(ripe)[1], REPEAT))
            owed -= 1
    return found


def _places(coming: int, one_in: int, *, seed: int, topic: str) -> Iterator[int]:
    """One place (from 1) in every `one_in` documents that come; of the rest in that share of topics."""
    for block in range(-(-coming // one_in)):
        drawn = int.from_bytes(_draw(seed, topic, "place", str(block))[:8])
        at = block * one_in + drawn % one_in + 1
        if at <= coming:
            yield at


def _draw(seed: int, topic: str, *about: str) -> bytes:
    parts = [str(seed).encode(), id_bytes(topic), *map(id_bytes, about)]
    return hashlib.sha256(b"\0".join(parts)).digest()


@frozen_dataclass
class _CheckAnswers:
    """What an assessor answered to the checks of a topic: here, with the place, and in other assignments.

    `settled` are not planned any more: those of other assignments, and those from before the latest rules.
    `trained` are the answers in training, of whatever assignment.
    """

    here: Mapping[Slot, tuple[CurrentEvent, int]]
    elsewhere: frozenset[Slot]
    settled: frozenset[Slot]
    trained: GradesByRound


def desk_task(db: Session, assignment_id: int, account_id: int, *, writing: bool = False) -> Task:
    """The task behind an assignment as its desk shows it; raises NotFound as `own_assignment`."""
    return shown_task(db, own_assignment(db, assignment_id, account_id, writing=writing))


def shown_task(db: Session, own: OwnAssignment, *, only: str | None = None) -> Task:
    """The task of an assignment as its desk shows it.

    With `only` the task need have no answers but that of this document: saving looks at no other.
    """
    # Where a campaign has quality checks the answers say where they stand, and `only` is a key.
    checked = _rules(own.campaign, own.pool) is not None
    return with_quality_checks(db, task_of(db, own.assignment, own.pool, only=None if checked else only))


def with_quality_checks(db: Session, task: Task) -> Task:
    """A task with the quality checks of its campaign in their places; without any it comes back as it is."""
    rules = _rules(task.campaign, task.pool)
    return task if rules is None else _with(db, task, rules)


def whole_task(db: Session, assignment: AssignmentRow) -> Task:
    """The task of an assignment as its desk shows it, whoever asks and whether it is in force."""
    return with_quality_checks(db, task_of(db, assignment, db.get_one(PoolRow, assignment.pool_id)))


def docnos_behind(db: Session, task: Task, given: Iterable[str]) -> dict[str, str]:
    """The docnos of the assessor's part behind what a desk calls its documents, without the checks."""
    screen, found = with_quality_checks(db, task), {}
    for each in dict.fromkeys(given):
        key = screen.key_of(each)
        if key is not None and screen.slot(key).purpose == JUDGING:
            found[each] = screen.slot(key).docno
    return found


def _rules(campaign: CampaignRow, pool: PoolRow) -> CheckRules | None:
    return check_rules(campaign.desk_rules) if kind_of(pool).has_quality_checks else None


def _with(db: Session, task: Task, rules: CheckRules) -> Task:
    assignment, pooled = task.assignment, set(task.order)
    of_topic = known_grades(db, task.campaign.id, assignment.topic)
    known = {purpose: of_topic[purpose, assignment.topic] for purpose in (PLANTED, TRAINING)}
    answers = _check_answers(db, task, rules)
    before = _judged_before(db, task, rules)
    coming = [docno for docno in task.order if docno not in set(before)]
    places = check_places(
        before,
        coming,
        seed=assignment.seed,
        topic=assignment.topic,
        rules=rules,
        planted=[
            docno
            for docno in known[PLANTED]
            if docno not in pooled and Slot(docno, PLANTED) not in answers.settled
        ],
        repeated=[slot.docno for slot in answers.settled if slot.purpose == REPEAT],
    )
    training: list[Slot] = []
    rounds: tuple[TrainingRound, ...] = ()
    if rules.training and not before and not is_waived(task.campaign.desk_rules, assignment.id):
        # Of a pair that is to be judged too, the key would be shown just before.
        fresh = {docno: grade for docno, grade in known[TRAINING].items() if docno not in pooled}
        rounds = rounds_of(fresh, answers.trained, least=rules.least)
        for one in rounds:
            seed = assignment.seed + one.number - 1
            drawn = seeded_order(one.docnos, seed=seed, topic=assignment.topic)
            training += [Slot(docno, TRAINING, one.number) for docno in drawn]
        training = [slot for slot in training if slot not in answers.elsewhere]
    work = _merged(task.order, coming, places)
    # Who has begun the work goes on with it, whatever becomes of the known answers.
    closed = bool(rules.least and rounds and not rounds[-1].passed) and not (task.answers or task.put_off)
    order = [*training, *(() if closed else work)]
    # What was answered stays where it was, whatever the rules have become since.
    lost = [(position, slot) for slot, (_, position) in answers.here.items() if slot not in set(order)]
    for position, slot in sorted(lost, key=lambda one: one[0]):
        order.insert(min(position - 1, len(order)), slot)
    shown = _keyed(task, [*order, *(work if closed else ())], known, answers)
    return _gated(shown, rounds, len(order)) if closed else shown


def _gated(task: Task, rounds: tuple[TrainingRound, ...], training: int) -> Task:
    """The task while its training is not passed: what comes after so many documents is left for later."""
    waiting = task.order[training:]
    return replace(
        task,
        order=task.order[:training],
        left=0 if task.closed else len(waiting),
        gate=TrainingGate(rounds, frozenset(waiting)),
    )


def _merged(order: Sequence[str], coming: Sequence[str], places: Mapping[int, Sequence[Slot]]) -> list[Slot]:
    """The documents in their order, each check after as many of those that come as its place says."""
    comes, shown = set(coming), 0
    merged = list(places.get(0, ()))
    for docno in order:
        merged.append(Slot(docno))
        if docno in comes:
            shown += 1
            merged.extend(places.get(shown, ()))
    return merged


def _keyed(
    task: Task, order: Sequence[Slot], known: Mapping[str, Iterable[str]], answers: _CheckAnswers
) -> Task:
    """The task by keys. A check that is planned no more keeps its key: its answer may be on the way."""
    latest_round = max((number for rounds in answers.trained.values() for number in rounds), default=0)
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
    events += [(slot, event) for slot, (event, _) in answers.here.items()]
    events.sort(key=lambda one: one[1].id)
    return replace(
        task,
        order=[keys[slot] for slot in order],
        answers={keys[slot]: event for slot, event in events if event.answer != LATER},
        put_off={keys[slot]: event for slot, event in events if event.answer == LATER},
        slots={key: slot for slot, key in keys.items()},
    )


def _check_answers(db: Session, task: Task, rules: CheckRules) -> _CheckAnswers:
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
    holding = {slot: given for slot, given in latest.items() if given[0].answer != WITHDRAWN}
    here = {
        slot: (event, position)
        for slot, (event, assignment_id, position) in holding.items()
        if assignment_id == task.assignment.id
    }
    elsewhere = frozenset(holding.keys() - here.keys())
    since = rules.since
    early = {slot for slot, (event, _) in here.items() if since is not None and event.recorded_at < since}
    return _CheckAnswers(
        here, elsewhere, elsewhere | early, grades_by_round(iter(answers))[assessor_id, topic]
    )


def _judged_before(db: Session, task: Task, rules: CheckRules) -> list[str]:
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
            event.purpose.in_(CURRENT_PURPOSES),
            event.answer.not_in([WITHDRAWN, LATER]),
            event.recorded_at < rules.since,
        )
        .group_by(event.docno)
        .order_by(func.min(event.id))
    ).all()
    pooled = set(task.order)
    return [docno for docno, _ in rows if docno in pooled]
