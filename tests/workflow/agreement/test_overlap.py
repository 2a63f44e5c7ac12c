"""Overlaps planned from a campaign's own judgments, and drawn into a pool of their own."""

from __future__ import annotations

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.assigned import assign
from tests.builders import Made, pooled_campaign
from tests.workflow.agreement.overlaps import FIRST, judge
from workbench.agreement.sample_request import PlanRequest, Target
from workbench.agreement.sample_size import Draw
from workbench.errors import Conflict, InvalidInput, NotFound, WorkbenchError
from workbench.records import Judgment
from workbench.storage.engine import Database
from workbench.workflow.agreement.overlap import Source, plan_overlap
from workbench.workflow.agreement.overlap_candidates import Candidate, Candidates, candidates_of
from workbench.workflow.agreement.overlap_drawing import DrawOrder, draw_overlap
from workbench.workflow.judging.assigned_work import left_to_judge
from workbench.workflow.judging.assignments import assignments_of
from workbench.workflow.judging.importing import import_judgments
from workbench.workflow.pools.listing import pool_entries, pools_of

pytestmark = pytest.mark.engines


def _all(candidates: Candidates) -> list[Candidate]:
    return candidates.chosen(range(candidates.pairs))


def test_before_anybody_overlaps_the_plan_is_by_stated_guesses(sqlite_database: Database, made: Made) -> None:
    with sqlite_database.reading() as db:
        plan = plan_overlap(db, made.campaign.id, PlanRequest(0.2))
        asked = plan_overlap(db, made.campaign.id, PlanRequest(0.2, kappa=0.4, shares=(0.5, 0.5)))
    # 20 of 80 are relevant, each grade counted once more: 21/82. Kappa .6 is assumed.
    assert (plan.source, plan.known, plan.candidates.pairs) == (Source.GUESSED, None, 80)
    assert plan.shares == pytest.approx((21 / 82, 61 / 82))
    assert plan.kappa == pytest.approx(0.6)
    assert plan.candidates.by_label == (20, 60)
    assert plan.request.topic_size == 40.0
    # (1.96 / .2)^2 (1 - .4^2) = 80.7 at equal shares.
    assert asked.kappa == pytest.approx(0.4)
    assert asked.planned[0].size.pairs == 81
    assert not asked.enough(asked.planned[0].size)


def test_with_enough_doubly_judged_pairs_their_table_is_used(sqlite_database: Database, made: Made) -> None:
    with sqlite_database.writing() as db:
        pairs = list(FIRST)[:32]
        # Eight are relevant for Ada; Ben says so of seven of these and of one other.
        ben = {pair: FIRST[pair] for pair in pairs} | {pairs[0]: 0, pairs[1]: 1}
        judge(db, made, "Ben", ben)
        plan = plan_overlap(db, made.campaign.id, PlanRequest(0.2))
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
        found = _all(candidates_of(db, made.campaign.id, relevant_from=1))
    assert ("T1", "d1") not in {(one.topic, one.docno) for one in found}
    assert ("T2", "d1") in {(one.topic, one.docno) for one in found}


def test_machines_neither_judge_first_nor_make_a_pair_doubly_judged(
    sqlite_database: Database, made: Made
) -> None:
    with sqlite_database.writing() as db:
        said = [Judgment("robot", topic, docno, 1) for topic, docno in [*FIRST][:5]]
        said.append(Judgment("robot", "T1", "only-by-the-robot", 1))
        import_judgments(db, made.campaign.id, said, source="r", machines=["robot"])
        assert candidates_of(db, made.campaign.id, relevant_from=1).pairs == 80


@pytest.mark.parametrize("draw", list(Draw))
def test_a_draw_becomes_a_pool_for_the_second_assessor(
    sqlite_database: Database, made: Made, draw: Draw
) -> None:
    ben = made.assessors["Ben"]
    with sqlite_database.writing() as db:
        before = left_to_judge(db, made.campaign.id, made.accounts["Ben"])
        drawn = draw_overlap(db, made.campaign.id, DrawOrder(pairs=24, draw=draw, assessor_ids=[ben], seed=5))
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
                db,
                made.campaign.id,
                DrawOrder(pairs=20, draw=Draw.RANDOM, assessor_ids=[ben], seed=seed, name=name),
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
            DrawOrder(pairs=1, draw=Draw.RANDOM, assessor_ids=[made.assessors["Cleo"]], name="once"),
        )


def test_a_form_that_is_sent_twice_finds_its_pool_though_no_pair_is_left(
    sqlite_database: Database, made: Made
) -> None:
    with sqlite_database.writing() as db:

        def draw() -> str:
            ben = made.assessors["Ben"]
            found = draw_overlap(
                db,
                made.campaign.id,
                DrawOrder(pairs=80, draw=Draw.RANDOM, assessor_ids=[ben], seed=5, name="  "),
            )
            return found.pool.pool.name

        assert draw() == "overlap by random, seed 5"
        with pytest.raises(Conflict, match="there is a pool 'overlap by random, seed 5' already"):
            draw()


def test_two_who_draw_at_the_same_moment_do_not_draw_the_same_pairs(database: Database) -> None:
    with database.writing() as db:
        made, _ = pooled_campaign(db, assessors=("Ada", "Ben"))
        judge(db, made, "Ada", FIRST)
    both_are_here = threading.Barrier(2)

    def draw(seed: int) -> bool:
        try:
            with database.writing() as db:
                if not database.embedded:
                    both_are_here.wait(20)
                ben = made.assessors["Ben"]
                order = DrawOrder(pairs=50, draw=Draw.RANDOM, assessor_ids=[ben], seed=seed)
                draw_overlap(db, made.campaign.id, order)
        except InvalidInput as error:
            # The thirty that the other has left are too few for fifty.
            return [(one.code, "30" in one.message) for one in error.findings] != [("pairs", True)]
        return True

    with ThreadPoolExecutor(2) as threads:
        assert sorted(threads.map(draw, (1, 2))) == [False, True]


def test_nobody_is_given_what_they_have_judged_themselves_alone(
    sqlite_database: Database, made: Made
) -> None:
    with sqlite_database.writing() as db:
        judge(db, made, "Ben", {("T1", "only-bens"): 1})
        seconds = [made.assessors["Ada"], made.assessors["Ben"]]
        draw_overlap(
            db, made.campaign.id, DrawOrder(pairs=81, draw=Draw.RANDOM, assessor_ids=seconds, seed=1)
        )
        lines = {(one.topic, one.assessor) for one in assignments_of(db, made.campaign.id)}
    # T1 has pairs of Ada's and one of Ben's, so that both must come; T2 has Ada's only.
    assert lines == {("T1", "Ada"), ("T1", "Ben"), ("T2", "Ben")}


def test_nothing_is_simulated_while_others_wait_for_the_one_writer(
    sqlite_database: Database, made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr("workbench.agreement.sample_simulation.simulate_pairs")
    with sqlite_database.writing() as db:
        ben = made.assessors["Ben"]
        draw_overlap(db, made.campaign.id, DrawOrder(pairs=9, draw=Draw.LABEL, assessor_ids=[ben], seed=1))


def test_seconds_take_turns_over_topics(sqlite_database: Database, made: Made) -> None:
    with sqlite_database.writing() as db:
        seconds = [made.assessors["Ben"], made.assessors["Cleo"]]
        draw_overlap(
            db, made.campaign.id, DrawOrder(pairs=80, draw=Draw.RANDOM, assessor_ids=seconds, seed=1)
        )
        lines = {(one.topic, one.assessor) for one in assignments_of(db, made.campaign.id)}
    assert lines == {("T1", "Ben"), ("T2", "Cleo")}


def test_what_cannot_be_drawn_is_refused_at_its_field(sqlite_database: Database, made: Made) -> None:
    with sqlite_database.writing() as db:
        ada, ben = made.assessors["Ada"], made.assessors["Ben"]

        def draw(pairs: int, who: list[int]) -> None:
            draw_overlap(db, made.campaign.id, DrawOrder(pairs=pairs, draw=Draw.RANDOM, assessor_ids=who))

        for code, pairs, who in (("pairs", 81, [ben]), ("pairs", 1, [ada]), ("assessor", 1, [])):
            with pytest.raises(InvalidInput) as refused:
                draw(pairs, who)
            assert [one.code for one in refused.value.findings] == [code]
        with pytest.raises(NotFound):
            draw(1, [ben, 999])
        with pytest.raises(WorkbenchError, match="cannot be the lowest relevant grade"):
            plan_overlap(db, made.campaign.id, PlanRequest(relevant_from=0))
        assert len(pools_of(db, made.campaign.id)) == 1


def test_too_few_others_are_refused_and_a_measured_kappa_is_no_lower_than_several_can_have(
    sqlite_database: Database, made: Made
) -> None:
    with sqlite_database.writing() as db:
        ben = made.assessors["Ben"]
        with pytest.raises(InvalidInput) as refused:
            draw_overlap(
                db,
                made.campaign.id,
                DrawOrder(pairs=5, draw=Draw.RANDOM, assessor_ids=[ben], plan=PlanRequest(assessors=3)),
            )
        assert [one.code for one in refused.value.findings] == ["assessor"]
        judge(db, made, "Ben", {pair: 1 - FIRST[pair] for pair in FIRST})
        plan = plan_overlap(db, made.campaign.id, PlanRequest(0.2, assessors=3))
    assert plan.source is Source.MEASURED
    # Of 82 halves and more each grade has half of the table: at most -1/2 of three, (-1/4) / (1 - 1/4) below.
    assert plan.kappa == pytest.approx(-0.5 / 2 / (1 - 0.5 / 2), abs=1e-6)
    assert (plan.request.assessors, plan.request.others, plan.model.assessors) == (3, 2, 3)


def test_the_plan_is_of_the_coefficient_that_is_wished(sqlite_database: Database, made: Made) -> None:
    with sqlite_database.writing() as db:
        pairs = list(FIRST)[:40]
        # Of forty pairs ten are relevant for Ada; Ben says so of twenty more.
        judge(db, made, "Ben", {pair: int(FIRST[pair] or at % 4 in (1, 2)) for at, pair in enumerate(pairs)})
        pooled, unpooled, ac, three = (
            plan_overlap(
                db,
                made.campaign.id,
                PlanRequest(0.2, target=target, assessors=assessors, non_response=missing),
            )
            for target, assessors, missing in (
                (Target(), 2, 0.0), (Target("unpooled"), 2, 0.0), (Target("gwet"), 2, 0.0),
                (Target("alpha"), 3, 0.2),
            )
        )  # fmt: skip
    # 10, 20 and 10 of forty, a half more in each cell, both ways round: observed 21 / 42, relevant
    # (10.5 + 10.5) / 42 of all: chance 1/2, kappa 0.
    assert pooled.kappa == pytest.approx(0.0, abs=1e-6)
    assert (pooled.individual, unpooled.individual) == (False, True)
    # Ben calls 30 of 40 relevant, Ada 10: .75 and .25 about the mean, chance .375, kappa .125 / .625.
    assert unpooled.value == pytest.approx(0.2, abs=1e-6)
    assert unpooled.kappa == pytest.approx(0.0, abs=1e-6)
    assert ac.value == pytest.approx(0.0, abs=1e-6)
    assert three.value == pytest.approx(0.0, abs=1e-6)
    assert three.request.non_response == 0.2
    assert unpooled.planned[0].size.pairs != pooled.planned[0].size.pairs
    assert (three.planned[0].size.pairs or 0) > 30
