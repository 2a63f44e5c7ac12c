"""Whether a topic is fit: how many of the documents that its author judged first are relevant.

At TREC whoever wrote a topic searched for it first. For TREC-1, topics were kept for which such a trial on a
sample of the documents had roughly 25 to 100 hits (Harman, Overview of TREC-1, NIST SP 500-207, 1993, section
3). Later the assessors searched the whole collection, and the number of relevant documents that they expected
was one of the reasons for taking a topic (Voorhees and Harman, Overview of TREC-8, NIST SP 500-246, 2000). A
topic with hardly any relevant document measures by chance; one with very many is never judged to the end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from workbench.errors import Finding, InvalidInput

MOST_FIRST = 200


class TopicFitness(StrEnum):
    """The verdict on a topic; undecided while the rest of its first documents can still change it."""

    UNDECIDED = "undecided"
    FEW = "too few relevant"
    FIT = "fit"
    MANY = "too many relevant"

    @property
    def kind(self) -> str:
        """The colour of its pill."""
        return {TopicFitness.UNDECIDED: "", TopicFitness.FIT: "good"}.get(self, "poor")


@dataclass(frozen=True, slots=True)
class DevelopmentRules:
    """When a topic is fit: `least` to `most` of the `first` documents judged are relevant.

    `assessors` says that assessors develop topics too. The numbers are where to begin, and no rule of TREC,
    which had others each year: an organiser sets them for the collection.
    """

    first: int = 25
    least: int = 3
    most: int = 20
    assessors: bool = False

    def to_json(self) -> dict[str, Any]:
        """As the campaign has them."""
        return asdict(self)


def rules_from_json(stored: Mapping[str, Any] | None) -> DevelopmentRules:
    """The rules as a campaign has them; the usual ones where it has none."""
    return DevelopmentRules(**stored) if stored else DevelopmentRules()


def checked_rules(
    first: int | None, least: int | None, most: int | None, *, assessors: bool
) -> DevelopmentRules:
    """The rules that somebody asks for; raises InvalidInput by field for numbers that cannot be."""
    findings = []
    if first is None or not 1 <= first <= MOST_FIRST:
        findings.append(_wrong("first", "it is no number of documents to judge", f"give 1 to {MOST_FIRST}"))
    if least is None or least < 1:
        findings.append(_wrong("least", "it is no number of relevant documents", "give 1 or more"))
    if most is None or (least is not None and most < least):
        findings.append(_wrong("most", "it is below the least number", "give as many or more"))
    elif first is not None and most > first:
        findings.append(_wrong("most", "more than are judged", f"give at most {first}"))
    if findings or first is None or least is None or most is None:
        raise InvalidInput(findings)
    return DevelopmentRules(first, least, most, assessors)


def _wrong(code: str, message: str, remedy: str) -> Finding:
    return Finding("Rules", None, code, message, remedy)


@dataclass(frozen=True, slots=True)
class DraftProgress:
    """What the author of a topic judged: all documents with the relevant ones, and the first that count.

    `low` and `high` bound the relevant documents of the collection whatever the others are: what was found,
    and all but what was judged not relevant.
    """

    judged: int
    relevant: int
    counted: int
    counted_relevant: int
    low: int
    high: int
    fitness: TopicFitness


def draft_progress_of(relevance: Sequence[bool], rules: DevelopmentRules, *, documents: int) -> DraftProgress:
    """What judgments say of a topic, in the order in which documents were judged first.

    Only the first documents decide, so that who goes on finding more makes no topic too large. What ranks
    first is no random sample, so nothing between `low` and `high` is more likely than the rest.
    """
    first = relevance[: rules.first]
    good, left = sum(first), rules.first - len(first)
    relevant = sum(relevance)
    # Documents may have been removed since they were judged.
    high = max(relevant, documents - (len(relevance) - relevant))
    return DraftProgress(
        judged=len(relevance),
        relevant=relevant,
        counted=len(first),
        counted_relevant=good,
        low=relevant,
        high=high,
        fitness=_fitness(good, left, rules),
    )


def _fitness(good: int, left: int, rules: DevelopmentRules) -> TopicFitness:
    if good > rules.most:
        return TopicFitness.MANY
    if good + left < rules.least:
        return TopicFitness.FEW
    if good >= rules.least and good + left <= rules.most:
        return TopicFitness.FIT
    return TopicFitness.UNDECIDED
