"""What a pool would cost, before it is made: its pairs by topic and by depth, and the hours of judging it.

How long a judgment takes is measured in the campaign, and assumed before enough answers are timed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from statistics import median

import numpy as np
from sqlalchemy import Row, select
from sqlalchemy.orm import Session
from typing_extensions import TypedDict

from workbench.frozen import filled, frozen_dataclass
from workbench.pooling.depth import DEPTH
from workbench.pooling.planning import Certainty, JudgingWork, Lengths, growth_table, reached_in_places
from workbench.pooling.run_tops import Reached, RunTops, known_tops, reached
from workbench.pooling.strategies import ALL_STRATEGIES, DEPTH_RECIPE, PoolRecipe
from workbench.records import sorted_ids
from workbench.storage.events import CURRENT_PURPOSES, LATER, SCREEN, WITHDRAWN, newest_events
from workbench.storage.tables import AssessorRow, JudgmentEventRow
from workbench.workflow.campaigns.collection import topics_of
from workbench.workflow.people.membership import assessors_of
from workbench.workflow.pools.listing import recipe_in_words
from workbench.workflow.pools.making import chosen_runs, pooled_or_judged
from workbench.workflow.runs.packed_store import lengths_of, tops_of

DEPTHS = (1, 5, 10, 20, 30, 50, 75, 100, 150, 200, 500, 1000)
"""At which the growth of a depth pool is told, as far as its runs go; to 100 at least."""
FURTHER = 100


class PoolPlanJson(TypedDict):
    """A pool that could be made, by topic and by depth, and the hours of judging it.

    `certainty` says how far `pairs` will be the pool's size: exact, expected or at most. `seconds` of a
    judgment are given, measured or assumed. `by_depth` has the pairs of a depth pool at some depths.
    """

    strategy: str
    parameters: dict[str, str]
    supplementary: bool
    runs: int
    pairs: float
    certainty: str
    per_pair: int
    assessors: int
    seconds: float
    seconds_from: str
    hours: float
    hours_each: float
    topics: dict[str, float]
    by_depth: dict[str, int]


@frozen_dataclass
class TopicCost:
    """A topic's part of a planned pool."""

    topic: str
    title: str
    pairs: float


@frozen_dataclass
class Plan:
    """A pool that could be made, and what judging it would take.

    `topics` are all of the campaign, largest first; `growth` are depths with the pairs of a depth pool, none
    of another strategy.
    """

    strategy: str
    parameters: Mapping[str, str]
    recipe: str
    supplementary: bool
    runs: int
    work: JudgingWork
    pace: Pace
    pairs: float
    certainty: Certainty
    topics: tuple[TopicCost, ...]
    growth: tuple[tuple[int, int], ...]


def plan_pool(
    db: Session,
    campaign_id: int,
    recipe: PoolRecipe = DEPTH_RECIPE,
    *,
    per_pair: int = 1,
    assessors: int | None = None,
    seconds: float | None = None,
) -> Plan:
    """Plan a pool without making it.

    `assessors` are the campaign's own unless given, `seconds` as `pace_of` has them. Raises what `make_pool`
    would raise for the same recipe, InvalidInput for numbers of work that cannot be.
    """
    strategy, values = ALL_STRATEGIES[recipe.strategy], recipe.values()
    tags = [tag for tag, _ in chosen_runs(db, campaign_id, recipe)]
    pace = pace_of(db, campaign_id, given=seconds)
    judging = _judging(db, campaign_id, per_pair) if assessors is None else assessors
    listed = topics_of(db, campaign_id)
    longest = _longest(db, campaign_id, tags)
    grows = recipe.strategy == DEPTH.name
    depth = strategy.depth_to_plan(values, longest, supplementary=recipe.supplementary)
    depth = max(1, min(max(depth, FURTHER if grows else 1), max(longest.values(), default=1)))
    known = known_tops(pooled_or_judged(db, campaign_id)) if recipe.supplementary else None

    def tops() -> Iterator[RunTops]:
        return tops_of(db, campaign_id, tags, depth=depth, ties=recipe.ties)

    reach: Reached
    own = {name: values[name] for name in ("run_depths", "topic_depths") if values.get(name)}
    if not strategy.reads_runs:
        # Its topics are all, also those of which no run has a document.
        none = np.empty(0, np.int64)
        reach = Reached((), tuple(one.id for one in listed), none, none, none, none, none.astype(np.bool_))
    elif own:
        reach = reached(tops(), known=known, **own)
    else:
        of_runs, of_topics = sorted_ids(tags), sorted_ids(longest)
        reach = reached_in_places(tops, tags=of_runs, topics=of_topics, depth=depth, known=known)
    sizes = strategy.sizes(reach, values, longest=longest, supplementary=recipe.supplementary)
    by_topic = dict(zip(sizes.topics, sizes.pairs, strict=True))
    topics = [TopicCost(one.id, one.title, by_topic.get(one.id, 0.0)) for one in listed]
    totals = growth_table(reach, depth).sum(axis=0).cumsum().tolist() if grows else []
    return Plan(
        strategy=recipe.strategy,
        parameters=recipe.texts(),
        recipe=recipe_in_words(recipe.strategy, recipe.texts()),
        supplementary=recipe.supplementary,
        runs=len(tags),
        work=JudgingWork(per_pair, judging, pace.seconds),
        pace=pace,
        pairs=sizes.total,
        certainty=sizes.certainty,
        topics=tuple(sorted(topics, key=lambda one: -one.pairs)),
        growth=tuple((at, totals[at - 1]) for at in DEPTHS if at <= len(totals)),
    )


def _longest(db: Session, campaign_id: int, tags: Sequence[str]) -> Lengths:
    longest: dict[str, int] = {}
    for lengths in lengths_of(db, campaign_id, tags).values():
        for topic, length in lengths.items():
            longest[topic] = max(length, longest.get(topic, 0))
    return longest


def _judging(db: Session, campaign_id: int, per_pair: int) -> int:
    """How many assessors with an account the campaign has; as many as a pair needs if there are fewer."""
    return max(per_pair, 1, sum(one.able for one in assessors_of(db, campaign_id)))


def plan_json(planned: Plan) -> PoolPlanJson:
    """The plan as plain data."""
    work = planned.work
    return filled(
        PoolPlanJson,
        planned,
        parameters=dict(planned.parameters),
        certainty=str(planned.certainty),
        per_pair=work.per_pair,
        assessors=work.assessors,
        seconds=work.seconds,
        seconds_from=str(planned.pace.source),
        hours=work.hours(planned.pairs),
        hours_each=work.hours_each(planned.pairs),
        topics={one.topic: one.pairs for one in planned.topics},
        by_depth={str(depth): pairs for depth, pairs in planned.growth},
    )


ENOUGH = 20
"""From so many timed answers on the measured median is used."""

ASSUMED_SECONDS = 30.0

LATEST = 20_000
"""Judgment events of a campaign from which the pace is measured at least; the latest tell it best."""


class PaceSource(StrEnum):
    """Where the seconds come from."""

    GIVEN = "given"
    MEASURED = "measured"
    ASSUMED = "assumed"


@frozen_dataclass
class Pace:
    """The seconds of one judgment and where they come from.

    `measured` is the median of the active seconds of `answers` answers of people, None without any; these are
    the `latest` where there are very many.
    """

    seconds: float
    source: PaceSource
    measured: float | None
    answers: int
    latest: bool = False

    def hours(self, pairs: float) -> float:
        """The hours in which one assessor judges so many pairs."""
        return pairs * self.seconds / 3600

    @property
    def enough(self) -> int:
        """How many answers must be timed for the measured median to be used."""
        return ENOUGH

    @property
    def in_words(self) -> str:
        """Where the seconds come from, for people."""
        which = f"the latest {self.answers:,}" if self.latest else f"{self.answers:,}"
        return {
            PaceSource.GIVEN: "as entered",
            PaceSource.MEASURED: f"the median of {which} timed answers",
            PaceSource.ASSUMED: f"assumed: fewer than {ENOUGH} answers are timed",
        }[self.source]


@frozen_dataclass
class DeskAnswers:
    """The latest answers that people recorded: who, after how many active ms (0: untimed), and when.

    `all` says that they are all there are: no earlier ones were left out.
    """

    answers: tuple[tuple[int, int, datetime], ...]
    all: bool


def latest_answers(db: Session, campaign_id: int) -> DeskAnswers:
    """The latest answers at the desk, about LATEST of them: imported ones tell nothing of anybody's pace."""
    event = JudgmentEventRow
    people = select(AssessorRow.id).where(
        AssessorRow.campaign_id == campaign_id, AssessorRow.machine.is_(False)
    )
    assessors, last = list(db.scalars(people)), max(newest_events(db, campaign_id).values(), default=0)
    chosen = (
        select(event.assessor_id, event.active_ms, event.recorded_at)
        .where(
            event.assessor_id.in_(assessors),
            event.source == SCREEN,
            event.purpose.in_(CURRENT_PURPOSES),
            event.answer.not_in([WITHDRAWN, LATER]),
        )
        .order_by(event.id)
    )
    span = LATEST
    while span < last:
        found = db.execute(chosen.where(event.id > last - span)).all()
        if len(found) >= LATEST:
            return DeskAnswers(_timed(found), all=False)
        span *= 4
    return DeskAnswers(_timed(db.execute(chosen).all()), all=True)


def _timed(rows: Sequence[Row[int, int | None, datetime]]) -> tuple[tuple[int, int, datetime], ...]:
    return tuple((assessor, milliseconds or 0, at) for assessor, milliseconds, at in rows)


def pace_of(
    db: Session, campaign_id: int, *, given: float | None = None, found: DeskAnswers | None = None
) -> Pace:
    """The seconds of one judgment: those given, else measured (of `found`, if read before), else assumed."""
    latest = found or latest_answers(db, campaign_id)
    times = [milliseconds / 1000 for _, milliseconds, _ in latest.answers if milliseconds > 0]
    measured = median(times) if times else None
    if given is not None:
        return Pace(given, PaceSource.GIVEN, measured, len(times))
    if measured is not None and len(times) >= ENOUGH:
        return Pace(measured, PaceSource.MEASURED, measured, len(times), latest=not latest.all)
    return Pace(ASSUMED_SECONDS, PaceSource.ASSUMED, measured, len(times))
