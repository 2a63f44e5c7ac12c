"""The report on a collection as Markdown: `report.md.jinja`, filled in with figures as people read them."""

from __future__ import annotations

from workbench.agreement.estimates import BANDS
from workbench.consensus.rules import RULES
from workbench.figures import between
from workbench.texts import filled_in
from workbench.trust.judges import EQUAL, verdict
from workbench.workflow.trust.collection_report import CollectionReport


def report_markdown(report: CollectionReport) -> str:
    """The whole report, its title first; ends with a line feed."""
    return filled_in(
        "workbench.workflow.trust",
        "report.md.jinja",
        report=report,
        RULES=RULES,
        BANDS=BANDS,
        EQUAL=EQUAL,
        verdict=verdict,
        between=between,
        decimals=decimals,
        value=_value,
        ends=_ends,
    )


def decimals(value: float, places: int) -> str:
    """A figure with a true minus, and no minus before nothing."""
    return f"{round(value, places) + 0.0:.{places}f}".replace("-", "−")


def _value(value: float | None) -> str:
    return "undefined" if value is None else decimals(value, 3)


def _ends(low: float | None, high: float | None) -> str:
    return "–" if low is None or high is None else f"{decimals(low, 3)} to {decimals(high, 3)}"
