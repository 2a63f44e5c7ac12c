"""What the commands that check runs share: options for the rules, and printing what was found."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Sequence
from typing import Any

import click

from workbench.cli.output import REFUSED, printable, say_findings, say_json, say_table
from workbench.formats.run_report import RunReport, report_to_json
from workbench.formats.run_rules import CODES, RunRules, Treatment, changed_rules

_ALL = click.Choice([code.name for code in CODES.values() if not code.fixed])


class _Limit(click.ParamType[int]):
    """A number of documents, or `none`, which becomes 0."""

    name = "limit"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if value == "none":
            return 0
        return int(click.IntRange(min=1).convert(value, param, ctx))


def rule_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--max-per-topic`, `--error`, `--warning` and `--ignore` to a command, which receives `chosen`."""

    @click.option(
        "--max-per-topic", metavar="N", type=_Limit(), help="The most documents per topic, or none."
    )
    @click.option(
        "--error",
        "errors",
        metavar="CODE",
        multiple=True,
        type=_ALL,
        help="Refuse runs with this finding.",
    )
    @click.option(
        "--warning",
        "warnings",
        metavar="CODE",
        multiple=True,
        type=_ALL,
        help="Only warn of it.",
    )
    @click.option("--ignore", "ignored", metavar="CODE", multiple=True, type=_ALL, help="Do not report it.")
    @functools.wraps(command)
    def wrapped(
        *args: Any,
        max_per_topic: int | None,
        errors: tuple[str, ...],
        warnings: tuple[str, ...],
        ignored: tuple[str, ...],
        **kwargs: Any,
    ) -> Any:
        chosen = [
            *((code, Treatment.ERROR) for code in errors),
            *((code, Treatment.WARNING) for code in warnings),
            *((code, Treatment.IGNORED) for code in ignored),
        ]
        return command(*args, chosen=ChosenRules(tuple(chosen), max_per_topic), **kwargs)

    return wrapped


class ChosenRules:
    """The rules that the command line changes; true if it changes any."""

    def __init__(self, treatments: tuple[tuple[str, Treatment], ...], max_per_topic: int | None) -> None:
        self._treatments = treatments
        self._max = max_per_topic

    def __bool__(self) -> bool:
        return bool(self._treatments) or self._max is not None

    def over(self, rules: RunRules) -> RunRules:
        """The rules with these changes; `none` removes the limit. Raises InvalidInput."""
        limit = rules.max_per_topic if self._max is None else self._max or None
        return changed_rules(rules, self._treatments, max_per_topic=limit)


def say_reports(reports: Sequence[RunReport], *, as_json: bool) -> None:
    """Print the reports; exits with 1 if a run is refused."""
    if as_json:
        say_json([report_to_json(report) for report in reports])
    else:
        for report in reports:
            say_findings((*report.errors, *report.warnings))
            _say_repair(report)
        headings = ("tag", "file", "topics", "lines", "errors", "warnings", "verdict")
        say_table(headings, map(_row, reports), numeric=(2, 3, 4, 5))
    if any(report.error_count for report in reports):
        sys.exit(REFUSED)


def _row(report: RunReport) -> tuple[object, ...]:
    counts = (report.topics, report.lines, report.error_count, len(report.warnings))
    return ("-" if report.tag is None else report.tag, report.file, *counts, report.verdict)


def _say_repair(report: RunReport) -> None:
    if report.repair is None:
        return
    left = report.repair.errors_left
    errors = "1 error" if left == 1 else f"{left:,} errors"
    after = f"; {errors} would remain" if left else ""
    click.echo(f"repair: {printable(report.file)}: {'; '.join(report.repair.changes)}{after}", err=True)
