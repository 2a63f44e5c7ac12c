"""What the pages on agreement share: the options of an address, the report, or why there is none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from flask import render_template, request

from workbench.agreement.estimates import BANDS
from workbench.agreement.options import OPTIONS, OWN, AgreementOptions, address_of, options_from_address
from workbench.agreement.selection import relevant_or_not
from workbench.errors import InvalidInput, WorkbenchError, rejected
from workbench.records import Scale
from workbench.storage import Session
from workbench.web.access import here
from workbench.web.context import reading
from workbench.web.forms import Findings, findings_of, query_text
from workbench.workflow.campaigns.campaigns import campaign_of
from workbench.workflow.people.assessors import assessors_of

Report = TypeVar("Report")
Find = Callable[[Session, int, AgreementOptions], Report]
LINES = 14
"""Rows of a table of agreement: two screens."""
TABLE = "/table.<any(csv, json):kind>"
"""The address of a report's files, below that of its page."""
MOST_WEIGHTS = 2000
"""Characters of own weights; the rest of what was typed is dropped."""


@dataclass(frozen=True, slots=True)
class AgreementPage(Generic[Report]):
    """What an address asks for and the report, or None and the findings that say why.

    `refused` says that the options cannot be, not that there is nothing to compare yet; `machines` that the
    campaign has any.
    """

    scale: Scale
    options: AgreementOptions
    machines: bool
    report: Report | None
    findings: Findings = ()
    refused: bool = False

    @property
    def arguments(self) -> dict[str, str | int]:
        """The options as arguments of an address, without the defaults."""
        return address_of(self.options)

    @property
    def relevant_from(self) -> int:
        """The relevance threshold: that of the address, else the campaign's."""
        chosen = self.options.relevant_from
        return self.scale.relevant_from if chosen is None else chosen

    @property
    def compared(self) -> str:
        """Which grades are compared, as a heading."""
        return "every grade" if self.options.graded else relevant_or_not(self.relevant_from)

    @property
    def own_weights(self) -> str:
        """What was typed as own weights."""
        return query_text(OWN)[:MOST_WEIGHTS]


def agreement_page(find: Find[Report], *, weighted: bool = False) -> AgreementPage[Report]:
    """The page that this request asks for; an error is the reason why there is no report.

    Where the report is not `weighted`, own weights that cannot be are as if they were not there.
    """
    with reading() as db:
        scale = campaign_of(db, here().id).scale
        machines = any(one.machine for one in assessors_of(db, here().id))
        options = AgreementOptions()
        try:
            options = _options(scale, weighted)
            return AgreementPage(scale, options, machines, find(db, here().id, options))
        except WorkbenchError as error:
            findings = findings_of(error, "Agreement")
            return AgreementPage(scale, options, machines, None, findings, isinstance(error, InvalidInput))


def required_page(find: Find[Report]) -> AgreementPage[Report]:
    """The same where a report is required: raises WorkbenchError where there is none."""
    with reading() as db:
        scale = campaign_of(db, here().id).scale
        options = _options(scale, False)
        return AgreementPage(scale, options, False, find(db, here().id, options))


def report_for_file(find: Find[Report], *, weighted: bool = False) -> Report:
    """The report for a file; raises WorkbenchError where there is none."""
    with reading() as db:
        return find(db, here().id, _options(campaign_of(db, here().id).scale, weighted))


def render_page(template: str, page: AgreementPage[Any], **more: Any) -> str:
    """The page of a report, with whatever else its template takes, or another `report` for it."""
    values = {"report": page.report, "options": page.options, "definitions": OPTIONS, "bands_note": BANDS}
    return render_template(f"agreement/{template}.html", page=page, **values | more)


def _options(scale: Scale, weighted: bool) -> AgreementOptions:
    """The options of this request; raises InvalidInput for own weights that do not fit the scale."""
    grades = len(scale.grades)
    values = {**request.args, OWN: query_text(OWN)[:MOST_WEIGHTS]}
    try:
        options = options_from_address(values)
        if isinstance(options.weights, str) or len(options.weights) == grades:
            return options
        message, remedy = f"the weights are not a square table of {grades} grades", ""
    except WorkbenchError as error:
        message, remedy = error.message, error.remedy
    if not weighted:
        return options_from_address({**values, "weights": ""})
    square = f"{grades} rows of {grades} numbers from 0, the lowest grade first, with 0 where they are equal"
    raise rejected("Agreement", None, OWN, message, remedy or square)
