"""Columns of scores, one a topic, kept by what they depend on: with another judgment one is computed anew.

Each is found by the hash of its topic's qrels, so that every process and host finds the same, and has a row
for each run that was scored, found by the hash of the run's file: a run that is added is the only one to be
scored on all topics.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from ir_measures import Measure
from sqlalchemy.orm import Session

from workbench.scoring.relevance import Positions, Relevance
from workbench.scoring.score_columns import (
    ScoreCells,
    ScoredRun,
    score_cells,
    scored_alone,
    scored_runs,
    topic_cells,
)
from workbench.scoring.scorer import Scorer
from workbench.workflow.caching import Cache
from workbench.workflow.kept_results import KeptResults
from workbench.workflow.qrels.qrels import QrelsReport
from workbench.workflow.qrels.settled_lines import scorer_of
from workbench.workflow.qrels.settled_topic import SettledTopic
from workbench.workflow.runs.kept_rankings import MOST_TOPICS, kept_rankings
from workbench.workflow.runs.packed_store import rankings_of
from workbench.workflow.runs.run_hashes import Hashes, hashes_of, places_among

MOST_KEPT = 2048
"""Columns in the memory of a process: one takes 130 KB for 1,000 runs and four measures."""
MOST_ROWS = 8192
"""Runs in a column; those that were scored first are forgotten when there are more."""


@dataclass(frozen=True, slots=True, eq=False)
class ScoreColumn:
    """What runs score on one topic: the SHA-256 of their files, shape (runs, 32), and their cells."""

    runs: Hashes
    cells: ScoreCells

    def rows(self, requested: Hashes) -> Positions:
        """Where these runs stand, -1 where they do not; shape (requested,)."""
        return places_among(self.runs, requested)

    def with_more(self, more: ScoreColumn) -> ScoreColumn:
        """The same with further runs, or with those again."""
        others = np.flatnonzero(more.rows(self.runs) < 0)[-MOST_ROWS:]
        cells = ScoreCells.joined((self.cells.of_runs(others), more.cells), axis=0)
        return ScoreColumn(np.concatenate((self.runs[others], more.runs)), cells)


@dataclass(frozen=True, slots=True)
class RequestedScores:
    """Which scores are asked for: qrels, measures, runs as tag and SHA-256."""

    qrels: QrelsReport
    measures: tuple[Measure, ...]
    runs: tuple[tuple[str, str], ...]

    @property
    def topics(self) -> tuple[SettledTopic, ...]:
        """The topics of the qrels, in the order of bytes."""
        return tuple(one for one in self.qrels.topics if one.settled)

    @property
    def alone(self) -> bool:
        """Whether what is scored on a topic depends on nothing of other topics."""
        return all(map(scored_alone, self.measures))

    @property
    def hashes(self) -> Hashes:
        """The hashes of the runs; shape (runs, 32)."""
        return hashes_of(sha256 for _, sha256 in self.runs)

    @property
    def sources(self) -> tuple[_Source, ...]:
        """What the columns of the topics depend on, apart from their runs."""
        others = "" if self.alone else self.qrels.digest
        names = tuple(map(str, self.measures))
        return tuple((topic.digest, others, names) for topic in self.topics)


_Source = tuple[str, str, tuple[str, ...]]
_KEPT = KeptResults(ScoreColumn, "formats", "scoring", "workflow/scores/kept_columns.py")
_COLUMNS: Cache[_Source, ScoreColumn] = Cache(MOST_KEPT)
_RELEVANCE: Cache[tuple[str, tuple[str, ...]], Relevance] = Cache(1)
"""The last one, which the next call goes on with: of a million lines it takes seconds to make."""


@dataclass(frozen=True, slots=True)
class Limits:
    """When no further runs are begun, by the monotonic clock, and who is told how many are done of all."""

    until: float | None = None
    progress: Callable[[int, int], None] | None = None

    def passed(self) -> bool:
        """Whether no further runs are to be begun."""
        return self.until is not None and time.monotonic() > self.until

    def tell(self, done: int, total: int) -> None:
        """Tell how many runs are done."""
        if self.progress is not None:
            self.progress(done, total)


def scores_of(
    db: Session, campaign_id: int, requested: RequestedScores, limits: Limits, *, kept: bool
) -> tuple[ScoredRun, ...]:
    """The runs as far as they are scored, in their order: known before, or while there was time.

    Some are scored in any case, or a slow machine would never come to an end. `kept` says whether columns are
    read from the database, and what is computed is stored there. Raises WorkbenchError where a scorer gives
    up.
    """
    known, hashes = _known(db, campaign_id, requested, kept=kept), requested.hashes
    table = _Columns(requested, known)
    if len(table.topics) > MOST_KEPT:
        # The first would be forgotten before the last is scored, and the next call would begin anew.
        limits = replace(limits, until=None)
    changed = table.compute(db, campaign_id, limits, kept=kept)
    for source, column in changed.items():
        _COLUMNS.put(source, column)
    if kept:
        stored = {
            source: one for source, one in changed.items() if _worth_storing(known[source], one, hashes)
        }
        _KEPT.keep(db, campaign_id, stored)
    return table.scored()


def _worth_storing(before: ScoreColumn | None, now: ScoreColumn, requested: Hashes) -> bool:
    """Whether a column has all runs, or twice as many as at some time before.

    Until a thousand runs are scored it may have grown a dozen times, and each time it is stored as a whole.
    """
    runs = 0 if before is None else len(before.runs)
    return len(now.runs).bit_length() > runs.bit_length() or bool((now.rows(requested) >= 0).all())


def _known(
    db: Session, campaign_id: int, requested: RequestedScores, *, kept: bool
) -> Mapping[_Source, ScoreColumn | None]:
    hashes = requested.hashes

    def scored(column: ScoreColumn | None) -> int:
        return 0 if column is None else int(np.count_nonzero(column.rows(hashes) >= 0))

    known = {source: _COLUMNS.peek(source) for source in requested.sources}
    if kept:
        lacking = [source for source, column in known.items() if scored(column) < len(hashes)]
        for source, column in _KEPT.find(db, campaign_id, lacking).items():
            if scored(column) > scored(known[source]):
                # One array of hashes for all topics, or a process would have one for each.
                if np.array_equal(column.runs, hashes):
                    column = replace(column, runs=hashes)
                known[source] = column
                _COLUMNS.put(source, column)
    return known


class _Columns:
    """The columns of all topics of the qrels, None where there is none."""

    def __init__(self, requested: RequestedScores, known: Mapping[_Source, ScoreColumn | None]) -> None:
        self._requested, self._hashes = requested, requested.hashes
        self.topics = requested.topics
        self._sources = requested.sources
        self._columns = [known[source] for source in self._sources]

    def compute(
        self, db: Session, campaign_id: int, limits: Limits, *, kept: bool
    ) -> dict[_Source, ScoreColumn]:
        """Score what is missing, as far as there is time; the columns that have changed by it."""
        changed: dict[_Source, ScoreColumn] = {}
        done, total = 0, len(self._hashes)
        for runs, topics in self._missing():
            if not len(topics):
                done += len(runs)
                continue
            again = self._on_few_topics(db, campaign_id, runs, topics, kept=kept)
            if again is not None:
                for topic, column in again.items():
                    changed[self._sources[topic]] = self._add(topic, column)
                done += len(runs)
                limits.tell(done, total)
                if limits.passed():
                    break
                continue
            scored = []
            for cells in self._cells(db, campaign_id, runs, topics):
                scored.append(cells)
                done += len(cells.values)
                limits.tell(done, total)
                if limits.passed():
                    break
            cells = ScoreCells.joined(scored, axis=0)
            hashes = self._hashes_of(runs[: len(cells.values)])
            for place, topic in enumerate(topics.tolist()):
                changed[self._sources[topic]] = self._add(topic, ScoreColumn(hashes, cells.of_topic(place)))
            if limits.passed():
                break
        return changed

    def scored(self) -> tuple[ScoredRun, ...]:
        """The runs that are scored on all topics."""
        rows = self._rows()
        whole = np.flatnonzero((rows >= 0).all(axis=1))
        if not len(whole):
            return ()
        columns = [one.cells.of_runs(rows[whole, at]) for at, one in enumerate(self._columns) if one]
        found = scored_runs(
            ScoreCells.of_topics(columns),
            tags=[self._requested.runs[number][0] for number in whole.tolist()],
            topics=[one.topic for one in self.topics],
            measures=self._requested.measures,
        )
        return tuple(found)

    def _missing(self) -> list[tuple[Positions, Positions]]:
        """Runs that lack the same topics, and these; the runs that lack none come first."""
        missing = self._rows() < 0
        if not self._requested.alone:
            missing |= missing.any(axis=1, keepdims=True)
        alike: dict[bytes, list[int]] = {}
        for number, lacks in enumerate(missing):
            alike.setdefault(lacks.tobytes(), []).append(number)
        found = [(np.array(runs), np.flatnonzero(missing[runs[0]])) for runs in alike.values()]
        return sorted(found, key=lambda one: len(one[1]))

    def _on_few_topics(
        self, db: Session, campaign_id: int, runs: Positions, topics: Positions, *, kept: bool
    ) -> dict[int, ScoreColumn] | None:
        """What some runs score on a few of many topics, by number, as after a save; None of others."""
        few = len(topics) <= min(MOST_TOPICS, len(self.topics) // 2)
        if not few or not self._requested.alone:
            return None
        names = {number: self.topics[number].topic for number in topics.tolist()}
        chosen = [self._requested.runs[number] for number in runs.tolist()]
        found = kept_rankings(db, campaign_id, chosen, list(names.values()), kept=kept)
        if found is None:
            return None
        columns = {}
        for number, name in names.items():
            scorer = scorer_of([self.topics[number]], self._requested.measures)
            cells = topic_cells(scorer, found[name])
            columns[number] = ScoreColumn(self._hashes_of(runs), cells)
        return columns

    def _hashes_of(self, runs: Positions) -> Hashes:
        return self._hashes if np.array_equal(runs, np.arange(len(self._hashes))) else self._hashes[runs]

    def _cells(
        self, db: Session, campaign_id: int, runs: Positions, topics: Positions
    ) -> Iterator[ScoreCells]:
        """What some runs score on some topics, several runs at a time."""
        settled = [self.topics[number] for number in topics.tolist()]
        names = frozenset(one.topic for one in settled)
        tags = [self._requested.runs[number][0] for number in runs.tolist()]
        read = rankings_of(db, campaign_id, tags, names)
        return score_cells(self._scorer(settled), read)

    def _scorer(self, topics: Sequence[SettledTopic]) -> Scorer:
        sha256 = hashlib.sha256("".join(one.digest for one in topics).encode()).hexdigest()
        measures = self._requested.measures
        # Measures that read one grade a pair read the same qrels.
        key = sha256, () if self._requested.alone else tuple(map(str, measures))
        return Scorer(_RELEVANCE.get(key, lambda: scorer_of(topics, measures).relevance), measures)

    def _add(self, topic: int, more: ScoreColumn) -> ScoreColumn:
        before = self._columns[topic]
        self._columns[topic] = column = more if before is None else before.with_more(more)
        return column

    def _rows(self) -> Positions:
        """Where each run stands in the column of each topic, -1 where it does not; shape (runs, topics)."""
        nowhere = np.full(len(self._hashes), -1)
        rows = [nowhere if one is None else one.rows(self._hashes) for one in self._columns]
        return np.stack(rows).T
