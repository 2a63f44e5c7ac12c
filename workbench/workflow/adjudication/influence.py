"""The influence of disputed pairs on the ranking of the runs: what it is computed from, kept by content."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.consensus.disputes import Dispute
from workbench.consensus.rule import Pair
from workbench.consensus.simple import lower_median
from workbench.docnos import Docnos, Places, Words, fingerprints, words_of
from workbench.pooling.run_tops import RunTops, known_tops
from workbench.records import Judgment, Scale
from workbench.scoring.influence import Influence, TopicGrades, influences
from workbench.scoring.listed import gain_measure
from workbench.storage.tables import RunRow
from workbench.workflow.kept_results import KeptResults
from workbench.workflow.runs.packed_store import tops_of

_MERGED = 2**22
"""Documents of runs that are brought into the order of the topics together."""


def runs_that_count(db: Session, campaign_id: int) -> dict[str, str]:
    """The hashes of the current runs that are not set aside, by tag, in the order of the tags."""
    chosen = select(RunRow.tag, RunRow.sha256).where(
        RunRow.campaign_id == campaign_id, RunRow.replaced_at.is_(None), RunRow.verdict != "set_aside"
    )
    return dict(db.execute(chosen.order_by(RunRow.tag)).all())


def dispute_influences(
    db: Session,
    campaign_id: int,
    found: Sequence[Dispute],
    *,
    judgments: Mapping[Pair, Sequence[Judgment]],
    decided: Mapping[Pair, int],
    scale: Scale,
    measure: str,
) -> dict[Pair, Influence]:
    """The influence of every disputed pair on the runs that count, by (topic, docno).

    Every pair has the grade that was `decided`, else the lower median of its grades; a disputed one
    could get each of the grades given, or where fewer than two were, each of the scale. The database keeps
    what was computed of the same grades and runs. Raises WorkbenchError for an unknown measure.
    """
    chosen = gain_measure(measure, relevant_from=scale.relevant_from)
    grades = _grades(found, judgments, decided, scale)
    every = [grade.value for grade in scale.grades]
    outcomes = {(one.topic, one.docno): one.grades if len(one.grades) > 1 else every for one in found}
    if not outcomes:
        return {}
    runs = runs_that_count(db, campaign_id)

    def make() -> _Computed:
        topics = GradedTopics(grades, runs=len(runs))
        topics.read(tops_of(db, campaign_id, list(runs), depth=chosen.depth))
        computed = influences(topics, outcomes, measure=chosen)
        values = [(one.swaps, one.uneven, one.shift) for one in (computed[pair] for pair in outcomes)]
        return _Computed(np.array(values, dtype=np.float64))

    digest = hashlib.sha256()
    for pairs in (grades, outcomes):
        digest.update(repr(list(pairs.items())).encode("utf-8", "backslashreplace"))
    source = measure, scale.relevant_from, tuple(runs.items()), digest.hexdigest()
    kept = _KEPT.get(db, campaign_id, source, make)
    return {pair: Influence(*row) for pair, row in zip(outcomes, kept.values.tolist(), strict=True)}


@dataclass(frozen=True, slots=True, eq=False)
class _Computed:
    """Swaps, uneven and shift of disputed pairs in their order, shape (pairs, 3)."""

    values: NDArray[np.float64]


_KEPT = KeptResults(
    _Computed, "consensus", "formats", "pooling", "scoring", "workflow/adjudication/influence.py"
)


def _grades(
    found: Iterable[Dispute],
    judgments: Mapping[Pair, Sequence[Judgment]],
    decided: Mapping[Pair, int],
    scale: Scale,
) -> dict[Pair, int]:
    """The grade that every pair counts with now."""
    grades: dict[Pair, int] = {}
    for pair, of_pair in judgments.items():
        if len(of_pair) == 1 and of_pair[0].grade is not None:
            grades[pair] = of_pair[0].grade
            continue
        given = {one.assessor: one.grade for one in of_pair if one.grade is not None}
        if given:
            grades[pair] = lower_median(given)
    grades |= decided
    # A pair that has no grade yet counts for nothing, as an unjudged document does.
    for one in found:
        grades.setdefault((one.topic, one.docno), scale.grades[0].value)
    return grades


@dataclass(frozen=True, slots=True, eq=False)
class _RanksByTopic:
    """Graded documents of some runs by topic, those of topic t from `starts[t]`: run, place and rank."""

    starts: Places
    runs: NDArray[np.int32]
    places: NDArray[np.int32]
    ranks: NDArray[np.int32]


class GradedTopics(Collection[TopicGrades]):
    """Topics with the grades of their documents and the ranks that these have in `runs` runs.

    Of the runs no more is in memory than twelve bytes for each graded document of each; the ranks of all
    documents of a topic by all runs are made when it is reached.
    """

    def __init__(self, grades: Mapping[Pair, int], *, runs: int) -> None:
        self._runs = runs
        self._by_topic: dict[str, dict[str, int]] = {}
        for (topic, docno), grade in grades.items():
            self._by_topic.setdefault(topic, {})[docno] = grade
        self._numbers = {topic: number for number, topic in enumerate(self._by_topic)}
        pairs = [(topic, docno) for topic, docnos in self._by_topic.items() for docno in docnos]
        sizes = [len(docnos) for docnos in self._by_topic.values()]
        self._first = np.cumsum([0, *sizes])
        self._known = _PairPlaces(known_tops(pairs))
        self._entries: list[_RanksByTopic] = []

    def __contains__(self, one: object) -> bool:
        return isinstance(one, TopicGrades) and one.topic in self._by_topic

    def __len__(self) -> int:
        return len(self._by_topic)

    def __iter__(self) -> Iterator[TopicGrades]:
        for number, (topic, graded) in enumerate(self._by_topic.items()):
            ranks = np.zeros((self._runs, len(graded)), dtype=np.int32)
            for some in self._entries:
                of_topic = slice(some.starts[number], some.starts[number + 1])
                ranks[some.runs[of_topic], some.places[of_topic]] = some.ranks[of_topic]
            yield TopicGrades(topic, tuple(graded), ranks, tuple(graded.values()))

    def read(self, tops: Iterable[RunTops]) -> None:
        """Take in the first documents of the runs, in the order of their numbers."""
        waiting: list[tuple[Places, Places, Places]] = []
        size = 0
        for number, run in enumerate(tops):
            of_topics = np.array([self._numbers.get(topic, -1) for topic in run.topics], dtype=np.int64)
            numbers = of_topics[run.numbers]
            graded = numbers >= 0
            numbers, ranks = numbers[graded], run.ranks[graded]
            places = self._known.places(numbers, run.docnos[graded])
            known = places >= 0
            waiting.append((np.full(int(known.sum()), number), places[known], ranks[known]))
            size += len(waiting[-1][0])
            if size >= _MERGED:
                self._entries.append(self._merged(waiting))
                waiting, size = [], 0
        if waiting:
            self._entries.append(self._merged(waiting))

    def _merged(self, waiting: Sequence[tuple[Places, Places, Places]]) -> _RanksByTopic:
        runs, places, ranks = (np.concatenate(column) for column in zip(*waiting, strict=True))
        numbers = np.searchsorted(self._first, places, side="right") - 1
        order = np.argsort(numbers, kind="stable")
        starts = np.searchsorted(numbers[order], np.arange(len(self) + 1))
        places -= self._first[numbers]
        return _RanksByTopic(starts, *(one[order].astype(np.int32) for one in (runs, places, ranks)))


class _PairPlaces:
    """Where pairs of topic and document stand among those that are known, found for all of a run at once."""

    def __init__(self, known: RunTops) -> None:
        self._numbers, self._docnos = known.numbers, known.docnos
        self._words = words_of(known.docnos)
        prints = fingerprints(self._words, known.numbers)
        self._order = np.argsort(prints)
        self._prints = prints[self._order]
        self._ambiguous = bool((self._prints[1:] == self._prints[:-1]).any())

    def places(self, numbers: Places, docnos: Docnos) -> Places:
        """The place of each pair of topic number and docno, -1 where it is not known."""
        if not len(self._prints) or not len(docnos):
            return np.full(len(docnos), -1)
        words = words_of(docnos)
        prints = fingerprints(words, numbers)
        at = np.minimum(np.searchsorted(self._prints, prints), len(self._prints) - 1)
        places = np.where(self._prints[at] == prints, self._order[at], -1)
        if self._ambiguous or not self._same(places, numbers, words):
            # Two pairs have one fingerprint: these are looked up by themselves.
            found = zip(numbers.tolist(), docnos.tolist(), strict=True)
            return np.array([self._by_pair.get(pair, -1) for pair in found], dtype=np.int64)
        return places

    def _same(self, places: Places, numbers: Places, words: Sequence[Words]) -> bool:
        """Whether the pairs found are those that were looked for."""
        found = np.flatnonzero(places >= 0)
        known = places[found]
        nothing = np.zeros(len(found), dtype=np.uint64)
        return np.array_equal(self._numbers[known], numbers[found]) and all(
            np.array_equal(
                nothing if mine is None else mine[known], nothing if theirs is None else theirs[found]
            )
            for mine, theirs in zip_longest(self._words, words)
        )

    @cached_property
    def _by_pair(self) -> dict[tuple[int, bytes], int]:
        pairs = zip(self._numbers.tolist(), self._docnos.tolist(), strict=True)
        return {pair: place for place, pair in enumerate(pairs)}
