"""What the commands that check runs share: options for the rules, and printing what was found."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Sequence
from typing import Any

import click

from workbench.cli.output import REFUSED, printable, say_findings, say_json, say_table
from workbench.formats.run_report import RunReport, report_to_json
from workbench.formats.run_rules import RuleSet, RunRules


class _Limit(click.ParamType[int]):
    """A number of documents, or `none`, which becomes 0."""

    name = "limit"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if value == "none":
            return 0
        return int(click.IntRange(min=1).convert(value, param, ctx))


def rule_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--max-per-topic` and `--rules` to a command, which receives `chosen`."""

    @click.option(
        "--max-per-topic", metavar="N", type=_Limit(), help="The most documents per topic, or none."
    )
    @click.option(
        "--rules", type=click.Choice([str(one) for one in RuleSet]), help="How strictly runs are checked."
    )
    @functools.wraps(command)
    def wrapped(*args: Any, max_per_topic: int | None, rules: str | None, **kwargs: Any) -> Any:
        return command(*args, chosen=ChosenRules(rules, max_per_topic), **kwargs)

    return wrapped


class ChosenRules:
    """The rules that the command line changes; true if it changes any."""

    def __init__(self, rules: str | None, max_per_topic: int | None) -> None:
        self._rules = rules
        self._max = max_per_topic

    def __bool__(self) -> bool:
        return self._rules is not None or self._max is not None

    def over(self, rules: RunRules) -> RunRules:
        """The rules with these changes; `none` removes the limit. Raises InvalidInput."""
        limit = rules.max_per_topic if self._max is None else self._max or None
        return RunRules(limit, rules.rule_set if self._rules is None else RuleSet(self._rules))


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
