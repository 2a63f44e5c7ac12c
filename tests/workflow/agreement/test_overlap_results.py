"""What overlaps that were drawn show, of the coefficient for which they were drawn."""

from __future__ import annotations

from typing import Any

import pytest

from tests.builders import Made, pooled_campaign
from tests.workflow.agreement.overlaps import FIRST, judge
from workbench.agreement.sample_request import PlanRequest, Target
from workbench.agreement.sample_size import Draw
from workbench.storage.engine import Database
from workbench.workflow.agreement import overlap_results as overlap_results_module
from workbench.workflow.agreement.overlap_drawing import DrawOrder, draw_overlap
from workbench.workflow.agreement.overlap_results import overlap_results
from workbench.workflow.judging.assignments import assignments_of
from workbench.workflow.pools.judged_pairs import pooled_pairs
from workbench.workflow.pools.listing import pool_entries


def test_the_result_reweights_a_sample_by_label_to_all_pairs(database: Database) -> None:
    with database.writing() as db:
        made, _ = pooled_campaign(db)
        judge(db, made, "Ada", FIRST)
        ben = made.assessors["Ben"]
        drawn = draw_overlap(
            db,
            made.campaign.id,
            DrawOrder(
                pairs=30,
                draw=Draw.LABEL,
                assessor_ids=[ben],
                seed=3,
                name="o",
                plan=PlanRequest(target=Target("unpooled", "linear")),
            ),
        )
        entries = pool_entries(db, made.campaign.id, "o")
        relevant = [e for e in entries if e.stratum == 1]
        # Ben finds every second of Ada's relevant ones relevant, and none of the others.
        said = {(e.topic, e.docno): 0 for e in entries}
        said |= {(e.topic, e.docno): 1 for e in relevant[::2]}
        judge(db, made, "Ben", said)
        (found,) = overlap_results(db, made.campaign.id)
        assert pooled_pairs(db, made.campaign.id) == 6 + 30
    yes, n = len(relevant[::2]), len(relevant)
    assert drawn.pool.recipe["parameters"]["coefficient"] == "unpooled"
    # Two grades have no weights.
    assert found.request.target == Target("unpooled")
    assert found.table == ((yes, n - yes), (0, 30 - n))
    assert (found.judged, found.pairs, drawn.by_label) == (30, 30, (n, 30 - n))
    # The whole has 1/4 relevant for Ada and of these the share s for Ben: observed 1 - (1 - s) / 4, expected
    # s / 16 + 3 / 4 (1 - s / 4).
    s = yes / n
    expected = s / 16 + 0.75 * (1 - s / 4)
    assert found.estimate.value == pytest.approx((1 - (1 - s) / 4 - expected) / (1 - expected))
    assert found.estimate.interval.low is not None


def test_a_draw_for_three_assigns_every_pair_to_two_others_and_shows_the_pooled_kappa(
    sqlite_database: Database, made: Made
) -> None:
    ada, ben, cleo = (made.assessors[name] for name in ("Ada", "Ben", "Cleo"))
    with sqlite_database.writing() as db:
        judge(db, made, "Ben", {("T1", "only-bens"): 1})
        drawn = draw_overlap(
            db,
            made.campaign.id,
            DrawOrder(
                pairs=81,
                draw=Draw.RANDOM,
                assessor_ids=[ben, cleo, ada],
                seed=2,
                name="three",
                plan=PlanRequest(assessors=3),
            ),
        )
        lines = {(one.topic, one.assessor) for one in assignments_of(db, made.campaign.id)}
        # Ben's own pair in T1 needs Ada beside Cleo; T2 has Ada's pairs only.
        assert lines == {("T1", "Ada"), ("T1", "Ben"), ("T1", "Cleo"), ("T2", "Ben"), ("T2", "Cleo")}
        assert drawn.pool.recipe["parameters"]["assessors"] == "3"
        judge(db, made, "Ben", FIRST)
        (early,) = overlap_results(db, made.campaign.id)
        judge(db, made, "Cleo", dict.fromkeys(FIRST, 0))
        (found,) = overlap_results(db, made.campaign.id)
    assert (early.request.assessors, early.judged, early.estimate.value) == (3, 0, None)
    assert found.judged == 80
    # Of 20 pairs relevant to Ada and Ben and not to Cleo a third of the pairs of assessors agree, of 60 all:
    # observed (20 / 3 + 60) / 80; relevant are 40 of 240 grades, by chance (1/6)^2 + (5/6)^2 agree.
    assert found.table == ((20, 20), (0, 120))
    assert found.estimate.value == pytest.approx(((20 / 3 + 60) / 80 - 26 / 36) / (1 - 26 / 36))
    assert found.estimate.interval.low is not None


def test_where_the_first_judgment_is_withdrawn_no_other_replaces_it(
    sqlite_database: Database, made: Made
) -> None:
    ben, cleo = made.assessors["Ben"], made.assessors["Cleo"]
    pairs = list(FIRST)
    with sqlite_database.writing() as db:
        # Ben said something before Ada did, and took it back: the judgment that is drawn is hers.
        judge(db, made, "Ben", {pairs[0]: 1}, turn=" before")
        judge(db, made, "Ben", {pairs[0]: None}, turn=" taken back")
        draw_overlap(
            db,
            made.campaign.id,
            DrawOrder(
                pairs=80,
                draw=Draw.RANDOM,
                assessor_ids=[ben, cleo],
                seed=2,
                plan=PlanRequest(assessors=3, non_response=0.3),
            ),
        )
        for name in ("Ben", "Cleo"):
            judge(db, made, name, dict.fromkeys(pairs[:4], 0))
        (before,) = overlap_results(db, made.campaign.id)
        judge(db, made, "Ada", {pairs[1]: None}, turn=" taken back")
        (after,) = overlap_results(db, made.campaign.id)
    # Of the first four Ada found the first relevant; the second is not counted any more.
    assert (before.judged, before.table) == (4, ((0, 2), (0, 6)))
    assert (after.judged, after.table) == (3, ((0, 2), (0, 4)))


def test_whole_topics_that_were_drawn_are_resampled_for_the_interval(
    sqlite_database: Database, made: Made
) -> None:
    with sqlite_database.writing() as db:
        ben = made.assessors["Ben"]
        draw_overlap(db, made.campaign.id, DrawOrder(pairs=80, draw=Draw.TOPIC, assessor_ids=[ben], seed=3))
        judge(db, made, "Ben", FIRST | {pair: 1 for pair in FIRST if pair[0] == "T1"})
        (found,) = overlap_results(db, made.campaign.id)
    # In T2 they agree wholly; in T1 Ben calls all relevant: 10 of 40 agree, chance (50 / 80)^2 + (30 / 80)^2.
    chance = (50 / 80) ** 2 + (30 / 80) ** 2
    assert found.estimate.interval.method == "bootstrap over topics, expanded percentiles"
    assert found.estimate.interval.seed == 3
    assert (found.estimate.interval.low, found.estimate.interval.high) == pytest.approx(
        ((0.25 - chance) / (1 - chance), 1.0)
    )


def test_with_expected_non_response_a_pair_counts_as_soon_as_two_have_judged_it(
    sqlite_database: Database, made: Made
) -> None:
    ben, cleo = made.assessors["Ben"], made.assessors["Cleo"]
    with sqlite_database.writing() as db:
        drawn = draw_overlap(
            db,
            made.campaign.id,
            DrawOrder(
                pairs=80,
                draw=Draw.RANDOM,
                assessor_ids=[ben, cleo],
                seed=2,
                plan=PlanRequest(assessors=3, target=Target("alpha"), non_response=0.3),
            ),
        )
        assert drawn.pool.recipe["parameters"]["missing"] == "0.3"
        judge(db, made, "Ben", {pair: FIRST[pair] for pair in list(FIRST)[:60]})
        judge(db, made, "Cleo", dict.fromkeys(list(FIRST)[40:], 0))
        (found,) = overlap_results(db, made.campaign.id)
    assert (found.judged, found.request.non_response, found.request.target) == (80, 0.3, Target("alpha"))
    # 40 pairs of Ada and Ben, all equal; 20 of all three, 5 with one of three apart; 20 of Ada and Cleo, 5
    # apart. Disagreements, by pairs of values: 5 x 2 of 3 values (each pair over 3 - 1) and 5 x 2. Values
    # 80 + 60 + 40, of these relevant 20 + 10 + 5.
    observed = (5 * 4 / 2 + 5 * 2) / 180
    assert found.estimate.value == pytest.approx(1 - observed / (2 * 35 * 145 / (180 * 179)))


def test_after_a_save_the_drawn_pairs_of_one_topic_are_read_again(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    with database.writing() as db:
        made, _ = pooled_campaign(db)
        judge(db, made, "Ada", FIRST)
        ben = made.assessors["Ben"]
        order = DrawOrder(pairs=80, draw=Draw.RANDOM, assessor_ids=[ben], seed=3, name="o")
        draw_overlap(db, made.campaign.id, order)
    read: list[str] = []
    in_full = overlap_results_module._read

    def noted(db: Any, campaign_id: int, topic: str, *rest: Any) -> Any:
        read.append(topic)
        return in_full(db, campaign_id, topic, *rest)

    monkeypatch.setattr(overlap_results_module, "_read", noted)
    judged = []
    # Ben answers two and takes the second back.
    turns: list[dict[tuple[str, str], int | None]]
    turns = [{}, {("T2", "n00"): 0}, {("T2", "n01"): 1}, {("T2", "n01"): None}]
    for turn, said in enumerate(turns):
        with database.writing() as db:
            judge(db, made, "Ben", said, f"{turn}")
        for _ in range(2):
            with database.reading() as db:
                (found,) = overlap_results(db, made.campaign.id)
        judged.append((found.judged, found.table))
    # Of T2 n00 is relevant for Ada and n01 is not.
    assert judged == [
        (0, ((0, 0), (0, 0))), (1, ((0, 1), (0, 0))), (2, ((0, 1), (1, 0))), (1, ((0, 1), (0, 0))),
    ]  # fmt: skip
    assert sorted(read) == ["T1", "T2", "T2", "T2", "T2"]
