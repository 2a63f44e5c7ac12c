"""Qrels: one grade from several, by a named rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy.orm import Session

from workbench.consensus.rules import RULES
from workbench.consensus.settle import NO_GRADE, Consensus, consensus
from workbench.errors import WorkbenchError
from workbench.formats.qrels import write_qrels
from workbench.workflow.assigning import assessors_of
from workbench.workflow.campaigning import campaign_of
from workbench.workflow.comparing import current_judgments


@dataclass(frozen=True, slots=True)
class RuleChoice:
    """A rule by its name with what it needs: a tie rule for `majority`, an assessor for `one`.

    None leaves a parameter to the rule's default; what a rule does not ask for is passed over. Machines have
    no voice unless `machines` says so, or one is named.
    """

    rule: str = "majority"
    ties: str | None = None
    assessor: str | None = None
    machines: bool = False

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


def make_qrels(db: Session, campaign_id: int, choice: RuleChoice) -> QrelsReport:
    """Apply a rule to what the assessors say now; unsure and cannot-judge give no line.

    Raises WorkbenchError for an unknown rule, parameter or assessor.
    """
    scale = campaign_of(db, campaign_id).scale
    named = choice.parameters().get("assessor")
    if named is not None and named not in {line.name for line in assessors_of(db, campaign_id)}:
        raise WorkbenchError(f"{named} is no assessor of this campaign", remedy="see the list of assessors")
    judgments = current_judgments(db, campaign_id, machines=choice.machines or named is not None)
    result = consensus(judgments, rule=choice.rule, scale=scale, **choice.parameters())
    return QrelsReport(
        choice=choice,
        consensus=result,
        by_grade=tuple(sorted(Counter(q.grade for q in result.qrels).items())),
        topics=len({q.topic for q in result.qrels}),
        relevant=sum(q.grade >= scale.relevant_from for q in result.qrels),
        without_grade=sum(pair.reason == NO_GRADE for pair in result.unsettled),
    )
