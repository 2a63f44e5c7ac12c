"""What a release contains: one record of everything that goes into its files, and the records within it.

Nobody is named: assessors are known by pseudonyms, adjudicators not at all. Every sequence stands in the
order in which the files have it, so that the same campaign gives the same record however its database was
filled.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import field
from datetime import datetime
from enum import StrEnum
from itertools import groupby
from operator import attrgetter
from typing import Any

from workbench.frozen import frozen_dataclass
from workbench.pooling.pool import Pair
from workbench.records import (
    Answer,
    Document,
    Judgment,
    Original,
    Preference,
    Qrel,
    Scale,
    Topic,
    grades_of,
    pair_of,
    sorted_pairs,
)


@frozen_dataclass
class ReleasedDocument:
    """A pooled or judged document; `sha256` is of the text shown, None if that is not known.

    `title` and `text` are None unless documents are included. Of a PDF or an image `original` is then the
    SHA-256 of its bytes, which `sha256` covers as well. Where originals are included it is that of every
    document whose bytes are kept, `content` are these, and `address` and `charset` what is known of them.
    """

    docno: str
    sha256: str | None
    title: str | None = None
    text: str | None = None
    media_type: str = ""
    original: str = ""
    address: str = ""
    charset: str = ""
    content: bytes | None = None

    @property
    def hashed(self) -> str:
        """What `sha256` is of the title and the text that are here."""
        file = Original(self.media_type, None, self.original)
        return Document(self.docno, self.title or "", self.text or "", file).sha256


VERSION = re.compile(r"[0-9A-Za-z][0-9A-Za-z.+-]{0,39}")
NO_ANSWER = frozenset({"withdrawn", "later"})
"""Entries of the history after which an assessor has no answer about a pair."""
RETURNED = "back"
"""The decision that returns a pair to its assessors for discussion."""


class Included(StrEnum):
    """What is in a release only by choice, since licences or promises often forbid it."""

    DOCUMENTS = "documents"
    ORIGINALS = "originals"
    RUNS = "runs"
    COMMENTS = "comments"


@frozen_dataclass
class ReleaseAbout:
    """What the organiser says of a release; `name` is the collection's short name, `licence` an SPDX id.

    `released_at` is the only time of making that is in a release. `software` is the version of Workbench.
    """

    name: str
    title: str
    version: str
    released_at: datetime
    software: str
    description: str = ""
    authors: tuple[str, ...] = ()
    licence: str = ""
    homepage: str = ""

    @property
    def year(self) -> int:
        """The year in which the release was made, in UTC."""
        return self.released_at.year

    @property
    def citation(self) -> str:
        """One line by which the release is cited: authors, year, title, version, address."""
        authors = " and ".join(self.authors)
        named = f"{authors} ({self.year}). {self.title}" if authors else f"{self.title} ({self.year})"
        # No full stop behind an address: it would be taken for a part of it.
        return " ".join([f"{named}. Version {self.version}.", *([self.homepage] if self.homepage else [])])


@frozen_dataclass
class ReleasedSubtopic:
    """A subtopic in the form that readers of topics take."""

    id: str
    label: str


@frozen_dataclass
class ReleasedTopic:
    """A topic in the form that readers of topics take."""

    id: str
    title: str
    description: str = ""
    narrative: str = ""
    subtopics: tuple[ReleasedSubtopic, ...] = ()

    @classmethod
    def of(cls, topic: Topic) -> ReleasedTopic:
        """The form of a topic."""
        subtopics = tuple(ReleasedSubtopic(*one) for one in topic.subtopics)
        return cls(topic.id, topic.title, topic.description, topic.narrative, subtopics)

    @property
    def topic(self) -> Topic:
        """The topic."""
        subtopics = tuple((one.id, one.label) for one in self.subtopics)
        return Topic(self.id, self.title, self.description, self.narrative, subtopics)


@frozen_dataclass
class ReleasedAssessor:
    """An assessor by pseudonym; `name` is what a machine is called, and empty for a person.

    `organiser` says that the person was an organiser as well, who sees the answers of all.
    """

    pseudonym: str
    machine: bool
    name: str = ""
    organiser: bool = False


@frozen_dataclass
class ReleasedQuestion:
    """A further question about every document, with its labels, the lowest first."""

    name: str
    labels: tuple[str, ...]
    required: bool = False


@frozen_dataclass
class ReleasedAnswer:
    """One entry in the history of an assessor's answers about a pair; the last of a pair is current.

    `purpose` is judging or discussion. `source` says where it was given: screen, discussion or import.
    `evidence` lists [start, end, quote] (in UTF-16 units; the quote only with documents), `ratings` are
    places in the scales of further questions, `subtopics` ids. `shown_at` is the place (from 1) in the order
    shown, `instructions` the version of the guidelines and the scale that the assessor saw.
    """

    assessor: str
    topic: str
    docno: str
    answer: str
    grade: int | None
    purpose: str
    source: str
    recorded_at: datetime
    given_at: datetime | None = None
    document_sha256: str | None = None
    shown_at: int | None = None
    order_rule: str | None = None
    seed: int | None = None
    active_ms: int | None = None
    reason: str = ""
    comment: str = ""
    evidence: tuple[tuple[int, int, str], ...] = ()
    ratings: dict[str, int] = field(default_factory=dict)
    subtopics: tuple[str, ...] = ()
    instructions: int | None = None


@frozen_dataclass
class ReleasedInstructions:
    """A version, from 1, of what the assessors were told: the guidelines and the scale, and since when."""

    version: int
    since: datetime
    guidelines: str
    scale: Scale


@frozen_dataclass
class SeenAnswer:
    """An answer that an adjudicator saw: number `entry` (from 1) in the history of its assessor and pair."""

    assessor: str
    entry: int
    answer: str
    grade: int | None


@frozen_dataclass
class ReleasedDecision:
    """One entry in the history of decisions about a pair; the last of a pair is current.

    `decision` is grade, back (returned for discussion), unclear or withdrawn.
    """

    topic: str
    docno: str
    decision: str
    grade: int | None
    recorded_at: datetime
    active_ms: int | None = None
    reason: str = ""
    seen: tuple[SeenAnswer, ...] = ()


@frozen_dataclass
class ReleasedPreference:
    """The current answer about two documents, or two runs, of a topic (`kind` says which)."""

    kind: str
    assessor: str
    topic: str
    first: str
    second: str
    choice: str
    first_was_left: bool
    recorded_at: datetime
    active_ms: int | None = None
    reason: str = ""

    @property
    def preference(self) -> Preference:
        """The preference alone."""
        return Preference(self.assessor, self.topic, self.first, self.second, self.choice)


@frozen_dataclass
class ReleasedEntry:
    """A pair of a pool: how many runs brought it, the best rank, and what its sampling design says.

    `brought_by` lists [tag, rank], and is empty unless runs are included. `added_at` is set if a person added
    it.
    """

    topic: str
    docno: str
    runs: int
    best_rank: int | None
    weight: float | None = None
    inclusion: float | None = None
    stratum: int | None = None
    added_at: datetime | None = None
    reason: str = ""
    brought_by: tuple[tuple[str, int], ...] = ()


@frozen_dataclass
class UndrawnPair:
    """A pair that a sampling strategy could have drawn and did not, with the number of its stratum."""

    topic: str
    docno: str
    stratum: int


@frozen_dataclass
class ReleasedEvent:
    """What happened in a topic of an adaptive pool, number by number: the events determine the pool.

    `happening` is handed_out, judged or given_back; `relevant` is set by a grade. `entry` is the number (from
    1) of the answer in the history of its assessor and pair, 0 where the event is no answer. `origin` to
    `score` say why a learner handed a document out.
    """

    topic: str
    number: int
    happening: str
    docno: str
    at: datetime
    assessor: str = ""
    relevant: bool | None = None
    entry: int = 0
    origin: str = ""
    round: int | None = None
    rank: int | None = None
    score: float | None = None


@frozen_dataclass
class ReleasedPool:
    """An opened pool: its recipe (strategy, parameters, seed, runs and their hashes) and its pairs.

    `undrawn` is what a sampling strategy could have drawn and did not; `events` are those of an adaptive
    pool, by topic and number.
    """

    name: str
    recipe: dict[str, Any]
    largest_possible: int
    created_at: datetime
    opened_at: datetime
    per_pair: int | None = None
    entries: tuple[ReleasedEntry, ...] = ()
    undrawn: tuple[UndrawnPair, ...] = ()
    events: tuple[ReleasedEvent, ...] = ()

    @property
    def seed(self) -> str:
        """The seed of its random choices, empty where it has none."""
        return str(self.recipe.get("parameters", {}).get("seed", ""))


@frozen_dataclass
class ReleasedRun:
    """A run: the SHA-256 of its plain file, its group and metadata; `content` only if runs are included."""

    tag: str
    sha256: str
    topics: int
    lines: int
    group: str = ""
    kind: str | None = None
    description: str = ""
    priority: int | None = None
    verdict: str = "accepted"
    content: bytes | None = None


@frozen_dataclass
class ReleaseRule:
    """The consensus rule of the qrels with its parameters (a named assessor by pseudonym).

    Machine judgments count only with `machines`. `relevant_from` is the lowest relevant grade of the qrels.
    """

    name: str
    label: str
    relevant_from: int
    machines: bool = False
    parameters: dict[str, str] = field(default_factory=dict)


@frozen_dataclass
class ReleasedEstimate:
    """A coefficient over `n` pairs with its interval, rounded to six places; None where it is undefined."""

    name: str
    label: str
    value: float | None
    n: int
    low: float | None = None
    high: float | None = None
    level: float | None = None
    method: str = ""
    undefined: str = ""


@frozen_dataclass
class ReleaseContents:
    """Everything that goes into a release. `questions` are those asked beside the grade.

    `unsettled` counts the judged pairs to which the rule gives no grade. `agreement` is between people, of
    their independent judgments; `agreement_undefined` says why there is none.
    """

    about: ReleaseAbout
    scale: Scale
    guidelines: str
    rule: ReleaseRule
    included: frozenset[Included]
    questions: tuple[ReleasedQuestion, ...]
    topics: tuple[Topic, ...]
    documents: tuple[ReleasedDocument, ...]
    assessors: tuple[ReleasedAssessor, ...]
    answers: tuple[ReleasedAnswer, ...]
    decisions: tuple[ReleasedDecision, ...]
    preferences: tuple[ReleasedPreference, ...]
    pools: tuple[ReleasedPool, ...]
    runs: tuple[ReleasedRun, ...]
    qrels: tuple[Qrel, ...]
    unsettled: int
    agreement: tuple[ReleasedEstimate, ...] = ()
    agreement_undefined: str = ""
    instructions: tuple[ReleasedInstructions, ...] = ()

    def answers_about(self, pairs: Collection[Pair]) -> Iterator[ReleasedAnswer]:
        """The answers about some pairs."""
        return (one for one in self.answers if pair_of(one) in pairs)

    def decisions_about(self, pairs: Collection[Pair]) -> Iterator[ReleasedDecision]:
        """The decisions about some pairs, not only the current ones."""
        return (one for one in self.decisions if pair_of(one) in pairs)

    @property
    def run_files(self) -> Mapping[str, bytes]:
        """The files of the runs that are included, by tag."""
        return {one.tag: one.content for one in self.runs if one.content is not None}

    @property
    def guidelines_sha256(self) -> str:
        """The hash of the guidelines, which stands for their version."""
        return hashlib.sha256(self.guidelines.encode()).hexdigest()

    @property
    def machines(self) -> frozenset[str]:
        """The pseudonyms of the machines."""
        return frozenset(one.pseudonym for one in self.assessors if one.machine)

    def current(self) -> tuple[ReleasedAnswer, ...]:
        """The current answers, by topic, docno and pseudonym."""
        return tuple(one for one in last_entries(self.answers) if one.answer not in NO_ANSWER)

    def judgments(self) -> tuple[Judgment, ...]:
        """The current answers as judgments; raises ValueError for an entry that is no answer."""
        return tuple(
            Judgment(one.assessor, one.topic, one.docno, one.grade, Answer(one.answer))
            for one in self.current()
        )

    def current_decisions(self) -> tuple[ReleasedDecision, ...]:
        """The current decision of every pair that has one, in the order of topic and docno."""
        last = {pair_of(one): one for one in self.decisions}
        return tuple(one for one in last.values() if one.decision != "withdrawn")

    def decided(self) -> dict[Pair, int]:
        """The adjudicated grade of every pair that has one."""
        return {pair_of(one): one.grade for one in self.current_decisions() if one.grade is not None}

    def pooled(self) -> frozenset[Pair]:
        """The pairs of the pools."""
        return frozenset(pair_of(one) for pool in self.pools for one in pool.entries)

    def unjudged(self) -> tuple[Pair, ...]:
        """The pooled pairs that have no line in the qrels, sorted as bytes."""
        return tuple(sorted_pairs(self.pooled() - grades_of(self.qrels).keys()))


def last_entries(entries: Sequence[ReleasedAnswer]) -> Iterator[ReleasedAnswer]:
    """The last entry of each assessor about each pair, in the order in which their first ones come."""
    topics = [topic for topic, _ in groupby(entries, key=attrgetter("topic"))]
    if len(topics) > len(set(topics)):
        yield from {(one.topic, one.docno, one.assessor): one for one in entries}.values()
        return
    # As in every release: then what was said about one topic is enough at a time.
    for _, some in groupby(entries, key=attrgetter("topic")):
        yield from {(one.docno, one.assessor): one for one in some}.values()
