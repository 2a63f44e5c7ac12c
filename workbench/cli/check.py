"""`workbench check`: is a run valid, before anybody pools or scores it?

The options for the rules, and printing what was found, are those of campaigns too.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Collection, Sequence
from contextlib import closing
from pathlib import Path, PurePath
from typing import Any

import click

from workbench.cli.inputs import STANDARD_INPUT, is_file, open_input
from workbench.cli.output import (
    REFUSED,
    printable,
    say_findings,
    say_json,
    say_table,
    with_progress,
)
from workbench.cli.runs import only_one_standard_input
from workbench.errors import InvalidInput, WorkbenchError
from workbench.formats.identifiers import read_ids
from workbench.formats.run_check import Expected, check_run, promised_tag, unreadable_run
from workbench.formats.run_report import RunReport, repair_of, report_of, report_to_json
from workbench.formats.run_rules import DEFAULT_RULES, RuleSet, RunRules
from workbench.formats.source import Twice
from workbench.formats.topics import read_topic_ids


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


@click.command("check")
@click.argument("runs", metavar="RUN...", nargs=-1, required=True)
@click.option("--topics", metavar="FILE", help="The topics in any format, or a list of their ids.")
@click.option("--docids", metavar="FILE", help="The docnos of the collection, one per line.")
@click.option("--cut", metavar="N", type=click.IntRange(min=1), help="Pool depth: warn of ties across it.")
@rule_options
@click.option(
    "--correct-to",
    "folder",
    metavar="DIR",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write repaired runs here, where an automatic repair is possible.",
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array with one object a run.")
def command(
    runs: tuple[str, ...],
    topics: str | None,
    docids: str | None,
    cut: int | None,
    chosen: ChosenRules,
    folder: Path | None,
    as_json: bool,
) -> None:
    """Check runs in TREC format, plain or gzip; `-` is standard input.

    Errors and warnings go to standard error, one per line; a table with one row per run goes to standard
    output. The exit code is 1 if a run has an error, otherwise 0.
    """
    only_one_standard_input((*runs, *(name for name in (topics, docids) if name)))
    expected = Expected(_topics(topics), _docnos(docids), chosen.over(DEFAULT_RULES), cut)
    reports = [_report(name, expected, folder) for name in with_progress(runs, "Checking")]
    say_reports(reports, as_json=as_json)


def _report(name: str, expected: Expected, folder: Path | None) -> RunReport:
    """The report of one run, without the run itself, since there may be hundreds."""
    # The name of a pipe promises nothing.
    promised = promised_tag(name) if is_file(name) else None
    try:
        with open_input(name) as (opened, source), closing(Twice(opened, source)) as stream:
            check = check_run(stream, source=source, file_stem=promised, expected=expected)
            stream.rewind()
            found = repair_of(
                check,
                stream,
                lambda repaired: check_run(repaired, source=source, file_stem=promised, expected=expected),
                rules=expected.rules,
                tag=promised,
            )
    except InvalidInput as refused:
        return report_of(unreadable_run(_shown(name), refused))
    if found is None:
        return report_of(check)
    repair, content = found
    if folder is not None:
        _write(folder / PurePath(source).name.removesuffix(".gz"), name, content)
    return report_of(check, repair=repair)


def _shown(name: str) -> str:
    return STANDARD_INPUT if name == "-" else name or '""'


def _write(path: Path, original: str, content: bytes) -> None:
    try:
        if path.exists() and path.samefile(original):
            raise WorkbenchError(
                f"{path} is the run itself", remedy="choose another folder for repaired runs"
            )
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    except OSError as error:
        raise WorkbenchError(f"{path} cannot be written: {error.strerror}") from None


def _topics(name: str | None) -> Collection[str] | None:
    if name is None:
        return None
    with open_input(name) as (stream, source):
        return frozenset(read_topic_ids(stream, source=source))


def _docnos(name: str | None) -> Collection[str] | None:
    if name is None:
        return None
    with open_input(name) as (stream, source):
        return frozenset(read_ids(stream, source=source))
