"""Two pools side by side: the pairs that enter, leave and stay, by topic and run, and what is unjudged."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from workbench.frozen import frozen_dataclass
from workbench.pooling.pool import Pair, Pool
from workbench.records import pair_of, places_of, sorted_ids

Numbers = NDArray[np.int64]
Chosen = NDArray[np.bool_]
NOTHING: Numbers = np.empty(0, np.int64)


def without_pairs(pool: Pool, pairs: Iterable[Pair]) -> Pool:
    """The supplementary pool: what of a pool is not among these pairs, such as judged or pooled ones.

    Weights, inclusion probabilities and strata stay those of the drawing; the pairs taken away have none.
    """
    gone = frozenset(pairs)
    return replace(
        pool,
        entries=tuple(entry for entry in pool.entries if pair_of(entry) not in gone),
        weights={pair: weight for pair, weight in pool.weights.items() if pair not in gone},
        inclusion={pair: share for pair, share in pool.inclusion.items() if pair not in gone},
        strata={pair: number for pair, number in pool.strata.items() if pair not in gone},
    )


@frozen_dataclass
class PoolChange:
    """What changes of a topic, of what a run contributed, or of what was added by hand, in pairs.

    Of those in the pool after, nobody has judged `to_judge` yet.
    """

    name: str
    before: int
    after: int
    added: int
    removed: int
    kept: int
    to_judge: int


@dataclass(frozen=True, slots=True, eq=False)
class TopicMembers:
    """The documents of a pool for one topic, and which of its runs brought each; `added` were so by hand.

    Document number i was brought by `counts[i]` runs: their places among the pool's tags follow one another
    in `brought`.
    """

    docnos: tuple[str, ...]
    brought: Numbers
    counts: Numbers
    added: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class PoolMembers:
    """The pairs of a pool by topic; `tags` are its runs."""

    tags: tuple[str, ...]
    topics: Mapping[str, TopicMembers]


def grouped(pairs: Iterable[Pair]) -> dict[str, list[str]]:
    """The docnos of pairs by topic."""
    found: dict[str, list[str]] = {}
    for topic, docno in pairs:
        found.setdefault(topic, []).append(docno)
    return found


@dataclass(frozen=True, slots=True, eq=False)
class ComparedTopic:
    """The documents of a topic that either pool has, sorted as bytes.

    Arrays by document: whether it is in the pool `before`, in that `after`, and `judged`; whether it comes
    from runs and by hand, in the pool after where it is there, else in the one before.
    """

    topic: str
    docnos: tuple[str, ...]
    before: Chosen
    after: Chosen
    judged: Chosen
    by_runs: Chosen
    by_hand: Chosen


@frozen_dataclass
class PoolComparison:
    """What changes from one pool to another.

    `by_topic` and `by_run` are sorted (bytes) and have every topic and run of either pool, as `topics` has
    with every pair; `by_hand` is what people added, `total` everything. A pair that several runs contributed
    counts for each of them, and one that a run contributes to one pool only enters or leaves for that run
    even if it stays in the pool.
    """

    total: PoolChange
    by_topic: tuple[PoolChange, ...]
    by_run: tuple[PoolChange, ...]
    by_hand: PoolChange
    topics: tuple[ComparedTopic, ...]


@dataclass(frozen=True, slots=True, eq=False)
class TopicComparison:
    """A topic of two pools compared; the counts of `_four` by run, shape (tags, 4), and by hand."""

    topic: ComparedTopic
    by_run: Numbers
    by_hand: Numbers


@frozen_dataclass
class ComparedTags:
    """The runs of two pools, sorted (bytes), and the places there of those of each."""

    tags: tuple[str, ...]
    before: tuple[int, ...]
    after: tuple[int, ...]

    @classmethod
    def of(cls, before: Iterable[str], after: Iterable[str]) -> ComparedTags:
        """Those of two pools, each in the order of its own members."""
        before, after = tuple(before), tuple(after)
        tags = tuple(sorted_ids({*before, *after}))
        place = places_of(tags)
        return cls(tags, tuple(place[tag] for tag in before), tuple(place[tag] for tag in after))


NO_MEMBERS = TopicMembers((), NOTHING, NOTHING)


def compare_topic(
    topic: str, tags: ComparedTags, was: TopicMembers, now: TopicMembers, *, judged: Container[str]
) -> TopicComparison:
    """Compare the documents of two pools for a topic, given those that are judged."""
    docnos = tuple(sorted_ids({*was.docnos, *now.docnos}))
    place = places_of(docnos)
    seen = np.fromiter((docno in judged for docno in docnos), np.bool_, len(docnos))
    # A row of truths for each run: counted in a tenth of the time of numbers for run and pair, sorted.
    runs_before = _brought(was, place, tags.before, len(tags.tags))
    runs_after = _brought(now, place, tags.after, len(tags.tags))
    before_here, after_here = _among(was.docnos, place), _among(now.docnos, place)
    added_before, added_after = _among(was.added, place), _among(now.added, place)
    by_runs = np.where(after_here, runs_after.any(axis=0), runs_before.any(axis=0))
    by_hand = np.where(after_here, added_after, added_before)
    return TopicComparison(
        ComparedTopic(topic, docnos, before_here, after_here, seen, by_runs, by_hand),
        _four(runs_before, runs_after, seen).T,
        _four(added_before, added_after, seen),
    )


def put_together(tags: ComparedTags, topics: Sequence[TopicComparison]) -> PoolComparison:
    """The comparison of two pools from that of their topics, which are sorted (bytes)."""
    found = tuple(one.topic for one in topics)
    counts = [_four(one.before, one.after, one.judged) for one in found]
    by_run = sum((one.by_run for one in topics), np.zeros((len(tags.tags), 4), np.int64))
    by_hand = sum((one.by_hand for one in topics), np.zeros(4, np.int64))
    return PoolComparison(
        total=_change("", *sum(counts, np.zeros(4, np.int64)).tolist()),
        by_topic=tuple(_change(one.topic, *four.tolist()) for one, four in zip(found, counts, strict=True)),
        by_run=tuple(_change(tag, *of_tag) for tag, of_tag in zip(tags.tags, by_run.tolist(), strict=True)),
        by_hand=_change("", *by_hand.tolist()),
        topics=found,
    )


def _among(docnos: Collection[str], place: Mapping[str, int]) -> Chosen:
    """Which of the documents are these; shape (documents,)."""
    found = np.zeros(len(place), np.bool_)
    found[_places(docnos, place)] = True
    return found


def _brought(members: TopicMembers, place: Mapping[str, int], of_tag: Sequence[int], runs: int) -> Chosen:
    """Which documents each run brought; shape (runs, documents)."""
    found = np.zeros((runs, len(place)), np.bool_)
    found[
        np.array(of_tag, np.int64)[members.brought], np.repeat(_places(members.docnos, place), members.counts)
    ] = True
    return found


def _places(docnos: Collection[str], place: Mapping[str, int]) -> Numbers:
    return np.fromiter(map(place.__getitem__, docnos), np.int64, len(docnos))


def _four(before: Chosen, after: Chosen, judged: Chosen) -> Numbers:
    """How many documents are in the pool before, in that after, in both, and after and not judged."""
    return np.stack(
        [np.count_nonzero(one, axis=-1) for one in (before, after, before & after, after & ~judged)]
    )


def _change(name: str, before: int, after: int, kept: int, to_judge: int) -> PoolChange:
    return PoolChange(name, before, after, after - kept, before - kept, kept, to_judge)
