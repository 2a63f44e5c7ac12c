"""Plans against the pools that are then made; how long a judgment takes."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy import insert
from sqlalchemy.orm import Session

from tests.builders import ALPHA, BETA, Made, campaign_with_people, pooled_campaign, send_runs
from workbench.errors import InvalidInput
from workbench.pooling.planning import Certainty
from workbench.pooling.strategies import PoolRecipe
from workbench.records import TieRule
from workbench.storage.tables import JudgmentEventRow
from workbench.workflow.pools import planning
from workbench.workflow.pools.making import make_pool
from workbench.workflow.pools.planning import PaceSource, pace_of, plan_pool


def with_runs(db: Session) -> Made:
    made = campaign_with_people(db)
    send_runs(db, made.campaign.id, alpha=ALPHA, beta=BETA)
    return made


@pytest.mark.parametrize(
    ("strategy", "parameters"),
    [
        ("depth", {"depth": 1}),
        ("depth", {"depth": 3, "run_depths": "beta=1", "topic_depths": "T2=2"}),
        ("depth", {"depth": 500}),
        ("rrf", {"budget": 3}),
        ("take-n", {"budget": 500}),
        ("random", {"depth": 2, "budget": 2}),
        ("stratified", {"strata": "1:1:1 2:4:0.5", "budget": 3}),
    ],
)
@pytest.mark.parametrize("ties", [TieRule.TREC_EVAL, TieRule.FILE])
def test_a_plan_has_the_size_of_the_pool(
    strategy: str, parameters: dict[str, Any], ties: TieRule, db: Session
) -> None:
    made = with_runs(db)
    recipe = PoolRecipe(strategy, parameters, ties)
    plan = plan_pool(db, made.campaign.id, recipe)
    report = make_pool(db, made.campaign.id, recipe)
    assert (plan.pairs, plan.certainty) == (report.pool.pairs, Certainty.EXACT)
    assert {one.topic: one.pairs for one in plan.topics} == {one.topic: one.pairs for one in report.by_topic}
    assert plan.recipe == report.pool.recipe


def test_a_learners_pool_needs_no_run(db: Session) -> None:
    campaign_id = with_runs(db).campaign.id
    # It reads the collection: its budget of 100 for each of two topics, with runs and without.
    for recipe in (PoolRecipe("learner"), PoolRecipe("learner", tags=[])):
        plan = plan_pool(db, campaign_id, recipe)
        assert (plan.pairs, plan.certainty) == (200.0, Certainty.AT_MOST)


def test_a_plan_multiplies_by_judgments_and_shares_among_assessors(db: Session) -> None:
    made = with_runs(db)
    plan = plan_pool(db, made.campaign.id, PoolRecipe(parameters={"depth": 2}), per_pair=2, seconds=300.0)
    # Six pairs twice at five minutes are an hour; Ada and Ben have half an hour each.
    assert (plan.work.hours(plan.pairs), plan.work.hours_each(plan.pairs)) == (1.0, 0.5)
    # Without assessors enough, as many as every pair needs are meant.
    assert plan_pool(db, made.campaign.id, per_pair=3).work.assessors == 3
    with pytest.raises(InvalidInput, match="3 judgments per pair"):
        plan_pool(db, made.campaign.id, per_pair=3, assessors=2)


def test_a_supplementary_plan_leaves_out_what_is_pooled_or_judged(db: Session) -> None:
    made, _ = pooled_campaign(db)
    plan = plan_pool(db, made.campaign.id, PoolRecipe(parameters={"depth": 9}, supplementary=True))
    # All nine pairs less the six of depth 2.
    assert (plan.pairs, plan.certainty) == (3.0, Certainty.EXACT)
    weighed = plan_pool(
        db, made.campaign.id, PoolRecipe(strategy="rrf", parameters={"budget": 2}, supplementary=True)
    )
    assert weighed.certainty is Certainty.AT_MOST
    drawn = plan_pool(db, made.campaign.id, PoolRecipe(strategy="random", supplementary=True))
    assert (drawn.pairs, drawn.certainty) == (3.0, Certainty.EXPECTED)


def timed(db: Session, made: Made, assessor: str, *milliseconds: int | None, answer: str = "grade") -> None:
    """Record answers that took so long."""
    db.execute(
        insert(JudgmentEventRow),
        [
            {
                "campaign_id": made.campaign.id,
                "assessor_id": made.assessors[assessor],
                "topic": "T1",
                "docno": "d1",
                "answer": answer,
                "grade": 1 if answer == "grade" else None,
                "client_id": f"{assessor}-{answer}-{number}",
                "source": "screen",
                "active_ms": time,
                "recorded_at": datetime.now(UTC),
            }
            for number, time in enumerate(milliseconds)
        ],
    )


def test_seconds_are_measured_where_there_are_enough_answers(
    monkeypatch: pytest.MonkeyPatch, db: Session
) -> None:
    made = campaign_with_people(db)
    campaign_id = made.campaign.id
    assert pace_of(db, campaign_id).source is PaceSource.ASSUMED
    timed(db, made, "Ada", 10_000, 40_000, 20_000, None, 0)
    timed(db, made, "Ben", 90_000)
    timed(db, made, "Ben", 1_000, 1_000, 1_000, answer="withdrawn")
    # Of 10, 20, 40 and 90 seconds the two in the middle are 20 and 40; four answers are not enough.
    found = pace_of(db, campaign_id)
    assert (found.source, found.measured, found.answers) == (PaceSource.ASSUMED, 30.0, 4)
    monkeypatch.setattr(planning, "ENOUGH", 4)
    assert (pace_of(db, campaign_id).seconds, pace_of(db, campaign_id).source) == (
        30.0,
        PaceSource.MEASURED,
    )
    assert pace_of(db, campaign_id, given=7.0).source is PaceSource.GIVEN


def test_of_very_many_answers_the_latest_tell_the_pace(monkeypatch: pytest.MonkeyPatch, db: Session) -> None:
    monkeypatch.setattr(planning, "ENOUGH", 3)
    monkeypatch.setattr(planning, "LATEST", 3)
    made = campaign_with_people(db)
    timed(db, made, "Ada", 10_000, 10_000, 10_000)
    # No more than the latest three: all of them, and nothing to say of it.
    assert not pace_of(db, made.campaign.id).latest
    timed(db, made, "Ben", 40_000, 20_000, 90_000)
    # Of 10, 10, 10, 20, 40 and 90 seconds the last three came last; the middle of 20, 40 and 90 is 40.
    found = pace_of(db, made.campaign.id)
    assert (found.seconds, found.answers, found.latest) == (40.0, 3, True)
