"""The choice of a consensus rule in the address of a page: qrels and scores share it."""

from __future__ import annotations

from dataclasses import dataclass

from flask import request

from workbench.storage import Session
from workbench.workflow.assigning import AssessorLine, assessors_of
from workbench.workflow.releasing import RuleChoice

DEFAULT = "majority"


@dataclass(frozen=True, slots=True)
class RuleForm:
    """What is chosen, and the assessors there are to choose from."""

    choice: RuleChoice
    assessors: tuple[AssessorLine, ...]

    def arguments(self) -> dict[str, str]:
        """The choice as it stands in an address."""
        machines = "yes" if self.choice.machines else ""
        chosen = {"rule": self.choice.rule, **self.choice.parameters(), "machines": machines}
        return {name: value for name, value in chosen.items() if value}


def rule_form(db: Session, campaign_id: int) -> RuleForm:
    """The rule that the address names, else majority; without a name `one` takes the first assessor."""
    assessors = assessors_of(db, campaign_id)
    first = assessors[0].name if assessors else None
    choice = RuleChoice(
        rule=request.args.get("rule") or DEFAULT,
        ties=request.args.get("ties") or None,
        assessor=request.args.get("assessor") or first,
        machines=request.args.get("machines") == "yes",
    )
    return RuleForm(choice, assessors)


def rule_name(choice: RuleChoice) -> str:
    """The rule with what it was told, for the name of a file: `majority-higher`."""
    machines = ["machines"] if choice.machines else []
    return "-".join([choice.rule, *choice.parameters().values(), *machines])
