"""What a pool would cost, before it is made: its size by strategy and depth, and the hours of judging it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any, TypeVar

from sqlalchemy.orm import Session

from workbench.errors import InvalidInput, WorkbenchError
from workbench.pooling.adaptive.live import Adaptive
from workbench.pooling.depth import DEPTH
from workbench.pooling.planning import (
    Certainty,
    JudgingWork,
    Lengths,
    Sizes,
    Values,
    growth_table,
    one_step_larger,
)
from workbench.pooling.pool import Pool
from workbench.pooling.reached_places import reached_in_places
from workbench.pooling.run_tops import Reached, RunTops, known_tops, reached
from workbench.pooling.strategies import ALL_STRATEGIES, DEPTH_RECIPE, PoolRecipe
from workbench.pooling.strategy import Strategy
from workbench.records import TieRule, Topic, sorted_ids
from workbench.workflow.caching import Cache
from workbench.workflow.campaigns.collection import topics_of
from workbench.workflow.kept_results import KeptResults
from workbench.workflow.people.assessors import assessors_of
from workbench.workflow.pools.listing import recipe_in_words
from workbench.workflow.pools.making import chosen_runs, pooled_or_judged
from workbench.workflow.pools.pace import Pace, pace_of
from workbench.workflow.runs.packed_store import lengths_of, tops_of

FURTHER = 100
"""How deep a depth pool's growth is computed at least, so that a slider has room to move."""

MOST_CELLS = 200_000
"""Depths times topics that a page can be sent; beyond this it asks for every depth."""

Parameters = Mapping[str, object]
Value = TypeVar("Value")
_NONE: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class TopicCost:
    """A topic's part of a planned pool."""

    topic: str
    title: str
    pairs: float


@dataclass(frozen=True, slots=True)
class StrategyCost:
    """What a strategy's pool would have; `problem` is why it cannot be computed."""

    strategy: str
    recipe: str
    pairs: float
    certainty: Certainty
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Growth:
    """How a depth pool grows: the pairs that depth 1, 2, ... bring, a row for each of `topics`."""

    topics: tuple[str, ...]
    new: tuple[tuple[int, ...], ...]

    def total(self, depth: int) -> int:
        """The size at a depth."""
        return sum(sum(row[:depth]) for row in self.new)


@dataclass(frozen=True, slots=True)
class Plan:
    """A pool that could be made, and what judging it would take.

    `topics` are all of the campaign, largest first; `step` is what one more of depth or budget would bring,
    None where there is neither; `growth` is there for a depth pool, unless it is too large to be sent;
    `deepest` is the length of the longest list; `others` are all strategies, each with its own parameters.
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
    step: float | None
    deepest: int
    topics: tuple[TopicCost, ...]
    growth: Growth | None
    others: tuple[StrategyCost, ...]


def plan_pool(
    db: Session,
    campaign_id: int,
    recipe: PoolRecipe = DEPTH_RECIPE,
    *,
    others: Mapping[str, Parameters] = _NONE,
    per_pair: int = 1,
    assessors: int | None = None,
    seconds: float | None = None,
) -> Plan:
    """Plan a pool without making it.

    `others` are the parameters of the strategies that it is compared with, their defaults unless given or
    where they cannot be. `assessors` are the campaign's own unless given, `seconds` as `pace_of` has them.
    Raises what `make_pool` would raise for the same recipe, InvalidInput for numbers of work that cannot be.
    """
    strategy, values, texts = recipe.strategy, recipe.values(), recipe.texts()
    runs = chosen_runs(db, campaign_id, recipe)
    pace = pace_of(db, campaign_id, given=seconds)
    judging = _judging(db, campaign_id, per_pair) if assessors is None else assessors
    work = JudgingWork(per_pair, judging, pace.seconds)
    compared = {name: _values(one, others.get(name, _NONE)) for name, one in ALL_STRATEGIES.items()}
    compared[strategy] = values
    listed = topics_of(db, campaign_id)
    inputs = _read_runs(db, _chosen(db, campaign_id, runs, listed), recipe, compared)
    chosen = inputs.sizes(strategy, values)
    larger = one_step_larger(values)
    step = None if larger is None else inputs.sizes(strategy, larger).total - chosen.total
    by_topic = dict(zip(chosen.topics, chosen.pairs, strict=True))
    topics = [TopicCost(one.id, one.title, by_topic.get(one.id, 0.0)) for one in listed]
    return Plan(
        strategy=strategy,
        parameters=texts,
        recipe=recipe_in_words(strategy, texts),
        supplementary=recipe.supplementary,
        runs=len(runs),
        work=work,
        pace=pace,
        pairs=chosen.total,
        certainty=chosen.certainty,
        step=step,
        deepest=max(inputs.longest.values(), default=0),
        topics=tuple(sorted(topics, key=lambda one: -one.pairs)),
        growth=inputs.growth(values) if strategy == DEPTH.name else None,
        others=tuple(inputs.cost(name, its_values) for name, its_values in compared.items()),
    )


@dataclass(frozen=True, slots=True)
class _ChosenRuns:
    """The runs of a pool, as tag and SHA-256, and the topics: what follows from them stays the same."""

    database: str
    campaign_id: int
    runs: tuple[tuple[str, str], ...]
    topics: tuple[str, ...]

    @property
    def tags(self) -> list[str]:
        """The tags of the runs."""
        return [tag for tag, _ in self.runs]


def _chosen(
    db: Session, campaign_id: int, runs: Sequence[tuple[str, str]], topics: Sequence[Topic]
) -> _ChosenRuns:
    database = str(db.get_bind().engine.url)
    return _ChosenRuns(database, campaign_id, tuple(runs), tuple(one.id for one in topics))


# Sliders move over the same runs: a thousand of them take most of a minute to read.
_LONGEST: Cache[_ChosenRuns, Lengths] = Cache(8)
_REACHED: Cache[tuple[_ChosenRuns, TieRule, int], Reached] = Cache(2, bytes_of=lambda one: 33 * len(one.best))
# What is told of them, for a process that has not read the runs yet.
_CODE = ("formats", "pooling", "workflow/pools/planning.py")
_SIZES = KeptResults(Sizes, *_CODE)
_COSTS = KeptResults(StrategyCost, *_CODE)
_GROWTHS = KeptResults(Growth, *_CODE)


@dataclass(frozen=True, slots=True, eq=False)
class _PlanInputs:
    """What is known of the runs: what they reach to `depth`, the longest lists, what is known already.

    `tops` reads their first documents, which only depths of their own ask for. `source` stands for the runs
    and topics in what the database keeps, None where it keeps nothing.
    """

    db: Session
    campaign_id: int
    source: str | None
    tops: Callable[[], tuple[RunTops, ...]]
    known: RunTops | None
    longest: Lengths
    depth: int
    plain: Callable[[], Reached]

    def reach(self, values: Values) -> Reached:
        own = {name: values[name] for name in ("run_depths", "topic_depths") if values.get(name)}
        return reached(self.tops(), known=self.known, **own) if own else self.plain()

    def kept(
        self, results: KeptResults[Value], strategy: str, values: Values, make: Callable[[], Value]
    ) -> Value:
        if self.source is None:
            return make()
        source = self.source, strategy, repr(sorted(values.items()))
        return results.get(self.db, self.campaign_id, source, make)

    def sizes(self, strategy: str, values: Values) -> Sizes:
        return self.kept(_SIZES, strategy, values, lambda: self._sizes(strategy, values))

    def _sizes(self, strategy: str, values: Values) -> Sizes:
        return ALL_STRATEGIES[strategy].sizes(
            self.reach(values), values, longest=self.longest, supplementary=self.known is not None
        )

    def cost(self, strategy: str, values: Values) -> StrategyCost:
        return self.kept(_COSTS, strategy, values, lambda: self._cost(strategy, values))

    def _cost(self, strategy: str, values: Values) -> StrategyCost:
        recipe = recipe_in_words(strategy, ALL_STRATEGIES[strategy].texts(values))
        try:
            found = self._sizes(strategy, values)
        except WorkbenchError as error:
            return StrategyCost(strategy, recipe, 0.0, Certainty.EXACT, error.message)
        return StrategyCost(strategy, recipe, found.total, found.certainty)

    def growth(self, values: Values) -> Growth | None:
        if len(self.longest) * self.depth > MOST_CELLS:
            return None
        return self.kept(_GROWTHS, f"depth to {self.depth}", values, lambda: self._growth(values))

    def _growth(self, values: Values) -> Growth:
        reach = self.reach(values)
        return Growth(reach.topics, tuple(map(tuple, growth_table(reach, self.depth).tolist())))


def _read_runs(
    db: Session, chosen: _ChosenRuns, recipe: PoolRecipe, compared: Mapping[str, Values]
) -> _PlanInputs:
    longest = _LONGEST.get(chosen, lambda: _longest(db, chosen))
    depths = [
        ALL_STRATEGIES[name].depth_to_plan(each, longest, supplementary=recipe.supplementary)
        for name, values in compared.items()
        for each in (values, one_step_larger(values) or values)
    ]
    depth = max(1, min(max(FURTHER + 1, *depths), max(longest.values(), default=1)))

    @cache
    def tops() -> tuple[RunTops, ...]:
        return tuple(read())

    def read() -> Iterator[RunTops]:
        return tops_of(db, chosen.campaign_id, chosen.tags, depth=depth, ties=recipe.ties)

    def counted(known: RunTops | None = None) -> Reached:
        tags, topics = sorted_ids(chosen.tags), sorted_ids(longest)
        return reached_in_places(read, tags=tags, topics=topics, depth=depth, known=known)

    key = chosen, recipe.ties, depth
    known, source, again = None, None, None
    if recipe.supplementary:
        known = known_tops(pooled_or_judged(db, chosen.campaign_id))
        again = counted(known)
    elif _REACHED.peek(key) is None:
        # Whoever moves sliders has what the runs reach in memory, and stores nothing for each move.
        whole = repr((chosen.runs, chosen.topics, recipe.ties, depth))
        source = hashlib.sha256(whole.encode("utf-8", "backslashreplace")).hexdigest()

    def plain() -> Reached:
        return again or _REACHED.get(key, counted)

    return _PlanInputs(db, chosen.campaign_id, source, tops, known, longest, depth, plain)


def _longest(db: Session, chosen: _ChosenRuns) -> Lengths:
    longest: dict[str, int] = {}
    for lengths in lengths_of(db, chosen.campaign_id, chosen.tags).values():
        for topic, length in lengths.items():
            longest[topic] = max(length, longest.get(topic, 0))
    return longest


def _values(strategy: Strategy[Pool | Adaptive], parameters: Parameters) -> dict[str, Any]:
    try:
        return strategy.values(parameters)
    except InvalidInput:
        return strategy.values({})


def _judging(db: Session, campaign_id: int, per_pair: int) -> int:
    """How many assessors with an account the campaign has; as many as a pair needs if there are fewer."""
    return max(per_pair, 1, sum(one.able for one in assessors_of(db, campaign_id)))
