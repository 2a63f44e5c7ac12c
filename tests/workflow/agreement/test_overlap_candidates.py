"""The pairs from which an overlap is drawn, found topic by topic, are those found pair by pair."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from tests.assigned import assign
from tests.builders import Made, pooled_campaign
from tests.workflow.agreement.overlaps import judge
from workbench.pooling.strategies import PoolRecipe
from workbench.records import FOUR_GRADES, Judgment, id_bytes
from workbench.storage.engine import Database
from workbench.storage.events import current_events
from workbench.storage.tables import AssessorRow, AssignmentRow, PoolRow
from workbench.workflow.agreement.overlap_candidates import Candidate, candidates_of
from workbench.workflow.judging.handout import handout_of
from workbench.workflow.judging.importing import import_judgments
from workbench.workflow.judging.queue_handout import QueueHandout
from workbench.workflow.pools.drafts import close_pool
from workbench.workflow.pools.making import make_pool

pytestmark = pytest.mark.engines

NAMES = ("Ada", "Ben", "Cleo")
PAIRS = [(topic, docno) for topic in ("T1", "T2") for docno in ("d1", "d2", "d/4", "x1", "x2", "x3", "é5")]


def pair_by_pair(
    db: Session, made: Made, relevant_from: int | None, second: set[int] | None, others: int
) -> list[Candidate]:
    """The candidates by going through the events one by one."""
    people = set(db.scalars(select(AssessorRow.id).where(AssessorRow.machine.is_(False))))
    answers: dict[tuple[str, str], dict[int, int | None]] = {}
    for one in current_events(db, made.campaign.id):
        if one.assessor_id in people:
            answers.setdefault((one.topic, one.docno), {})[one.assessor_id] = one.grade
    given: dict[tuple[str, str], set[int]] = {}
    rows = db.scalars(
        select(AssignmentRow)
        .join(PoolRow, PoolRow.id == AssignmentRow.pool_id)
        .where(AssignmentRow.revoked_at.is_(None), PoolRow.closed_at.is_(None))
    )
    for row in rows:
        handout = handout_of(db, db.get_one(PoolRow, row.pool_id), row.topic)
        for docno in handout.docnos(row.assessor_id):
            given.setdefault((row.topic, docno), set()).add(row.assessor_id)
    found = []
    for topic, docno in sorted(answers, key=lambda pair: (id_bytes(pair[0]), id_bytes(pair[1]))):
        of_pair = answers[topic, docno]
        graded = {who: grade for who, grade in of_pair.items() if grade is not None}
        if len(graded) != 1 or given.get((topic, docno), set()) - graded.keys():
            continue
        able = frozenset((second or set()) - of_pair.keys())
        if second is None or len(able) >= others:
            (grade,) = graded.values()
            label = 3 - grade if relevant_from is None else int(grade < relevant_from)
            found.append(Candidate(topic, docno, label, able))
    return found


def check(database: Database, made: Made) -> int:
    """Compare under several ways of asking; returns how many candidates there are for anybody."""
    ids = [made.assessors[name] for name in NAMES]
    with database.reading() as db:
        for relevant_from in (None, 1, 3):
            for second, others in ((None, 1), ({ids[0]}, 1), ({ids[1], ids[2]}, 2), (set(ids), 2)):
                expected = pair_by_pair(db, made, relevant_from, second, others)
                found = candidates_of(
                    db, made.campaign.id, relevant_from=relevant_from, second=second, others=others
                )
                assert found.chosen(range(found.pairs)) == expected
                labels = Counter(one.label for one in expected)
                assert found.by_label == tuple(
                    labels[label] for label in range(4 if relevant_from is None else 2)
                )
                assert found.labels.tolist() == [one.label for one in expected]
                assert found.topic_sizes == tuple(Counter(one.topic for one in expected).values())
                assert found.chosen(range(0, found.pairs, 2)[::-1]) == expected[::2]
        return candidates_of(db, made.campaign.id, relevant_from=1).pairs


def said(generator: random.Random, number: int) -> list[Judgment]:
    return [Judgment(f"robot {number}", *generator.choice(PAIRS), generator.randrange(4))]


@pytest.mark.parametrize("seed", range(3))
def test_whatever_is_judged_and_assigned_the_candidates_are_those_of_every_pair(
    database: Database, seed: int
) -> None:
    generator = random.Random(seed)
    with database.writing() as db:
        made, pool = pooled_campaign(db, scale=FOUR_GRADES, assessors=NAMES)
        other = make_pool(db, made.campaign.id, PoolRecipe(parameters={"depth": 1}), name="other")
        queue = make_pool(db, made.campaign.id, PoolRecipe(parameters={"depth": 3}), name="queue")
        db.get_one(PoolRow, queue.pool.id).per_pair = 2
    sizes = [check(database, made)]
    ids = [made.assessors[name] for name in NAMES]
    for turn in range(3):
        with database.writing() as db:
            for name in NAMES:
                pairs = generator.sample(PAIRS, 4)
                judge(
                    db, made, name, {pair: generator.choice([0, 1, 2, 3, None]) for pair in pairs}, f"{turn}"
                )
            import_judgments(
                db, made.campaign.id, said(generator, turn), source="r", machines=[f"robot {turn}"]
            )
        sizes.append(check(database, made))
    with database.writing() as db:
        assign(db, pool.pool.id, topics=["T1"], assessor_ids=ids[:1])
        assign(db, other.pool.id, topics=None, assessor_ids=ids[1:])
    sizes.append(check(database, made))
    with database.writing() as db:
        assign(db, queue.pool.id, topics=["T2"], assessor_ids=[ids[2]])
        (row,) = db.scalars(select(AssignmentRow).where(AssignmentRow.pool_id == queue.pool.id))
        assert QueueHandout.hand_out(db, None, db.get_one(PoolRow, queue.pool.id), row)
    check(database, made)
    with database.writing() as db:
        close_pool(db, made.campaign.id, "other")
    sizes.append(check(database, made))
    # Nothing, some, some fewer for what is assigned, more again: the comparison is not of nothing.
    assert sizes[0] == 0
    assert min(sizes[3], sizes[5]) > 0
    assert sizes[4] <= sizes[3]


def test_a_transaction_finds_its_own_judgments_and_nobody_else_does(database: Database) -> None:
    with database.writing() as db:
        made, _ = pooled_campaign(db, assessors=NAMES)
        judge(db, made, "Ada", {("T1", "d1"): 1})
    with database.writing() as db:
        judge(db, made, "Ben", {("T1", "d2"): 1})
        assert candidates_of(db, made.campaign.id, relevant_from=1).pairs == 2
        db.rollback()
    with database.reading() as db:
        assert candidates_of(db, made.campaign.id, relevant_from=1).pairs == 1
