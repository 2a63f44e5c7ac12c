"""What each run, or each group with all its runs, brought to a pool, and what nobody else did."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from workbench.pooling.candidates import Places
from workbench.pooling.incidence import Incidence, TopicIncidence, incidence_of_pool
from workbench.pooling.pool import Pair, Pool
from workbench.records import PoolEntry, sorted_ids

_NO_GROUPS: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Part:
    """The pairs that a run or group brought to a pool, and those of them that no other brought.

    `relevant` and `relevant_alone` are those of them that are known to be relevant.
    """

    name: str
    pairs: int
    alone: int
    relevant: int = 0
    relevant_alone: int = 0


def contributions(pool: Pool, groups: Mapping[str, str] | None = None) -> tuple[Part, ...]:
    """The part of every run in a pool, or of every group where `groups` names the groups by tag.

    A run without a group stands for itself. Sorted by name (bytes); runs that brought nothing are there.
    Source: annotate-qrels.pl of NIST.
    """
    return parts(incidence_of_pool(pool), groups or {})


def parts(
    incidence: Incidence,
    groups: Mapping[str, str] = _NO_GROUPS,
    *,
    relevant: Collection[Pair] = frozenset(),
) -> tuple[Part, ...]:
    """The same of what runs brought, with the share of the relevant in it."""
    named = [groups.get(tag, tag) for tag in incidence.tags]
    names = sorted_ids(set(named))
    place = {name: at for at, name in enumerate(names)}
    of_run = np.array([place[name] for name in named], dtype=np.int64)
    counts = np.zeros((4, len(names)), dtype=np.int64)
    for topic in incidence.topics:
        counts += _counted(topic, of_run, len(names), relevant)
    return tuple(
        Part(name, *counts_of_name) for name, counts_of_name in zip(names, counts.T.tolist(), strict=True)
    )


def uniques(pool: Pool, groups: Mapping[str, str] | None = None) -> dict[str, tuple[Pair, ...]]:
    """The pairs that only one run or group brought, by its name; names and pairs sorted (bytes).

    What the qrels lose when the group is left out.
    Source: gloo-eval.pl of NIST; Zobel 1998; Voorhees 2001.
    """
    of_tag = {tag: (groups or {}).get(tag, tag) for tag in pool.tags}
    found: dict[str, list[Pair]] = {name: [] for name in sorted_ids(set(of_tag.values()))}
    for entry in pool.entries:
        brought = _brought_by(entry, of_tag)
        if len(brought) == 1:
            found[next(iter(brought))].append((entry.topic, entry.docno))
    return {name: tuple(pairs) for name, pairs in found.items()}


def _counted(topic: TopicIncidence, of_run: Places, names: int, relevant: Collection[Pair]) -> Places:
    """The four counts of a part for every name; a document that a group's two runs brought counts once."""
    documents = max(len(topic.docnos), 1)
    brought = of_run[topic.runs] * documents + topic.documents
    name, document = np.divmod(np.unique(brought) if names < len(of_run) else brought, documents)
    alone = (np.bincount(document, minlength=documents) == 1)[document]
    known = np.zeros(len(document), dtype=np.bool_)
    if relevant:
        of_document = [(topic.topic, docno) in relevant for docno in topic.docnos]
        known = np.array(of_document, dtype=np.bool_)[document]
    which = (slice(None), alone, known, alone & known)
    return np.stack([np.bincount(name[chosen], minlength=names) for chosen in which])


def _brought_by(entry: PoolEntry, of_tag: Mapping[str, str]) -> set[str]:
    return {of_tag[one.tag] for one in entry.contributions}
