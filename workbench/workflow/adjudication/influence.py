"""The influence of disputed pairs on the ranking of the runs, its grades, and what was computed of it last.

What a pair changes depends on its own topic, but whether runs change places by it on the means over all
topics. It takes .3 s for 130 runs on 50 topics and minutes for a thousand on 500: there a job computes it,
and pages show the last one until there is a newer.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from itertools import pairwise, zip_longest

import numpy as np
from numpy.typing import NDArray
from sqlalchemy.orm import Session

from workbench.consensus.disputes import Flags, Numbers
from workbench.docnos import Docnos, Places, Words, fingerprints, words_of
from workbench.pooling.run_tops import RunTops
from workbench.records import Verdict, id_bytes
from workbench.scoring.influence import RankingMeans, TopicGains, pairs_that_could_swap, topic_influences
from workbench.scoring.own_measures import gain_measure
from workbench.scoring.relevance import Floats
from workbench.storage.chunks import chunks
from workbench.workflow.adjudication.queue_table import QueueTable
from workbench.workflow.jobs import JobState, latest, result_from
from workbench.workflow.runs.packed_store import tops_of
from workbench.workflow.runs.run_records import lines_of_runs, listed_runs

PORTION = 100
"""Topics for which all runs are read at a time: of 1,000 runs some eight million graded documents."""
AT_ONCE = 25
"""Topics whose gains are compared together."""
MOST_IN_MEMORY = 128 * 2**20
"""Bytes of gains that stay in memory until they are compared; what is beyond is made again."""
SMALL_LINES = 10_000_000
"""Lines of runs up to which a page waits for the influence."""
SMALL_CHANGES = 200_000
"""Disputed pairs times runs up to which a page waits for it."""


@dataclass(frozen=True, slots=True, eq=False)
class KnownInfluence:
    """The influence of the disputed pairs of a campaign as it was last computed.

    `digest` says of what, `at` when, and `seconds` how long the comparison took. `docnos` are the disputed
    documents of each of the `topics`, joined by line feeds; `values` has swaps, unevenness and shift of each,
    shape (pairs, 3). All open pairs together could change the order of `together` of the `run_pairs` at most.
    """

    digest: str
    at: datetime
    seconds: float
    topics: tuple[str, ...]
    docnos: tuple[str, ...]
    values: Floats
    together: int
    run_pairs: int

    def of(self, table: QueueTable) -> Floats:
        """The influence of each pair of a queue, zeros where it is not known; shape (pairs, 3)."""
        found = np.zeros((len(table.docnos), 3))
        ends = np.cumsum([0, *(docnos.count("\n") + 1 for docnos in self.docnos)]).tolist()
        of_topic = {
            topic: (docnos, begin, end)
            for topic, docnos, (begin, end) in zip(self.topics, self.docnos, pairwise(ends), strict=True)
        }
        for topic, (start, stop) in zip(table.names, pairwise(table.starts.tolist()), strict=True):
            if topic not in of_topic:
                continue
            joined, begin, end = of_topic[topic]
            docnos = table.docnos[start:stop]
            if "\n".join(docnos) == joined:
                found[start:stop] = self.values[begin:end]
                continue
            places = {docno: begin + place for place, docno in enumerate(joined.split("\n"))}
            for row, docno in enumerate(docnos, start=start):
                if docno in places:
                    found[row] = self.values[places[docno]]
        return found


JOB = "influence"
"""The kind of job that computes it where that takes long (`workflow.worker`)."""


class InfluenceComputing:
    """The influence of disputed pairs of a campaign on its runs: what is known of it, and the rest.

    Raises WorkbenchError for an unknown measure.
    """

    def __init__(self, db: Session, table: QueueTable) -> None:
        self._db, self._table, source = db, table, table.source
        self._campaign_id = source.campaign.id
        relevant_from = source.scale.relevant_from
        self._measure = gain_measure(source.rules.measure, relevant_from=relevant_from)
        # Those that the organiser has not set aside.
        runs = [one for one in listed_runs(db, self._campaign_id) if one.verdict is not Verdict.SET_ASIDE]
        self._runs = [one.tag for one in runs]
        of_runs = _hash(tuple((one.tag, one.sha256) for one in runs))
        self._scored = self._measure.name, relevant_from, of_runs
        settings = (source.rules.disputed, source.rules.machines, source.campaign.scale, *self._scored)
        self.arguments = {"settings": _hash(settings)}

    @cached_property
    def _topics(self) -> dict[str, TopicGrades]:
        return topic_grades(self._table)

    @cached_property
    def digest(self) -> str:
        """A hash of the grades, the runs and what is open, by which the influence is known again."""
        sha = hashlib.sha256(repr(self._scored).encode())
        for topic, one in self._topics.items():
            sha.update(repr((topic, one.docnos.dtype.str, one.outcomes)).encode())
            for part in (one.docnos, one.grades, one.disputed):
                sha.update(part.tobytes())
        sha.update(self._table.states.tobytes())
        return sha.hexdigest()

    @property
    def small(self) -> bool:
        """Whether it is computed in less than a second."""
        disputed = sum(len(one.disputed) for one in self._topics.values())
        if disputed * len(self._runs) > SMALL_CHANGES:
            return False
        return lines_of_runs(self._db, self._campaign_id) <= SMALL_LINES

    def known(self) -> KnownInfluence | None:
        """What a job computed last, of the grades, runs and settings as they were then."""
        job = latest(self._db, self._campaign_id, JOB, self.arguments, state=JobState.DONE)
        if job is None or job.result is None:
            return None
        try:
            return result_from(KnownInfluence, job.result)
        except ValueError:
            # Another version of the program computed it.
            return None

    def compute(self) -> KnownInfluence:
        """The influence as it is now."""
        scores: dict[str, Floats] = {}
        made: dict[str, TopicGains] = {}
        size = 0
        for topic, gains in self._made(list(self._topics)):
            scores[topic] = gains.scores
            size += _bytes_of(gains)
            if size <= MOST_IN_MEMORY:
                made[topic] = gains
        begin = time.monotonic()
        values: list[Floats] = []
        together = 0
        if scores:
            values, together = self._compared([scores[topic] for topic in self._topics], made)
        disputed = {topic: one for topic, one in self._topics.items() if len(one.disputed)}
        return KnownInfluence(
            self.digest,
            datetime.now(UTC),
            time.monotonic() - begin,
            tuple(disputed),
            tuple(_joined(one) for one in disputed.values()),
            np.concatenate([*values, np.empty((0, 3))]),
            together,
            len(self._runs) * (len(self._runs) - 1) // 2,
        )

    def _compared(self, scores: Sequence[Floats], made: Mapping[str, TopicGains]) -> tuple[list[Floats], int]:
        means = RankingMeans.of(scores)
        values = []
        ends = np.zeros((2, len(means.means)))
        disputed = [topic for topic, one in self._topics.items() if len(one.disputed)]
        for some in chunks(disputed, AT_ONCE):
            gains = {topic: made[topic] for topic in some if topic in made}
            gains |= self._made([topic for topic in some if topic not in gains])
            for topic in some:
                each, of_topic = topic_influences(
                    gains[topic], self._topics[topic].outcomes, measure=self._measure, means=means
                )
                values.append(np.array([(one.swaps, one.uneven, one.shift) for one in each]))
                ends += of_topic[:, self._topics[topic].undecided].sum(axis=1)
        return values, pairs_that_could_swap(means.means, *ends)

    def _made(self, topics: Sequence[str]) -> Iterator[tuple[str, TopicGains]]:
        """What runs score on some topics, computed from the runs."""
        runs = self._runs
        for some in chunks(topics, PORTION):
            graded = GradedRanks([(topic, self._topics[topic].docnos) for topic in some], runs=len(runs))
            graded.read(tops_of(self._db, self._campaign_id, runs, depth=self._measure.depth))
            for number, topic in enumerate(some):
                one = self._topics[topic]
                yield topic, self._measure.topic(graded.ranks(number), one.grades, one.disputed)


def _joined(one: TopicGrades) -> str:
    docnos = one.docnos[one.disputed].tolist()
    return b"\n".join(docnos).decode("utf-8", "surrogateescape")


def _bytes_of(gains: TopicGains) -> int:
    return sum(one.nbytes for one in (gains.ranks, gains.reached, gains.below, gains.scores, gains.gained))


def _hash(source: tuple[object, ...]) -> str:
    return hashlib.sha256(repr(source).encode("utf-8", "backslashreplace")).hexdigest()


_MERGED = 2**20
"""Documents of runs that are brought into the order of the topics together."""


_RanksByTopic = tuple[Places, NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]
"""Graded documents of some runs by topic: where each topic begins; of each document run, place and rank."""


class GradedRanks:
    """The ranks that documents of some topics have in `runs` runs, by the places of the topics.

    Of the runs no more is in memory than twelve bytes for each graded document of each; the ranks of all
    documents of a topic by all runs are made when they are asked for.
    """

    def __init__(self, topics: Sequence[tuple[str, Docnos]], *, runs: int) -> None:
        self._runs = runs
        self._numbers = {topic: number for number, (topic, _) in enumerate(topics)}
        sizes = [len(docnos) for _, docnos in topics]
        self._first = np.cumsum([0, *sizes])
        docnos = np.concatenate([one for _, one in topics]) if topics else np.empty(0, dtype="S1")
        numbers = np.repeat(np.arange(len(topics)), sizes)
        self._known = _PairPlaces(numbers, docnos)
        self._entries: list[_RanksByTopic] = []

    def __len__(self) -> int:
        return len(self._numbers)

    def ranks(self, number: int) -> NDArray[np.int32]:
        """Those of the documents of one topic, 0 where a run does not have it; shape (runs, documents)."""
        ranks = np.zeros((self._runs, int(self._first[number + 1] - self._first[number])), dtype=np.int32)
        for starts, runs, places, of_runs in self._entries:
            of_topic = slice(starts[number], starts[number + 1])
            ranks[runs[of_topic], places[of_topic]] = of_runs[of_topic]
        return ranks

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
        runs, places, ranks = (one[order].astype(np.int32) for one in (runs, places, ranks))
        return starts, runs, places, ranks


class _PairPlaces:
    """Where pairs of topic and document stand among those that are known, found for all of a run at once."""

    def __init__(self, numbers: Places, docnos: Docnos) -> None:
        self._numbers, self._docnos = numbers, docnos
        self._words = words_of(docnos)
        prints = fingerprints(self._words, numbers)
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


@dataclass(frozen=True, slots=True, eq=False)
class TopicGrades:
    """The documents of a topic that have a grade, the grade, and which are disputed.

    `disputed` are places among the `docnos`, `undecided` says of which there is no decision, and `outcomes`
    the different grades, ascending, that each of them could get: those given, or each of the scale where
    fewer than two were.
    """

    docnos: Docnos
    grades: Numbers
    disputed: Numbers
    undecided: Flags
    outcomes: tuple[tuple[int, ...], ...]


def topic_grades(table: QueueTable) -> dict[str, TopicGrades]:
    """Every topic with a grade, decided or else the lower median of the grades of a document, by topic.

    Decided documents that nobody graded stand at the end.
    """
    source, answers = table.source, table.source.answers
    graded = answers.only(answers.codes >= 0)
    order = np.lexsort((graded.codes, graded.pairs))
    pairs, codes = graded.pairs[order], graded.codes[order]
    begins = np.flatnonzero(np.diff(pairs, prepend=-1))
    ends = np.append(begins[1:], len(pairs))
    places, grades = pairs[begins], codes[begins + (ends - begins - 1) // 2]
    beside: dict[str, dict[bytes, int]] = {}
    for row, one in table.decisions.items():
        if one.grade is None:
            continue
        at = int(np.searchsorted(places, table.places[row]))
        if at < len(places) and places[at] == table.places[row]:
            grades[at] = one.grade
        else:
            beside.setdefault(one.topic, {})[id_bytes(one.docno)] = one.grade
    numbers = np.flatnonzero(source.disputed)
    undecided = np.isin(numbers, table.open_places)
    disputed = np.searchsorted(places, numbers)
    every = tuple(sorted(grade.value for grade in source.scale.grades))
    outcomes = []
    for row in disputed.tolist():
        given = tuple(sorted(set(codes[begins[row] : ends[row]].tolist())))
        outcomes.append(given if len(given) > 1 else every)
    found = {}
    bounds = np.searchsorted(places, answers.starts)
    of_disputed = np.searchsorted(disputed, bounds)
    for topic, rows, some in zip(answers.topics, pairwise(bounds), pairwise(of_disputed), strict=True):
        chosen, own = slice(*rows), slice(*some)
        further = beside.pop(topic, {})
        if rows[0] == rows[1] and not further:
            continue
        docnos = [answers.docnos[place] for place in places[chosen].tolist()]
        found[topic] = TopicGrades(
            np.array([*docnos, *further], np.bytes_),
            np.append(grades[chosen], np.fromiter(further.values(), np.int64)),
            disputed[own] - rows[0],
            undecided[own],
            tuple(outcomes[own]),
        )
    nothing = np.empty(0, np.int64)
    for topic, further in beside.items():
        of_further = np.array(list(further), np.bytes_), np.fromiter(further.values(), np.int64)
        found[topic] = TopicGrades(*of_further, nothing, np.empty(0, np.bool_), ())
    return found
