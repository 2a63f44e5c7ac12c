"""The scale in the form of a campaign: as typed, and the `Scale` that it describes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from workbench.errors import Finding, InvalidInput, WorkbenchError, rejected
from workbench.records import FOUR_GRADES, SCALES, Scale
from workbench.web.forms import findings_of, whole_number
from workbench.web.requests import Values
from workbench.workflow.campaigns.scales import scale_from_json, scale_to_json
from workbench.workflow.checks import storable

ROWS = 8
OWN = "own"
CODE = "scale"
COLUMNS = ("value", "label", "key", "definition", "weight")


@dataclass(frozen=True, slots=True)
class GradeRow:
    """One row of the table of grades, as typed."""

    value: str = ""
    label: str = ""
    key: str = ""
    definition: str = ""
    weight: str = ""

    @property
    def blank(self) -> bool:
        """Whether the row is empty."""
        return not (self.value or self.label or self.definition)


@dataclass(frozen=True, slots=True)
class ScaleForm:
    """The form: a predefined scale by name, or `own` with its rows; `relevant` is the index of a row."""

    kind: str
    rows: tuple[GradeRow, ...]
    relevant: int | None


def scale_form_of(scale: Scale | None) -> ScaleForm:
    """The form of a scale; for None the binary scale, with four grades in the rows of a custom one."""
    shown = scale or FOUR_GRADES
    kind = next((name for name, known in SCALES.items() if known == scale), OWN if scale else "binary")
    rows = [
        GradeRow(str(grade.value), grade.label, grade.key, grade.definition, str(grade.weight))
        for grade in shown.grades
    ]
    relevant = [grade.value for grade in shown.grades].index(shown.relevant_from)
    return ScaleForm(kind, (*rows, *[GradeRow()] * (ROWS - len(rows))), relevant)


def typed_scale_form(form: Mapping[str, str]) -> ScaleForm:
    """The form as it was sent, valid or not."""
    # A scale created on the command line may have more grades than a new form has rows.
    sent = min(100, sum(name.startswith("value-") for name in form))
    rows = [
        GradeRow(*(storable(form.get(f"{column}-{row}", "")).strip() for column in COLUMNS))
        for row in range(max(ROWS, sent))
    ]
    return ScaleForm(form.get("scale", ""), tuple(rows), whole_number(form.get("relevant", "")))


def read_scale(form: ScaleForm) -> Scale:
    """The scale that the form describes; raises InvalidInput with every error."""
    if form.kind in SCALES:
        return SCALES[form.kind]
    if form.kind != OWN:
        raise rejected("Scale", None, CODE, "no scale is chosen", "choose a predefined scale or a custom one")
    findings: list[Finding] = []
    grades = [(index, _grade(index, row, findings)) for index, row in enumerate(form.rows) if not row.blank]
    relevant = dict(grades).get(-1 if form.relevant is None else form.relevant)
    if relevant is None:
        findings.append(
            Finding(
                "Scale",
                None,
                CODE,
                "no grade is marked as the lowest relevant one",
                "mark the lowest grade that counts as relevant",
            )
        )
    if findings or relevant is None:
        raise InvalidInput(findings)
    ordered = sorted((grade for _, grade in grades), key=lambda grade: int(grade["value"]))
    try:
        return scale_from_json({"grades": ordered, "relevant_from": relevant["value"]})
    except WorkbenchError as error:
        raise InvalidInput(findings_of(error, "Scale", CODE)) from None


def scale_in_words(scale: Scale) -> str:
    """A scale in a line: `grades 0 to 3, relevant from 2`."""
    data = scale_to_json(scale)["grades"]
    return f"grades {data[0]['value']} to {data[-1]['value']}, relevant from {scale.relevant_from}"


def _grade(index: int, row: GradeRow, findings: list[Finding]) -> Values:
    place = f"Grade in row {index + 1}"
    value = whole_number(row.value)
    if value is None or not 0 <= value <= 1000:
        findings.append(
            Finding(place, None, CODE, f"the value is {row.value!r}", "enter a whole number of 0 or more")
        )
    if not row.label:
        findings.append(
            Finding(place, None, CODE, "the label is missing", "enter a word or two for the grade")
        )
    grade: Values = {"value": value or 0, "label": row.label, "definition": row.definition}
    if row.key:
        grade["key"] = row.key
    if row.weight:
        weight = whole_number(row.weight)
        if weight is None:
            findings.append(
                Finding(place, None, CODE, f"the colour is {row.weight!r}", "choose 0, 1, 2 or 3")
            )
        grade["weight"] = weight or 0
    return grade
