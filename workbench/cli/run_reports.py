"""How the terminal tells what was found in runs: findings, a table with one row a run, or JSON."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from workbench.cli.output import REFUSED, printable, say_findings, say_json, say_table
from workbench.formats.run_report import RunReport, report_to_json


def say_reports(reports: Sequence[RunReport], *, as_json: bool) -> None:
    """Print the reports; leaves with the exit code 1 where a run is refused."""
    if as_json:
        say_json([report_to_json(report) for report in reports])
    else:
        for report in reports:
            say_findings((*report.errors, *report.warnings))
            _say_mend(report)
        headings = ("tag", "file", "topics", "lines", "errors", "warnings", "verdict")
        say_table(headings, map(_row, reports), numeric=(2, 3, 4, 5))
    if any(report.error_count for report in reports):
        sys.exit(REFUSED)


def _row(report: RunReport) -> tuple[object, ...]:
    counts = (report.topics, report.lines, report.error_count, len(report.warnings))
    return ("-" if report.tag is None else report.tag, report.file, *counts, report.verdict)


def _say_mend(report: RunReport) -> None:
    if report.mend is None:
        return
    left = report.mend.errors_left
    after = f"; {left:,} errors would be left" if left else ""
    click.echo(f"mend: {printable(report.file)}: {'; '.join(report.mend.changes)}{after}", err=True)
