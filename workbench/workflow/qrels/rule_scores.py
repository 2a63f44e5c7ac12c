"""The mean scores of runs on the qrels of several rules, kept by topic: a save has one topic scored again.

A column is found by the hash of its topic's lines, so that rules that make the same of a topic share it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from ir_measures import Measure
from numpy.typing import NDArray
from sqlalchemy.orm import Session

from workbench.records import Qrel, Run
from workbench.scoring.relevance import Floats, Positions
from workbench.scoring.run_arrays import RunArrays
from workbench.scoring.score_columns import means_over_topics, score_cells, scored_alone
from workbench.scoring.scorer import Scorer
from workbench.workflow.caching import Cache
from workbench.workflow.runs.packed_store import rankings_of
from workbench.workflow.runs.run_records import CampaignRun

AT_ONCE = 2**19
"""Documents of runs that are in memory while all rules score them."""
MOST_COLUMNS = 16_384
"""Those of 30 rules on 500 topics: with 1,000 runs 130 MB."""

MOST_RUNS = 8192
"""Runs in a column; those that were scored first are forgotten when there are more."""


@dataclass(frozen=True, slots=True, eq=False)
class TopicLines:
    """The lines of one topic among the qrels of a rule, from `start` to before `stop`, and their hash."""

    topic: str
    sha256: str
    start: int
    stop: int


@dataclass(frozen=True, slots=True, eq=False)
class RuleQrels:
    """The qrels of a rule by topic, in the order of bytes, and by which measure runs are scored on them.

    `sha256` is the hash of all lines; `lines` gives those from one place to before another.
    """

    measure: Measure
    sha256: str
    topics: Sequence[TopicLines]
    lines: Callable[[int, int], Iterable[Qrel]]

    @property
    def keys(self) -> tuple[_Key, ...]:
        """What the columns of the topics depend on, apart from their runs."""
        name, others = str(self.measure), "" if self.alone else self.sha256
        return tuple((name, others, one.sha256) for one in self.topics)

    @property
    def alone(self) -> bool:
        """Whether what is scored on a topic depends on nothing of other topics."""
        return scored_alone(self.measure)

    def scorer(self, topics: Iterable[int]) -> Scorer:
        """What scores runs on some topics, by number."""
        chosen = (self.topics[number] for number in topics)
        lines = chain.from_iterable(self.lines(one.start, one.stop) for one in chosen)
        return Scorer(lines, [self.measure])


_Key = tuple[str, str, str]


@dataclass(frozen=True, slots=True, eq=False)
class _Column:
    """What runs, by the hashes of their files, score on one topic."""

    runs: tuple[str, ...]
    values: Floats

    def rows(self, requested: tuple[str, ...]) -> Positions:
        """Where these runs stand, -1 where they do not."""
        if self.runs == requested:
            return np.arange(len(requested))
        places = {run: place for place, run in enumerate(self.runs)}
        return np.array([places.get(run, -1) for run in requested], dtype=np.intp)


_NOTHING = _Column((), np.zeros(0))
_COLUMNS: Cache[_Key, _Column] = Cache(MOST_COLUMNS)


def score_rules(
    db: Session,
    campaign_id: int,
    rules: Mapping[str, RuleQrels],
    runs: Sequence[CampaignRun],
    go_on: Callable[[int], bool],
) -> dict[str, dict[str, float]]:
    """The mean score of each run on the qrels of each rule, by name, then tag, as far as they are scored.

    What is not known is computed, some runs at a time, until `go_on`, which is told how many runs are done,
    says no; some are scored in any case, or a slow machine would never come to an end. Raises WorkbenchError
    where a scorer gives up.
    """
    table = _RuleColumns(rules, tuple(run.sha256 for run in runs))
    done = 0
    for numbers, lacking in table.missing():
        if not lacking:
            done += len(numbers)
            go_on(done)
            continue
        scorers = {name: rules[name].scorer(topics) for name, topics in lacking.items()}
        names = frozenset(rules[name].topics[at].topic for name, topics in lacking.items() for at in topics)
        tags = [runs[number].tag for number in numbers.tolist()]
        for several in _together(rankings_of(db, campaign_id, tags, names)):
            hashes = tuple(runs[number].sha256 for number in numbers[: len(several)].tolist())
            numbers = numbers[len(several) :]
            for name, topics in lacking.items():
                # What unjudged documents could be worth is not asked for here.
                cells = score_cells(scorers[name], several, highest=1)
                values = np.concatenate([one.values[:, :, 0] for one in cells])
                table.add(name, topics, hashes, values)
            done += len(several)
            if not go_on(done):
                return table.means(runs)
    return table.means(runs)


def _together(runs: Iterator[Run | RunArrays]) -> Iterator[list[Run | RunArrays]]:
    """Some runs after the other, as many as are read at once."""
    several: list[Run | RunArrays] = []
    documents = 0
    for run in runs:
        several.append(run)
        documents += AT_ONCE if isinstance(run, Run) else len(run.docnos)
        if documents >= AT_ONCE:
            yield several
            several, documents = [], 0
    if several:
        yield several


class _RuleColumns:
    """The columns of all topics of all rules, as far as they are known."""

    def __init__(self, rules: Mapping[str, RuleQrels], hashes: tuple[str, ...]) -> None:
        self._rules, self._hashes = rules, hashes
        self._keys = {name: one.keys for name, one in rules.items()}
        every = dict.fromkeys(chain.from_iterable(self._keys.values()))
        self._columns = {key: _COLUMNS.peek(key) or _NOTHING for key in every}

    def missing(self) -> list[tuple[Positions, dict[str, list[int]]]]:
        """Runs that lack the same, and what that is, numbers of topics by rule; those that lack none first.

        Of rules that make the same of a topic the first is to score it.
        """
        cells: list[tuple[str, int]] = []
        lacks: list[NDArray[np.bool_]] = []
        seen: set[_Key] = set()
        for name, keys in self._keys.items():
            mine = [number for number, key in enumerate(keys) if key not in seen]
            seen.update(keys)
            of_rule = [self._columns[keys[number]].rows(self._hashes) < 0 for number in mine]
            if of_rule and not self._rules[name].alone:
                of_rule = [np.logical_or.reduce(of_rule)] * len(of_rule)
            cells += [(name, number) for number in mine]
            lacks += of_rule
        alike: dict[bytes, list[int]] = {}
        for run, column in enumerate(np.array(lacks, np.bool_).reshape(len(lacks), len(self._hashes)).T):
            alike.setdefault(column.tobytes(), []).append(run)
        found = []
        for pattern, numbers in alike.items():
            lacking: dict[str, list[int]] = {}
            for at in np.flatnonzero(np.frombuffer(pattern, np.bool_)).tolist():
                lacking.setdefault(cells[at][0], []).append(cells[at][1])
            found.append((np.array(numbers), lacking))
        return sorted(found, key=lambda one: sum(map(len, one[1].values())))

    def add(self, name: str, topics: Sequence[int], hashes: tuple[str, ...], values: Floats) -> None:
        """Take in what further runs score on some topics of a rule; shape (runs, topics)."""
        # Columns of the same runs share the list of them, found by its place in memory.
        joined: dict[int, tuple[tuple[str, ...], Positions, tuple[str, ...]]] = {}
        for place, topic in enumerate(topics):
            key = self._keys[name][topic]
            before = self._columns[key]
            if id(before.runs) not in joined:
                joined[id(before.runs)] = (before.runs, *_joined(before.runs, hashes))
            _, kept, together = joined[id(before.runs)]
            column = _Column(together, np.concatenate((before.values[kept], values[:, place])))
            self._columns[key] = column
            _COLUMNS.put(key, column)

    def means(self, runs: Sequence[CampaignRun]) -> dict[str, dict[str, float]]:
        """The means of the runs that are scored on all topics of a rule."""
        found: dict[str, dict[str, float]] = {}
        for name, keys in self._keys.items():
            columns = [self._columns[key] for key in keys]
            rows = np.stack([one.rows(self._hashes) for one in columns], axis=1)
            whole = np.flatnonzero((rows >= 0).all(axis=1))
            values = np.stack([one.values[rows[whole, at]] for at, one in enumerate(columns)], axis=1)
            means = means_over_topics(self._rules[name].measure, values) if len(whole) else []
            found[name] = dict(zip((runs[number].tag for number in whole.tolist()), means, strict=True))
        return found


def _joined(before: tuple[str, ...], more: tuple[str, ...]) -> tuple[Positions, tuple[str, ...]]:
    """Which of some runs stay before others, not more than MOST_RUNS, and all of them."""
    new = frozenset(more)
    kept = [place for place, run in enumerate(before) if run not in new][-MOST_RUNS:]
    return np.array(kept, np.intp), (*(before[place] for place in kept), *more)
