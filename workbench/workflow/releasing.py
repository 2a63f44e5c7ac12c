"""Qrels: one grade from several, by a named rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from sqlalchemy.orm import Session

from workbench.consensus.rules import RULES
from workbench.consensus.settle import NO_GRADE, Consensus, consensus
from workbench.formats.qrels import write_qrels
from workbench.workflow.campaigning import campaign_of
from workbench.workflow.comparing import current_judgments


@dataclass(frozen=True, slots=True)
class RuleChoice:
    """A rule by its name with what it needs: a tie rule for `majority`, an assessor for `one`.

    None leaves a parameter to the rule's default; what a rule does not ask for is passed over.
    """

    rule: str = "majority"
    ties: str | None = None
    assessor: str | None = None

    def parameters(self) -> dict[str, str]:
        """What the rule is to be told."""
        said = {"ties": self.ties, "assessor": self.assessor}
        wanted = [parameter.name for parameter in RULES[self.rule].parameters] if self.rule in RULES else []
        return {name: value for name in wanted if (value := said[name]) is not None}


@dataclass(frozen=True, slots=True)
class QrelsReport:
    """The qrels that a rule makes now; `without_grade` counts pairs that only have unsure or cannot-judge."""

    choice: RuleChoice
    consensus: Consensus
    by_grade: tuple[tuple[int, int], ...]
    topics: int
    relevant: int
    without_grade: int

    def lines(self) -> Iterator[bytes]:
        """The file, line by line; nothing but qrels lines."""
        return write_qrels(self.consensus.qrels)


def make_qrels(
    db: Session, campaign_id: int, choice: RuleChoice, *, assessors: Collection[str] | None = None
) -> QrelsReport:
    """Apply a rule to what the assessors (or those named) say now; unsure and cannot-judge give no line.

    Raises WorkbenchError for an unknown rule or parameter.
    """
    scale = campaign_of(db, campaign_id).scale
    judgments = current_judgments(db, campaign_id, assessors=assessors)
    result = consensus(judgments, rule=choice.rule, scale=scale, **choice.parameters())
    return QrelsReport(
        choice=choice,
        consensus=result,
        by_grade=tuple(sorted(Counter(q.grade for q in result.qrels).items())),
        topics=len({q.topic for q in result.qrels}),
        relevant=sum(q.grade >= scale.relevant_from for q in result.qrels),
        without_grade=sum(pair.reason == NO_GRADE for pair in result.unsettled),
    )
