"""Overlaps planned from what a campaign knows, drawn into a pool of their own, and what they came to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime

import pytest

from tests.builders import Made, pooled_campaign
from workbench.agreement.sample_size import Chance, Draw
from workbench.errors import Conflict, InvalidInput, NotFound, WorkbenchError
from workbench.records import Judgment
from workbench.storage import Session
from workbench.storage.engine import Database
from workbench.storage.events import append_events
from workbench.workflow.agreement.overlap_candidates import candidates_of
from workbench.workflow.agreement.overlap_drawing import draw_overlap
from workbench.workflow.agreement.overlap_planning import Source, plan_overlap
from workbench.workflow.agreement.overlap_results import overlap_results
from workbench.workflow.campaigns.importing import import_judgments
from workbench.workflow.campaigns.progress import pooled_pairs
from workbench.workflow.desk.assigning import assign, assignments_of, left_to_judge
from workbench.workflow.pools.listing import pools_of
from workbench.workflow.pools.pool_pairs import pool_entries

# Ada judged forty pairs of each topic, every fourth relevant.
DOCNOS = [f"n{number:02}" for number in range(40)]
FIRST = {(topic, docno): int(at % 4 == 0) for topic in ("T1", "T2") for at, docno in enumerate(DOCNOS)}


def judge(db: Session, made: Made, name: str, said: Mapping[tuple[str, str], int]) -> None:
    events = [
        {
            "campaign_id": made.campaign.id, "assessor_id": made.assessors[name], "topic": topic,
            "docno": docno, "answer": "grade", "grade": grade, "reason": "", "source": "screen",
            "client_id": f"{name}-{topic}-{docno}", "assignment_id": None, "document_sha256": None,
            "position": None, "order_rule": None, "seed": None, "active_ms": None,
            "recorded_at": datetime.now(UTC),
        }
        for (topic, docno), grade in said.items()
    ]  # fmt: skip
    assert append_events(db, events) == len(events)


@pytest.fixture
def made(sqlite_database: Database) -> Made:
    with sqlite_database.writing() as db:
        campaign, _ = pooled_campaign(db, assessors=("Ada", "Ben", "Cleo"))
        judge(db, campaign, "Ada", FIRST)
    return campaign


def test_before_anybody_overlaps_the_plan_is_by_stated_guesses(sqlite_database: Database, made: Made) -> None:
    with sqlite_database.reading() as db:
        plan = plan_overlap(db, made.campaign.id, half_width=0.2)
        asked = plan_overlap(db, made.campaign.id, half_width=0.2, kappa=0.4, prevalence=(0.5, 0.5))
    # 20 of 80 are relevant, each grade counted once more: 21/82. Kappa .6 is assumed.
    assert (plan.source, plan.known, plan.candidates.pairs) == (Source.GUESSED, None, 80)
    assert plan.prevalence == pytest.approx((21 / 82, 61 / 82))
    assert plan.kappa == pytest.approx(0.6)
    assert plan.candidates.by_label == (20, 60)
    assert plan.topic_size == 40.0
    # (1.96 / .2)^2 (1 - .4^2) = 80.7 at equal shares.
    assert asked.kappa == pytest.approx(0.4)
    assert asked.planned[0].needed.pairs == 81
    assert not asked.enough(asked.planned[0].needed)


def test_with_enough_doubly_judged_pairs_their_table_is_used(sqlite_database: Database, made: Made) -> None:
    with sqlite_database.writing() as db:
        pairs = list(FIRST)[:32]
        # Eight are relevant for Ada; Ben says so of seven of these and of one other.
        ben = {pair: FIRST[pair] for pair in pairs} | {pairs[0]: 0, pairs[1]: 1}
        judge(db, made, "Ben", ben)
        plan = plan_overlap(db, made.campaign.id, half_width=0.2)
    assert plan.source is Source.MEASURED
    assert plan.known is not None
    assert plan.known.table.tolist() == [[7.0, 1.0], [1.0, 23.0]]
    # A half more in each cell: of 34, 7.5 1.5 / 1.5 23.5; observed 31/34, expected (9^2 + 25^2) / 34^2.
    expected = (9**2 + 25**2) / 34**2
    assert plan.kappa == pytest.approx((31 / 34 - expected) / (1 - expected))
    assert plan.candidates.pairs == 48


def test_what_another_was_given_already_is_not_drawn(sqlite_database: Database, made: Made) -> None:
    with sqlite_database.writing() as db:
        (pool,) = pools_of(db, made.campaign.id)
        judge(db, made, "Ada", {("T1", "d1"): 1, ("T2", "d1"): 1})
        assign(db, pool.id, topics=["T1"], assessor_ids=[made.assessors["Ben"]])
        # Her own assignment does not count.
        assign(db, pool.id, topics=["T2"], assessor_ids=[made.assessors["Ada"]])
        found = candidates_of(db, made.campaign.id, line=1).found
    assert ("T1", "d1") not in {(one.topic, one.docno) for one in found}
    assert ("T2", "d1") in {(one.topic, one.docno) for one in found}


def test_machines_neither_judge_first_nor_make_a_pair_doubly_judged(
    sqlite_database: Database, made: Made
) -> None:
    with sqlite_database.writing() as db:
        said = [Judgment("robot", topic, docno, 1) for topic, docno in [*FIRST][:5]]
        said.append(Judgment("robot", "T1", "only-by-the-robot", 1))
        import_judgments(db, made.campaign.id, said, source="r", machines=["robot"])
        assert candidates_of(db, made.campaign.id, line=1).pairs == 80


@pytest.mark.parametrize("draw", list(Draw))
def test_a_draw_becomes_a_pool_for_the_second_assessor(
    sqlite_database: Database, made: Made, draw: Draw
) -> None:
    ben = made.assessors["Ben"]
    with sqlite_database.writing() as db:
        before = left_to_judge(db, made.campaign.id, made.accounts["Ben"])
        drawn = draw_overlap(db, made.campaign.id, pairs=24, draw=draw, assessor_ids=[ben], seed=5)
        entries = pool_entries(db, made.campaign.id, drawn.pool.pool.name)
        left = left_to_judge(db, made.campaign.id, made.accounts["Ben"])
        lines = [one for one in assignments_of(db, made.campaign.id) if one.pool == drawn.pool.pool.name]
    # Whole topics have forty pairs each.
    wanted = 40 if draw is Draw.TOPIC else 24
    assert (len(entries), sum(drawn.by_label), left - before) == (wanted, wanted, wanted)
    assert {(entry.topic, entry.docno) for entry in entries} <= set(FIRST)
    assert {one.assessor for one in lines} == {"Ben"}
    assert len(lines) == drawn.assigned == drawn.topics
    assert drawn.pool.pool.open
    assert drawn.pool.recipe["parameters"] == {"draw": str(draw), "pairs": str(wanted), "seed": "5"}
    by_label = Counter(entry.stratum for entry in entries)
    for entry in entries:
        assert entry.stratum == 2 - FIRST[entry.topic, entry.docno]
        chance = {Draw.RANDOM: 24 / 80, Draw.TOPIC: 1 / 2}.get(draw)
        label = by_label[entry.stratum] / {1: 20, 2: 60}[entry.stratum or 0]
        assert entry.inclusion == pytest.approx(label if chance is None else chance)


def test_the_same_seed_draws_the_same_pairs_and_no_pair_twice(sqlite_database: Database, made: Made) -> None:
    def draw(seed: int, name: str) -> set[tuple[str, str]]:
        with sqlite_database.writing() as db:
            ben = made.assessors["Ben"]
            found = draw_overlap(
                db, made.campaign.id, pairs=20, draw=Draw.RANDOM, assessor_ids=[ben], seed=seed, name=name
            )
            pairs = {(e.topic, e.docno) for e in pool_entries(db, made.campaign.id, found.pool.pool.name)}
            if name == "again":
                db.rollback()
            return pairs

    assert draw(5, "again") == draw(5, "once")
    # What is given to Ben already is none of the candidates; and a form sent twice makes one pool.
    assert draw(6, "more") & draw(7, "most") == set()
    with sqlite_database.writing() as db, pytest.raises(Conflict, match="there is a pool"):
        draw_overlap(
            db,
            made.campaign.id,
            pairs=1,
            draw=Draw.RANDOM,
            assessor_ids=[made.assessors["Cleo"]],
            name="once",
        )


def test_nobody_is_given_what_they_have_judged_themselves_alone(
    sqlite_database: Database, made: Made
) -> None:
    with sqlite_database.writing() as db:
        judge(db, made, "Ben", {("T1", "only-bens"): 1})
        seconds = [made.assessors["Ada"], made.assessors["Ben"]]
        draw_overlap(db, made.campaign.id, pairs=81, draw=Draw.RANDOM, assessor_ids=seconds, seed=1)
        lines = {(one.topic, one.assessor) for one in assignments_of(db, made.campaign.id)}
    # T1 has pairs of Ada's and one of Ben's, so that both must come; T2 has Ada's only.
    assert lines == {("T1", "Ada"), ("T1", "Ben"), ("T2", "Ben")}


def test_seconds_take_turns_over_topics(sqlite_database: Database, made: Made) -> None:
    with sqlite_database.writing() as db:
        seconds = [made.assessors["Ben"], made.assessors["Cleo"]]
        draw_overlap(db, made.campaign.id, pairs=80, draw=Draw.RANDOM, assessor_ids=seconds, seed=1)
        lines = {(one.topic, one.assessor) for one in assignments_of(db, made.campaign.id)}
    assert lines == {("T1", "Ben"), ("T2", "Cleo")}


def test_what_cannot_be_drawn_is_refused(sqlite_database: Database, made: Made) -> None:
    with sqlite_database.writing() as db:
        ada, ben = made.assessors["Ada"], made.assessors["Ben"]

        def draw(pairs: int, who: list[int]) -> None:
            draw_overlap(db, made.campaign.id, pairs=pairs, draw=Draw.RANDOM, assessor_ids=who)

        with pytest.raises(InvalidInput, match=r"81 pairs cannot be drawn of 80"):
            draw(81, [ben])
        with pytest.raises(InvalidInput, match="no pair that one person has judged and these"):
            draw(1, [ada])
        with pytest.raises(InvalidInput, match="no second assessor"):
            draw(1, [])
        with pytest.raises(NotFound):
            draw(1, [ben, 999])
        with pytest.raises(WorkbenchError, match="cannot be the lowest relevant grade"):
            plan_overlap(db, made.campaign.id, relevant_from=0)
        assert len(pools_of(db, made.campaign.id)) == 1


def test_the_result_weighs_a_sample_by_label_back_to_the_whole(database: Database) -> None:
    with database.writing() as db:
        made, _ = pooled_campaign(db)
        judge(db, made, "Ada", FIRST)
        ben = made.assessors["Ben"]
        drawn = draw_overlap(
            db, made.campaign.id, pairs=30, draw=Draw.LABEL, assessor_ids=[ben], seed=3, name="o"
        )
        entries = pool_entries(db, made.campaign.id, "o")
        relevant = [e for e in entries if e.stratum == 1]
        # Ben finds every second of Ada's relevant ones relevant, and none of the others.
        said = {(e.topic, e.docno): 0 for e in entries}
        said |= {(e.topic, e.docno): 1 for e in relevant[::2]}
        judge(db, made, "Ben", said)
        (found,) = overlap_results(db, made.campaign.id, chance=Chance.UNPOOLED)
        assert pooled_pairs(db, made.campaign.id) == 6 + 30
    yes, n = len(relevant[::2]), len(relevant)
    assert found.table == ((yes, n - yes), (0, 30 - n))
    assert (found.judged, found.pairs, drawn.by_label) == (30, 30, (n, 30 - n))
    # The whole has 1/4 relevant for Ada and of these the share s for Ben: observed 1 - (1 - s) / 4, expected
    # s / 16 + 3 / 4 (1 - s / 4).
    s = yes / n
    expected = s / 16 + 0.75 * (1 - s / 4)
    assert found.estimate.value == pytest.approx((1 - (1 - s) / 4 - expected) / (1 - expected))
    assert found.estimate.interval.low is not None


def test_a_draw_for_three_gives_every_pair_to_two_others_and_tells_the_pooled_kappa(
    sqlite_database: Database, made: Made
) -> None:
    ada, ben, cleo = (made.assessors[name] for name in ("Ada", "Ben", "Cleo"))
    with sqlite_database.writing() as db:
        judge(db, made, "Ben", {("T1", "only-bens"): 1})
        drawn = draw_overlap(
            db, made.campaign.id, pairs=81, draw=Draw.RANDOM, assessor_ids=[ben, cleo, ada], assessors=3,
            seed=2, name="three",
        )  # fmt: skip
        lines = {(one.topic, one.assessor) for one in assignments_of(db, made.campaign.id)}
        # Ben's own pair in T1 needs Ada beside Cleo; T2 has Ada's pairs only.
        assert lines == {("T1", "Ada"), ("T1", "Ben"), ("T1", "Cleo"), ("T2", "Ben"), ("T2", "Cleo")}
        assert drawn.pool.recipe["parameters"]["assessors"] == "3"
        judge(db, made, "Ben", FIRST)
        (early,) = overlap_results(db, made.campaign.id)
        judge(db, made, "Cleo", dict.fromkeys(FIRST, 0))
        (found,) = overlap_results(db, made.campaign.id)
    assert (early.assessors, early.judged, early.estimate.value) == (3, 0, None)
    assert found.judged == 80
    # Of 20 pairs relevant to Ada and Ben and not to Cleo a third of the pairs of assessors agree, of 60 all:
    # observed (20 / 3 + 60) / 80; relevant are 40 of 240 grades, by chance (1/6)^2 + (5/6)^2 agree.
    assert found.table == ((20, 20), (0, 120))
    assert found.estimate.value == pytest.approx(((20 / 3 + 60) / 80 - 26 / 36) / (1 - 26 / 36))
    assert found.estimate.interval.low is not None


def test_whole_topics_that_were_drawn_are_drawn_again_for_the_interval(
    sqlite_database: Database, made: Made
) -> None:
    with sqlite_database.writing() as db:
        ben = made.assessors["Ben"]
        draw_overlap(db, made.campaign.id, pairs=80, draw=Draw.TOPIC, assessor_ids=[ben], seed=3)
        judge(db, made, "Ben", FIRST | {pair: 1 for pair in FIRST if pair[0] == "T1"})
        (found,) = overlap_results(db, made.campaign.id)
    # In T2 they agree wholly; in T1 Ben calls all relevant: 10 of 40 agree, chance (50 / 80)^2 + (30 / 80)^2.
    chance = (50 / 80) ** 2 + (30 / 80) ** 2
    assert found.estimate.interval.method == "bootstrap over topics, percentiles"
    assert found.estimate.interval.seed == 3
    assert (found.estimate.interval.low, found.estimate.interval.high) == pytest.approx(
        ((0.25 - chance) / (1 - chance), 1.0)
    )


def test_too_few_others_are_refused_and_a_measured_kappa_below_0_counts_as_0(
    sqlite_database: Database, made: Made
) -> None:
    with sqlite_database.writing() as db:
        ben = made.assessors["Ben"]
        with pytest.raises(InvalidInput, match="2 others are to judge every pair, and 1 chosen"):
            draw_overlap(db, made.campaign.id, pairs=5, draw=Draw.RANDOM, assessor_ids=[ben], assessors=3)
        judge(db, made, "Ben", {pair: 1 - FIRST[pair] for pair in FIRST})
        plan = plan_overlap(db, made.campaign.id, half_width=0.2, assessors=3)
    assert plan.source is Source.MEASURED
    assert plan.kappa == pytest.approx(0.0)
    assert (plan.assessors, plan.others, plan.planned[0].needed.assessors) == (3, 2, 3)
