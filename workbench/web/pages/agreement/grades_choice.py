"""What of the judgments a page about agreement compares, as its address says it."""

from __future__ import annotations

from dataclasses import dataclass

from flask import request

from workbench.agreement.several.entering import Machines, relevant_or_not
from workbench.records import Scale
from workbench.web.forms import whole_number

WHOSE = {
    Machines.APART: "people",
    Machines.AMONG: "people and machines",
    Machines.ONLY: "machines",
}


@dataclass(frozen=True, slots=True)
class Choice:
    """Which grades are compared, from which one a document counts as relevant, and whose answers enter."""

    relevant_from: int
    graded: bool
    machines: Machines

    def arguments(self) -> dict[str, str | int]:
        """The same as it stands in an address."""
        chosen: dict[str, str | int] = {"from": self.relevant_from, "machines": str(self.machines)}
        return chosen | ({"graded": "yes"} if self.graded else {})

    @property
    def in_words(self) -> str:
        """Which grades are compared."""
        return grades_in_words(self.relevant_from, graded=self.graded)


def grades_in_words(relevant_from: int, *, graded: bool) -> str:
    """Which grades are compared, as a heading says it."""
    return "every grade" if graded else relevant_or_not(relevant_from)


def read_choice(scale: Scale) -> Choice:
    """The choice of this request; what it does not say is the campaign's own line, of people."""
    typed = whole_number(request.args.get("from", ""))
    return Choice(
        relevant_from=scale.relevant_from if typed is None else typed,
        graded=request.args.get("graded") == "yes",
        machines=next((one for one in Machines if one == request.args.get("machines")), Machines.APART),
    )
