"""The report on a collection as Markdown: `report.md.jinja`, filled in with figures as people read them."""

from __future__ import annotations

import re
from importlib import resources

from jinja2 import Environment, StrictUndefined

from workbench.agreement.estimates import BANDS
from workbench.consensus.rules import RULES
from workbench.figures import between, counted, percent, share_of
from workbench.trust.judges import EQUAL, verdict
from workbench.workflow.trust.collection_report import CollectionReport, NotKnown

_MARKS = re.compile(r"([\\`*_\[\]<>|#~&])")
_BLANK_LINES = re.compile(r"\n{3,}")


def report_markdown(report: CollectionReport) -> str:
    """The whole report, its title first; ends with a line feed."""
    environment = Environment(
        undefined=StrictUndefined,
        autoescape=False,  # noqa: S701  # Markdown; texts of people are `escaped`
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"escaped": escaped, "line": _line, "number": "{:,}".format}
    environment.tests["unknown"] = lambda found: isinstance(found, NotKnown)
    words = {"counted": counted, "percent": percent, "share_of": share_of, "between": between}
    figures = {"decimals": decimals, "value": _value, "ends": _ends, "verdict": verdict, "EQUAL": EQUAL}
    template = (resources.files("workbench.workflow.trust") / "report.md.jinja").read_text("utf-8")
    text = environment.from_string(template).render(words | figures, report=report, RULES=RULES, BANDS=BANDS)
    return _BLANK_LINES.sub("\n\n", text).strip("\n") + "\n"


def escaped(text: str) -> str:
    """A text of people in one line, in which nothing is Markdown.

    >>> escaped("a_b |\\nc")
    'a\\\\_b \\\\| c'
    """
    return _MARKS.sub(r"\\\1", _line(text))


def decimals(value: float, places: int) -> str:
    """A figure with a true minus, and no minus before nothing."""
    return f"{round(value, places) + 0.0:.{places}f}".replace("-", "−")


def _line(text: str) -> str:
    return " ".join(text.split())


def _value(value: float | None) -> str:
    return "undefined" if value is None else decimals(value, 3)


def _ends(low: float | None, high: float | None) -> str:
    return "–" if low is None or high is None else f"{decimals(low, 3)} to {decimals(high, 3)}"
