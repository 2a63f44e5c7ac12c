"""What the overlap planner is asked by a form or an address."""

from __future__ import annotations

from dataclasses import dataclass

from werkzeug.datastructures import MultiDict

from workbench.agreement.sample_aims import WEIGHTS_PLANNED, Aim
from workbench.agreement.sample_expected import MOST_ASSESSORS
from workbench.agreement.sample_size import LEVEL
from workbench.errors import Finding, InvalidInput
from workbench.records import Scale
from workbench.web.forms import whole_number
from workbench.workflow.agreement.overlap_planning import HALF_WIDTH

COEFFICIENTS = {
    "pooled": "pooled kappa",
    "unpooled": "unpooled kappa",
    "alpha": "Krippendorff's alpha",
    "gwet": "Gwet's AC",
}
ASKED = (
    "half_width", "level", "kappa", "prevalence", "likeness", "missing", "from", "graded", "assessors",
    "coefficient", "weights",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Asked:
    """What the planner was asked, as it was typed and as it is understood; empty fields are not guessed."""

    half_width: float
    level: float
    aim: Aim
    relevant_from: int
    graded: bool
    kappa: float | None
    prevalence: tuple[float, ...] | None
    likeness: float | None
    assessors: int = 2
    missing: float = 0.0

    def arguments(self) -> dict[str, str | int]:
        """Which grades are compared, as it stands in an address."""
        return {"from": self.relevant_from, "graded": "yes" if self.graded else "no"}


def as_address(sent: MultiDict[str, str]) -> dict[str, str]:
    """What the planner was asked, as it stands in an address; empty fields are left out."""
    return {name: sent[name] for name in ASKED if sent.get(name)}


def read_asked(sent: MultiDict[str, str], scale: Scale) -> Asked:
    """What was typed, understood; raises InvalidInput that names every field that cannot be."""
    findings: list[Finding] = []

    def number(code: str, what: str) -> float | None:
        text = sent.get(code, "").strip().replace("−", "-").replace(",", ".")
        if not text:
            return None
        try:
            found = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
        except ValueError:
            found = float("nan")
        if abs(found) < 1000:
            return found
        findings.append(Finding("Plan", None, code, f"{what} cannot be {text!r}", "give a number, as 0.05"))
        return None

    graded = sent.get("graded") == "yes"
    half_width, level = number("half_width", "the half width"), number("level", "the level")
    kappa, share = number("kappa", "kappa"), number("prevalence", "the share of relevant")
    likeness, missing = number("likeness", "the likeness"), number("missing", "the missing share")
    typed = whole_number(sent.get("from", ""))
    assessors = whole_number(sent.get("assessors", "").strip() or "2")
    if assessors is None or not 2 <= assessors <= MOST_ASSESSORS:
        said = f"{sent['assessors']!r} assessors of a pair cannot be planned for"
        findings.append(Finding("Plan", None, "assessors", said, f"give 2 to {MOST_ASSESSORS}"))
    if findings:
        raise InvalidInput(findings)
    return Asked(
        half_width=HALF_WIDTH if half_width is None else half_width,
        level=LEVEL if level is None else level,
        aim=Aim(
            next((one for one in COEFFICIENTS if one == sent.get("coefficient")), "pooled"),
            next((one for one in WEIGHTS_PLANNED if graded and one == sent.get("weights")), "nominal"),
        ),
        relevant_from=scale.relevant_from if typed is None else typed,
        graded=graded,
        kappa=kappa,
        prevalence=None if share is None or graded else (share, 1 - share),
        likeness=likeness,
        assessors=assessors or 2,
        missing=missing or 0.0,
    )
