"""The models as rules: from grades by pair and assessor to one grade and its probability for every pair."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from workbench.consensus.models.dawid_skene import dawid_skene
from workbench.consensus.models.glad import glad
from workbench.consensus.models.mace import mace
from workbench.consensus.models.votes import Posterior, Votes, votes_of
from workbench.records import id_bytes

Pair = tuple[str, str]
Graded = Mapping[Pair, Mapping[str, int]]


@dataclass(frozen=True, slots=True)
class Settled:
    """The grade of a pair, and how sure it is: the share of the assessors who gave it, or its probability."""

    grade: int
    confidence: float


def by_dawid_skene(graded: Graded) -> dict[Pair, Settled]:
    """What Dawid and Skene's model thinks most likely of every pair."""
    return _most_likely(graded, dawid_skene)


def by_mace(graded: Graded) -> dict[Pair, Settled]:
    """What MACE thinks most likely of every pair, from the starts of seed 0."""
    return _most_likely(graded, mace)


def by_glad(graded: Graded) -> dict[Pair, Settled]:
    """What GLAD thinks most likely of every pair."""
    return _most_likely(graded, glad)


def _most_likely(graded: Graded, model: Callable[[Votes], Posterior]) -> dict[Pair, Settled]:
    # Numbered in the order of their ids, so that nothing depends on who judged first.
    pairs = sorted(graded, key=lambda pair: (id_bytes(pair[0]), id_bytes(pair[1])))
    assessors = {
        name: at for at, name in enumerate(sorted({name for one in graded.values() for name in one}))
    }
    grades = sorted({grade for one in graded.values() for grade in one.values()})
    place = {grade: at for at, grade in enumerate(grades)}
    votes = votes_of(
        (number, assessors[name], place[grade])
        for number, pair in enumerate(pairs)
        for name, grade in sorted(graded[pair].items())
    )
    if not len(votes.pairs):
        return {}
    said = model(votes)
    return {
        pair: Settled(grades[at], sure)
        for pair, at, sure in zip(pairs, said.grades().tolist(), said.confidence().tolist(), strict=True)
    }
