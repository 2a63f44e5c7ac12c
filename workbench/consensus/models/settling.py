"""The models as rules: from grades by pair and assessor to one grade and its probability for every pair."""

from __future__ import annotations

from collections.abc import Callable

from workbench.consensus.models.dawid_skene import dawid_skene
from workbench.consensus.models.glad import glad
from workbench.consensus.models.mace import mace
from workbench.consensus.models.votes import Posterior, Votes, votes_of
from workbench.consensus.outcomes import Evidence, Graded, Outcome, Pair, Settled
from workbench.records import id_bytes


def by_dawid_skene(evidence: Evidence) -> dict[Pair, Outcome]:
    """What Dawid and Skene's model thinks most likely of every pair."""
    return _most_likely(evidence.graded, dawid_skene)


def by_mace(evidence: Evidence) -> dict[Pair, Outcome]:
    """What MACE thinks most likely of every pair, from the starts of seed 0."""
    return _most_likely(evidence.graded, mace)


def by_glad(evidence: Evidence) -> dict[Pair, Outcome]:
    """What GLAD thinks most likely of every pair."""
    return _most_likely(evidence.graded, glad)


def _most_likely(graded: Graded, model: Callable[[Votes], Posterior]) -> dict[Pair, Outcome]:
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
