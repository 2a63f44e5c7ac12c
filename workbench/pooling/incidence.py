"""Which runs brought which documents, packed: what contributions, overlap and ties are counted from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from workbench.pooling.candidates import Candidates, Gathered, Places
from workbench.pooling.pool import Pool
from workbench.records import sorted_ids


@dataclass(frozen=True, slots=True, eq=False)
class TopicIncidence:
    """One topic: its documents, sorted (bytes), and for each time that a run brought one, run and document.

    `runs` and `documents` are of equal length and hold places in the tags and in `docnos`; a document that no
    run brought, added by hand, is in `docnos` alone.
    """

    topic: str
    docnos: tuple[str, ...]
    runs: Places
    documents: Places


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
    place = {tag: at for at, tag in enumerate(gathered.tags)}
    return Incidence(gathered.tags, tuple(_of_tops(topic, depth, place) for topic in gathered.topics))


def incidence_of_pool(pool: Pool) -> Incidence:
    """What each run brought to a pool, by any strategy."""
    return incidence_of_entries(
        pool.tags,
        ((entry.topic, entry.docno, [one.tag for one in entry.contributions]) for entry in pool.entries),
    )


def incidence_of_entries(tags: Iterable[str], entries: Iterable[tuple[str, str, Sequence[str]]]) -> Incidence:
    """The same of (topic, docno, tags that brought it), each pair once, sorted by topic and docno (bytes)."""
    ordered = tuple(sorted_ids(set(tags)))
    place = {tag: at for at, tag in enumerate(ordered)}
    docnos: dict[str, list[str]] = {}
    runs: dict[str, list[int]] = {}
    documents: dict[str, list[int]] = {}
    for topic, docno, brought_by in entries:
        known = docnos.setdefault(topic, [])
        runs.setdefault(topic, []).extend([place[tag] for tag in brought_by])
        documents.setdefault(topic, []).extend([len(known)] * len(brought_by))
        known.append(docno)
    return Incidence(
        ordered,
        tuple(
            TopicIncidence(
                topic,
                tuple(docnos[topic]),
                np.array(runs[topic], dtype=np.int64),
                np.array(documents[topic], dtype=np.int64),
            )
            for topic in sorted_ids(docnos)
        ),
    )


def _of_tops(candidates: Candidates, depth: int, place: dict[str, int]) -> TopicIncidence:
    tops = [ranked.documents[:depth] for ranked in candidates.lists]
    places = [place[ranked.tag] for ranked in candidates.lists]
    runs = np.repeat(np.array(places, dtype=np.int64), [len(documents) for documents in tops])
    documents = np.concatenate(tops)
    # Gathered deeper than this depth there are documents that nobody has so high.
    found = np.zeros(len(candidates.docnos), dtype=np.bool_)
    found[documents] = True
    docnos = tuple(candidates.docnos[at] for at in np.flatnonzero(found).tolist())
    return TopicIncidence(candidates.topic, docnos, runs, (np.cumsum(found) - 1)[documents])
