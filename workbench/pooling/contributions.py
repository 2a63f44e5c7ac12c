"""Which runs contributed which documents to a pool, and which only one run or group did; overlaps of runs.

And ties at the cut of a depth pool, with the pool that each tie rule would make.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import ge
from types import MappingProxyType
from typing import overload

import numpy as np
from numpy.typing import NDArray

from workbench.frozen import frozen_dataclass
from workbench.pooling.pool import Gathered, Pair, Places, Pool, TopicCandidates
from workbench.ranking import ordered
from workbench.records import Ranking, Run, TieRule, id_bytes, pair_of, places_of, sorted_ids


@dataclass(frozen=True, slots=True, eq=False)
class TopicIncidence:
    """One topic: its documents, sorted (bytes), and run and document of every contribution.

    `runs` and `documents` are of equal length and hold places in the tags and in `docnos`; a document that no
    run contributed, added by hand, is in `docnos` alone.
    """

    topic: str
    docnos: tuple[str, ...]
    runs: NDArray[np.int32]
    documents: NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Incidence:
    """Runs by their tags, sorted (bytes), and the topics that have documents, sorted (bytes)."""

    tags: tuple[str, ...]
    topics: tuple[TopicIncidence, ...]

    @property
    def pairs(self) -> int:
        """The (topic, document) pairs, each once."""
        return sum(len(topic.docnos) for topic in self.topics)


def incidence_of_tops(gathered: Gathered, depth: int) -> Incidence:
    """What each run has among its first `depth`, of runs that were gathered to this depth or further."""
    place = places_of(gathered.tags)
    return Incidence(gathered.tags, tuple(_of_tops(topic, depth, place) for topic in gathered.topics))


def _of_tops(candidates: TopicCandidates, depth: int, place: dict[str, int]) -> TopicIncidence:
    tops = [ranked.documents[:depth] for ranked in candidates.lists]
    places = [place[ranked.tag] for ranked in candidates.lists]
    runs = np.repeat(np.array(places, dtype=np.int32), [len(documents) for documents in tops])
    documents = np.concatenate(tops)
    # Gathered deeper than this depth there are documents that nobody has so high.
    found = np.zeros(len(candidates.docnos), dtype=np.bool_)
    found[documents] = True
    docnos = tuple(candidates.docnos[at] for at in np.flatnonzero(found).tolist())
    places_found = np.cumsum(found, dtype=np.int32) - 1
    return TopicIncidence(candidates.topic, docnos, runs, places_found[documents])


_NO_GROUPS: Mapping[str, str] = MappingProxyType({})


@frozen_dataclass
class Part:
    """The pairs that a run or group contributed to a pool, and those of them that no other contributed.

    `relevant` and `relevant_alone` are those of them that are known to be relevant.
    """

    name: str
    pairs: int
    alone: int
    relevant: int = 0
    relevant_alone: int = 0


@frozen_dataclass
class Contributors:
    """Runs or groups whose parts are counted: their names, sorted (bytes), and each run's place there."""

    names: tuple[str, ...]
    of_run: tuple[int, ...]

    @classmethod
    def of(cls, tags: Sequence[str], groups: Mapping[str, str] = _NO_GROUPS) -> Contributors:
        """The groups of runs by tag; a run without a group counts as one."""
        named = [groups.get(tag, tag) for tag in tags]
        names = tuple(sorted_ids(set(named)))
        place = places_of(names)
        return cls(names, tuple(place[name] for name in named))

    def count(self, topic: TopicIncidence, relevant: NDArray[np.bool_] | None = None) -> Places:
        """The four counts of a `Part` on one topic, shape (4, names).

        `relevant` says of each document whether it is. What two runs of a group contributed counts once.
        """
        documents, names = max(len(topic.docnos), 1), len(self.names)
        of_run = np.array(self.of_run, np.int64)
        brought = of_run[topic.runs] * documents + topic.documents
        name, document = np.divmod(np.unique(brought) if names < len(of_run) else brought, documents)
        alone = (np.bincount(document, minlength=documents) == 1)[document]
        known = np.zeros(len(document), np.bool_) if relevant is None else relevant[document]
        which = (slice(None), alone, known, alone & known)
        return np.stack([np.bincount(name[chosen], minlength=names) for chosen in which])

    def parts(self, counts: Iterable[Places]) -> tuple[Part, ...]:
        """The part of each name, from its counts on the topics."""
        total = sum(counts, np.zeros((4, len(self.names)), np.int64))
        return tuple(Part(name, *of_name) for name, of_name in zip(self.names, total.T.tolist(), strict=True))


def uniques(pool: Pool, groups: Mapping[str, str] | None = None) -> dict[str, tuple[Pair, ...]]:
    """The pairs that only one run or group contributed, by its name; names and pairs sorted (bytes).

    What the qrels lose when the group is left out.
    Source: gloo-eval.pl of NIST; Zobel 1998; Voorhees 2001.
    """
    of_tag = {tag: (groups or {}).get(tag, tag) for tag in pool.tags}
    found: dict[str, list[Pair]] = {name: [] for name in sorted_ids(set(of_tag.values()))}
    for entry in pool.entries:
        brought = {of_tag[one.tag] for one in entry.contributions}
        if len(brought) == 1:
            found[next(iter(brought))].append(pair_of(entry))
    return {name: tuple(pairs) for name, pairs in found.items()}


@frozen_dataclass
class SimilarPair:
    """Two runs, the pairs they have in common and what share that is of the pairs of either."""

    first: str
    second: str
    shared: int
    share: float


@dataclass(frozen=True, slots=True, eq=False)
class SimilarPairs(Sequence[SimilarPair]):
    """Every two runs with documents, the most similar first; of equal shares the earlier tags first.

    Each is made as it is read: a thousand runs have half a million. `first` and `second` are places in the
    tags, all arrays of shape (pairs,).
    """

    tags: tuple[str, ...]
    first: NDArray[np.int32]
    second: NDArray[np.int32]
    shared: NDArray[np.int64]
    shares: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.shares)

    @overload
    def __getitem__(self, at: int) -> SimilarPair: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[SimilarPair, ...]: ...
    def __getitem__(self, at: int | slice) -> SimilarPair | tuple[SimilarPair, ...]:
        if isinstance(at, slice):
            return tuple(self._made(at))
        place = range(len(self))[at]
        return next(self._made(slice(place, place + 1)))

    def __iter__(self) -> Iterator[SimilarPair]:
        return self._made(slice(None))

    def sharing(self, share: float) -> tuple[SimilarPair, ...]:
        """Those with such a share or more."""
        return self[: int(np.searchsorted(-self.shares, -share, side="right"))]

    def _made(self, at: slice) -> Iterator[SimilarPair]:
        columns = (self.first[at], self.second[at], self.shared[at], self.shares[at])
        for first, second, shared, share in zip(*(one.tolist() for one in columns), strict=True):
            yield SimilarPair(self.tags[first], self.tags[second], shared, share)


@dataclass(frozen=True, slots=True, eq=False)
class RunOverlap:
    """The pairs that any two runs have in common to a depth, over all topics.

    `tags` are sorted (bytes); `shared` has a row and a column for each; its diagonal is how many each has.
    """

    tags: tuple[str, ...]
    shared: NDArray[np.int64]

    def chain(self) -> tuple[int, ...]:
        """The runs, as places in `tags`, ordered so that similar ones are adjacent.

        Begins with the two runs of the largest share and continues at whichever end has the more similar run
        left; of equal shares the earlier tags go first.
        """
        if len(self.tags) < 2:
            return tuple(range(len(self.tags)))
        shares = self.shares()
        np.fill_diagonal(shares, -1.0)
        chain = [int(place) for place in np.unravel_index(int(shares.argmax()), shares.shape)]
        left = [place for place in range(len(self.tags)) if place not in chain]
        while left:
            before = max(left, key=lambda place: shares[chain[0], place])
            after = max(left, key=lambda place: shares[chain[-1], place])
            if shares[chain[0], before] > shares[chain[-1], after]:
                chain.insert(0, before)
                left.remove(before)
            else:
                chain.append(after)
                left.remove(after)
        return tuple(chain)

    def pairs(self) -> SimilarPairs:
        """Every two runs of which one has documents."""
        has = self.shared.diagonal() > 0
        first, second = np.nonzero(np.triu(has[:, None] | has[None, :], 1))
        values = self.shares()[first, second]
        order = np.argsort(-values, kind="stable")
        first, second = first[order], second[order]
        places = first.astype(np.int32), second.astype(np.int32)
        return SimilarPairs(self.tags, *places, self.shared[first, second], values[order])

    def shares(self) -> NDArray[np.float64]:
        """Shared pairs over pairs of either run (Jaccard), a row and a column for each run.

        0 where neither has any.
        """
        sizes = self.shared.diagonal()
        either = sizes[:, None] + sizes[None, :] - self.shared
        return np.asarray(np.divide(self.shared, either, out=np.zeros(either.shape), where=either > 0))


def overlap_of(incidence: Incidence) -> RunOverlap:
    """The overlap of runs whose first documents these are."""
    runs = len(incidence.tags)
    shared = np.zeros((runs, runs), dtype=np.int64)
    for topic in incidence.topics:
        # Most documents are in one run only, and only add to the size of that run.
        met = np.bincount(topic.documents, minlength=len(topic.docnos)) > 1
        among = met[topic.documents]
        # Single precision counts exactly to 2^24, far beyond any depth.
        has = np.zeros((runs, np.count_nonzero(met)), dtype=np.float32)
        has[topic.runs[among], (np.cumsum(met) - 1)[topic.documents[among]]] = 1
        shared += (has @ has.T).astype(np.int64)
        np.fill_diagonal(shared, shared.diagonal() + np.bincount(topic.runs[~among], minlength=runs))
    return RunOverlap(incidence.tags, shared)


@frozen_dataclass
class CutTie:
    """A run's documents for a topic that have the score of the last one within the depth.

    `inside` were let in by the tie rule, `outside` were not; both in the rule's order and neither empty.
    """

    tag: str
    topic: str
    score: float
    inside: tuple[str, ...]
    outside: tuple[str, ...]


@frozen_dataclass
class DecidedByTies:
    """The pairs of which the tie rule decided whether they are in the pool, each sorted (bytes).

    `let_in` are in it and came from no run without a tie at the cut; `kept_out` are not in it.
    """

    let_in: tuple[Pair, ...]
    kept_out: tuple[Pair, ...]


def cut_ties_by_rule(run: Run, depth: int) -> dict[TieRule, list[CutTie]]:
    """A run's ties across the cut as each of the rules splits them; of no depth below 1."""
    found: dict[TieRule, list[CutTie]] = {rule: [] for rule in TieRule}
    for topic, ranking in run.rankings.items():
        score = _score_across(ranking.scores, depth)
        if score is None:
            continue
        tied = [docno for docno, own in zip(ranking.docnos, ranking.scores, strict=True) if own == score]
        places = depth - sum(own > score for own in ranking.scores)
        group = Ranking(tuple(tied), (score,) * len(tied))
        for rule, ties in found.items():
            by_rule = ordered(group, ties=rule)
            ties.append(CutTie(run.tag, topic, score, by_rule[:places], by_rule[places:]))
    return found


def in_order(ties: Iterable[CutTie]) -> tuple[CutTie, ...]:
    """Ties sorted by tag, then topic (bytes)."""
    return tuple(sorted(ties, key=lambda tie: (id_bytes(tie.tag), id_bytes(tie.topic))))


def decided_in(incidence: Incidence, at_cut: Sequence[CutTie]) -> DecidedByTies:
    """Which pairs the tie rule decided in the depth pool of these runs, with these ties at its cut."""
    inside = _inside(at_cut)
    certain = _certain(incidence, inside)
    outside: dict[str, set[str]] = {}
    for tie in at_cut:
        outside.setdefault(tie.topic, set()).update(tie.outside)
    pooled = {topic.topic: topic.docnos for topic in incidence.topics}
    return DecidedByTies(
        _pairs(_open(inside, certain)),
        _pairs({topic: docnos.difference(pooled[topic]) for topic, docnos in outside.items()}),
    )


def _score_across(scores: Sequence[float], depth: int) -> float | None:
    """The score of the last document within the depth if the first beyond it has the same, else None."""
    if len(scores) <= depth:
        return None
    # Most runs come in the order of their scores, and to see that is quicker than to order them.
    if not all(map(ge, scores, scores[1:])):
        scores = heapq.nlargest(depth + 1, scores)
    return scores[depth - 1] if scores[depth] == scores[depth - 1] else None


@frozen_dataclass
class RuleOutcome:
    """The pool under a tie rule: its pairs, and what changes from the pool of the rule that was chosen.

    `added` and `removed` are sorted by topic and docno (bytes).
    """

    rule: TieRule
    pairs: int
    added: tuple[Pair, ...]
    removed: tuple[Pair, ...]


def outcomes(
    incidence: Incidence, at_cut: Mapping[TieRule, Iterable[CutTie]], *, chosen: TieRule
) -> tuple[RuleOutcome, ...]:
    """The outcome of every rule in `at_cut`, from the ties at the cut as each of them splits these.

    `incidence` is what the runs have among their first documents under the chosen rule.
    """
    inside = {rule: _inside(ties) for rule, ties in at_cut.items()}
    mine = inside[chosen]
    certain = _certain(incidence, mine)
    here = _open(mine, certain)
    found = []
    for rule, by_topic in inside.items():
        there = _open(by_topic, certain)
        added = _pairs({topic: docnos - here[topic] for topic, docnos in there.items()})
        removed = _pairs({topic: docnos - there[topic] for topic, docnos in here.items()})
        found.append(RuleOutcome(rule, incidence.pairs + len(added) - len(removed), added, removed))
    return tuple(found)


def _inside(ties: Iterable[CutTie]) -> dict[str, Counter[str]]:
    counts: dict[str, Counter[str]] = {}
    for tie in ties:
        counts.setdefault(tie.topic, Counter()).update(tie.inside)
    return counts


def _certain(incidence: Incidence, inside: Mapping[str, Counter[str]]) -> dict[str, set[str]]:
    """By topic with ties, the documents that some run brings whatever the rule."""
    certain: dict[str, set[str]] = {}
    for topic in incidence.topics:
        if topic.topic in inside:
            times = np.bincount(topic.documents, minlength=len(topic.docnos)).tolist()
            by_ties = inside[topic.topic]
            certain[topic.topic] = {
                docno for docno, count in zip(topic.docnos, times, strict=True) if count > by_ties[docno]
            }
    return certain


def _open(inside: Mapping[str, Counter[str]], certain: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """By topic, the documents that no run would bring without its tie."""
    return {topic: set(counts) - certain[topic] for topic, counts in inside.items()}


def _pairs(by_topic: Mapping[str, set[str]]) -> tuple[Pair, ...]:
    return tuple((topic, docno) for topic in sorted_ids(by_topic) for docno in sorted_ids(by_topic[topic]))
