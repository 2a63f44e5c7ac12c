"""What an address on agreement asks for: which judgments are compared, and how it is reckoned."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from workbench.agreement.coefficients.alpha import LEVELS
from workbench.agreement.estimates import ORDER
from workbench.agreement.intervals import Bounds
from workbench.agreement.options import MOST_SEED, ROUNDS, AgreementOptions, OwnWeights
from workbench.agreement.resampling import Unit
from workbench.agreement.selection import Basis, Machines
from workbench.agreement.weights import WEIGHTS, own_weights
from workbench.errors import Finding, InvalidInput, WorkbenchError
from workbench.records import Scale
from workbench.web.forms import whole_number
from workbench.web.pages.agreement.page import grades_in_words
from workbench.workflow.agreement.report import Asked

Kind = TypeVar("Kind", Basis, Machines, Unit, Bounds)
# A page is waited for: more rounds are for the terminal.
MOST_ROUNDS = 10_000
MOST_WEIGHTS = 2000

BASES = {
    Basis.BOTH: "only pairs that two judged",
    Basis.LISTED: "also pairs that one judged, as the others' lowest grade",
    Basis.ALL: "every document, not relevant where nobody judged",
}
OVER = {Unit.TOPIC: "topics", Unit.PAIR: "pairs of topic and document"}
BOUNDS = {Bounds.EXPANDED: "expanded", Bounds.PERCENTILE: "as they are"}
FIGURES = {
    "pooled": "Pooled κ",
    "unpooled": "Unpooled κ",
    "alpha": "Krippendorff's α",
    "gwet": "Gwet's AC",
    "uniform": "S",
    "observed": "Observed",
}


@dataclass(frozen=True, slots=True)
class Choice:
    """What is asked for; `by` is the coefficient by which a matrix is coloured and ordered.

    `own` is what was typed as own weights, and `error` why it or another part could not be taken.
    """

    asked: Asked
    how: AgreementOptions
    by: str
    relevant_from: int
    own: str = ""
    error: InvalidInput | None = None

    @property
    def graded(self) -> bool:
        """Whether every grade is compared, not relevant or not."""
        return self.asked.graded

    @property
    def machines(self) -> Machines:
        """Whose answers enter."""
        return self.asked.machines

    @property
    def in_words(self) -> str:
        """Which grades are compared."""
        return grades_in_words(self.relevant_from, graded=self.graded)

    def arguments(self) -> dict[str, str | int]:
        """The same as it stands in an address, without what goes without saying."""
        asked, how = self.asked, self.how
        chosen: dict[str, str | int] = {}
        if asked.relevant_from is not None:
            chosen["from"] = asked.relevant_from
        if asked.graded:
            chosen["graded"] = "yes"
        if asked.basis is not Basis.BOTH:
            chosen["basis"] = str(asked.basis)
        if asked.machines is not Machines.APART:
            chosen["machines"] = str(asked.machines)
        if how.weighted:
            chosen["weights"] = how.weights_name
        if self.own and not isinstance(how.weights, str):
            chosen["own"] = self.own
        for name, value, usual in (
            ("level", how.level, AgreementOptions().level),
            ("over", str(how.unit), str(Unit.TOPIC)),
            ("bounds", str(how.bounds), str(Bounds.EXPANDED)),
            ("rounds", how.rounds, ROUNDS),
            ("seed", how.seed, 0),
            ("by", self.by, "pooled"),
        ):
            if value != usual:
                chosen[name] = value
        return chosen


def choice_of(values: Mapping[str, str], scale: Scale) -> Choice:
    """What the values of an address say; a value that cannot be is as if it were not there.

    Own weights that cannot be are said in `error`, since somebody typed them.
    """
    line = whole_number(values.get("from", ""))
    rounds = whole_number(values.get("rounds", ""))
    seed = whole_number(values.get("seed", ""))
    own = values.get("own", "")[:MOST_WEIGHTS]
    weights: str | OwnWeights = "nominal"
    error = None
    if values.get("weights") == "own":
        try:
            weights = _own(own, len(scale.grades))
        except InvalidInput as refused:
            error = refused
    elif values.get("weights") in WEIGHTS:
        weights = values["weights"]
    return Choice(
        asked=Asked(
            relevant_from=line,
            graded=values.get("graded") == "yes",
            basis=_one_of(Basis, values.get("basis"), Basis.BOTH),
            machines=_one_of(Machines, values.get("machines"), Machines.APART),
        ),
        how=AgreementOptions(
            weights=weights,
            level=values["level"] if values.get("level") in LEVELS else AgreementOptions().level,
            unit=_one_of(Unit, values.get("over"), Unit.TOPIC),
            bounds=_one_of(Bounds, values.get("bounds"), Bounds.EXPANDED),
            rounds=min(max(rounds or ROUNDS, 1), MOST_ROUNDS),
            seed=seed if seed is not None and 0 <= seed <= MOST_SEED else 0,
        ),
        by=values["by"] if values.get("by") in ORDER else "pooled",
        relevant_from=scale.relevant_from if line is None else line,
        own=own,
        error=error,
    )


def _own(text: str, grades: int) -> OwnWeights:
    remedy = f"{grades} rows of {grades} numbers from 0, the lowest grade first, with 0 where they are equal"
    try:
        rows = tuple(
            tuple(float(cell) for cell in line.replace(",", " ").split())
            for line in text.splitlines()
            if line.strip()
        )
    except ValueError:
        raise _refused("there is something among the weights that is no number", remedy) from None
    if [len(row) for row in rows] != [grades] * grades:
        raise _refused(f"the weights are no square of {grades} grades", remedy)
    try:
        own_weights(rows)
    except WorkbenchError as error:
        raise _refused(error.message, error.remedy) from None
    return rows


def _refused(message: str, remedy: str) -> InvalidInput:
    return InvalidInput([Finding("Agreement", None, "own", message, remedy)])


def _one_of(kinds: type[Kind], value: str | None, usual: Kind) -> Kind:
    return next((one for one in kinds if one == value), usual)
