"""What each run, or each group with all its runs, brought to a pool, and what nobody else did."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from workbench.pooling.pool import Pair, Pool
from workbench.records import PoolEntry, sorted_ids


@dataclass(frozen=True, slots=True)
class Part:
    """The pairs that a run or group brought to a pool, and those of them that no other brought."""

    name: str
    pairs: int
    alone: int


def contributions(pool: Pool, groups: Mapping[str, str] | None = None) -> tuple[Part, ...]:
    """The part of every run in a pool, or of every group where `groups` names the groups by tag.

    A run without a group stands for itself. Sorted by name (bytes); runs that brought nothing are there.
    Source: annotate-qrels.pl of NIST.
    """
    of_tag = _names(pool, groups)
    pairs = dict.fromkeys(of_tag.values(), 0)
    alone = dict(pairs)
    for entry in pool.entries:
        brought = _brought_by(entry, of_tag)
        for name in brought:
            pairs[name] += 1
        if len(brought) == 1:
            alone[next(iter(brought))] += 1
    return tuple(Part(name, pairs[name], alone[name]) for name in sorted_ids(pairs))


def uniques(pool: Pool, groups: Mapping[str, str] | None = None) -> dict[str, tuple[Pair, ...]]:
    """The pairs that only one run or group brought, by its name; names and pairs sorted (bytes).

    What the qrels lose when the group is left out.
    Source: gloo-eval.pl of NIST; Zobel 1998; Voorhees 2001.
    """
    of_tag = _names(pool, groups)
    found: dict[str, list[Pair]] = {name: [] for name in sorted_ids(set(of_tag.values()))}
    for entry in pool.entries:
        brought = _brought_by(entry, of_tag)
        if len(brought) == 1:
            found[next(iter(brought))].append((entry.topic, entry.docno))
    return {name: tuple(pairs) for name, pairs in found.items()}


def _names(pool: Pool, groups: Mapping[str, str] | None) -> dict[str, str]:
    return {tag: (groups or {}).get(tag, tag) for tag in pool.tags}


def _brought_by(entry: PoolEntry, of_tag: Mapping[str, str]) -> set[str]:
    return {of_tag[one.tag] for one in entry.contributions}
