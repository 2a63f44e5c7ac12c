"""Which ratings an agreement report includes, put together from topics of which each may be known already."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.agreement.contingency import MISSING
from workbench.agreement.options import AgreementOptions
from workbench.agreement.pairwise import most_active
from workbench.agreement.ratings import Assessor, Pair, Ratings
from workbench.agreement.ratings_by_topic import RatingsByTopic, TopicRatings, tables_among
from workbench.agreement.selection import Counts, Selection, Shared, counted_once, sentence_of


@dataclass(frozen=True, slots=True, eq=False)
class GradedTopic:
    """The grades of a topic, as places on the declared scale: who gave any, by id, and to what.

    The rows are in the order of all assessors; every row and every column has a grade. `docnos` names the
    columns.
    """

    topic: str
    who: tuple[int, ...]
    ratings: Ratings
    docnos: Callable[[], Sequence[str]]

    @property
    def graders(self) -> NDArray[np.int64]:
        """How many gave each pair a grade."""
        codes = self.ratings.codes
        return self.ratings.keep("graders", lambda: np.count_nonzero(codes != MISSING, axis=0))

    @property
    def singly(self) -> int:
        """How many pairs only one gave a grade."""
        return self.ratings.keep("singly", lambda: int(np.count_nonzero(self.graders == 1)))


@dataclass(frozen=True, slots=True)
class Chosen:
    """The assessors who are included, each with an id, and how often they were unsure or could not judge."""

    assessors: tuple[Assessor, ...]
    ids: tuple[int, ...]
    unsure: int
    cannot_judge: int


def select_by_topic(
    topics: Sequence[GradedTopic], chosen: Chosen, categories: tuple[int, ...], options: AgreementOptions
) -> Selection:
    """What `select_ratings` selects of the same grades under the basis `both`, by the options besides.

    `topics` are sorted by bytes, and each has a grade of those chosen; `categories` are those of the declared
    scale, highest first.
    """
    number, size = {one: place for place, one in enumerate(chosen.ids)}, len(chosen.ids)
    parts = [TopicRatings(np.array([number[one] for one in each.who]), each.ratings) for each in topics]
    every = RatingsByTopic(parts, size, categories)
    shared, once = every.shared(), counted_once(options, size)
    by_grade = every if once else shared
    singly = sum(one.singly for one in topics)
    columns = every.n_pairs if once else every.n_pairs - singly
    named = topics if once else [one for one in topics if one.singly < one.ratings.codes.shape[1]]
    counts = Counts(chosen.unsure, chosen.cannot_judge, singly, singly if once else 0, 0, 0)
    relevant_from = 1 if options.relevant_from is None else options.relevant_from
    return Selection(
        ratings=by_grade if options.graded else by_grade.from_grade(relevant_from),
        by_grade=by_grade,
        assessors=chosen.assessors,
        columns=columns,
        topics=tuple(one.topic for one in named),
        n_topics=shared.n_topics,
        relevant_from=relevant_from,
        graded=options.graded,
        basis=options.basis,
        counts=counts,
        sentence=sentence_of(
            options.basis, columns - counts.expected, chosen.assessors, counts, len(named), options
        ),
        included=_OfTopics(named, once, every),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _OfTopics:
    """The pairs of topics that are included, those that one alone judged too if these count `once`."""

    topics: Sequence[GradedTopic]
    once: bool
    every: RatingsByTopic

    def pairs(self) -> tuple[Pair, ...]:
        """The pairs included."""
        return tuple((one.topic, docno) for one in self.topics for docno in self._docnos(one))

    def count(self, among: Collection[Pair]) -> int:
        """How many of some pairs are included."""
        asked: dict[str, set[str]] = {}
        for topic, docno in among:
            asked.setdefault(topic, set()).add(docno)
        own = (one for one in self.topics if one.topic in asked)
        return sum(len(asked[one.topic].intersection(self._docnos(one))) for one in own)

    def docnos(self, topic: str) -> Sequence[str]:
        """The documents of a topic that are included."""
        return next((self._docnos(one) for one in self.topics if one.topic == topic), ())

    def shared(self, first: int, second: int) -> Shared:
        """What two assessors share: whatever both graded is included."""
        several, two = self.every.shared(), tuple(sorted((first, second)))
        active = several.keep("active", lambda: frozenset(most_active(several)))
        among = tuple(sorted(active)) if active.issuperset(two) else two
        both = int(tables_among(several, among).of(*two).tables.sum())
        gave = self.every.keep("gave", lambda: self.every.given_counts().tolist())
        return Shared(both, gave[first] - both, gave[second] - both)

    def _docnos(self, topic: GradedTopic) -> Sequence[str]:
        docnos = topic.docnos()
        if self.once or not topic.singly:
            return docnos
        return [docnos[place] for place in np.flatnonzero(topic.graders >= 2).tolist()]
