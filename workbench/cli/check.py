"""`workbench check`: is a run valid, before anybody pools or scores it?

The options for the rules, and printing what was found, are those of campaigns too.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path, PurePath

import click

from workbench.cli.files import FILE, STANDARD_INPUT, file_option, is_file, open_input, read_input
from workbench.cli.output import (
    FOLDER,
    POSITIVE,
    REFUSED,
    OneOf,
    Texts,
    all_of,
    arguments,
    json_flag,
    number_option,
    printable,
    say_aside,
    say_findings,
    say_json,
    say_table,
    with_progress,
)
from workbench.errors import InvalidInput, WorkbenchError
from workbench.figures import counted
from workbench.formats.identifiers import read_ids
from workbench.formats.run_check import Expected, check_run, promised_tag, unreadable_run
from workbench.formats.run_report import RunReport, repair_of, report_of, report_to_json
from workbench.formats.run_rules import DEFAULT_RULES, RuleSet, RunRules
from workbench.formats.source import Twice
from workbench.formats.topics import read_topic_ids


def limit(text: str) -> int:
    """A number, or `none`, which becomes 0."""
    return 0 if text == "none" else POSITIVE(text)


rule_options = all_of(
    click.option(
        "--max-per-topic", metavar="N", type=limit, help="Maximum number of documents per topic, or none."
    ),
    click.option("--rules", "rule_set", type=OneOf(RuleSet), help="How strictly runs are checked."),
)


def changed_rules(rules: RunRules, rule_set: RuleSet | None, max_per_topic: int | None) -> RunRules:
    """The rules with what the command line changes, 0 for no limit; raises InvalidInput."""
    most = rules.max_per_topic if max_per_topic is None else max_per_topic or None
    return replace(rules, max_per_topic=most, rule_set=rule_set or rules.rule_set)


def say_reports(reports: Sequence[RunReport], *, as_json: bool) -> None:
    """Print the reports; exits with 1 if a run is refused."""
    if as_json:
        say_json([report_to_json(report) for report in reports])
    else:
        for report in reports:
            say_findings((*report.errors, *report.warnings))
            _say_repair(report)
        headings = ("tag", "file", "topics", "lines", "errors", "warnings", "verdict")
        rows = [
            (
                "-" if one.tag is None else one.tag,
                one.file,
                one.topics,
                one.lines,
                one.error_count,
                len(one.warnings),
                one.verdict,
            )
            for one in reports
        ]
        say_table(headings, rows, numeric=(2, 3, 4, 5))
    if any(report.error_count for report in reports):
        sys.exit(REFUSED)


def _say_repair(report: RunReport) -> None:
    if report.repair is None:
        return
    left = report.repair.errors_left
    after = f"; {counted(left, 'error')} would remain" if left else ""
    say_aside(f"repair: {printable(report.file)}: {'; '.join(report.repair.changes)}{after}")


@click.command("check")
@arguments("runs", type=FILE, metavar="RUN...")
@file_option("--topics", help="The topics in any format, or a list of their ids.")
@file_option("--docids", help="The docnos of the collection, one per line.")
@number_option("--cut", metavar="N", help="Pool depth: warn of ties across it.")
@rule_options
@click.option(
    "--correct-to",
    "folder",
    metavar="DIR",
    type=FOLDER,
    help="Write repaired runs here, where an automatic repair is possible.",
)
@json_flag(help="Print a JSON array with one object per run.")
def command(
    runs: Texts,
    topics: str | None,
    docids: str | None,
    cut: int | None,
    max_per_topic: int | None,
    rule_set: RuleSet | None,
    folder: Path | None,
    as_json: bool,
) -> None:
    """Check runs in TREC format, plain or gzip; `-` is standard input.

    Errors and warnings go to standard error, one per line; a table with one row per run goes to standard
    output. The exit code is 1 if a run has an error, otherwise 0.
    """
    expected = Expected(
        _ids(topics, read_topic_ids),
        _ids(docids, read_ids),
        changed_rules(DEFAULT_RULES, rule_set, max_per_topic),
        cut,
    )
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
        return report_of(unreadable_run(STANDARD_INPUT if name == "-" else name or '""', refused))
    if found is None:
        return report_of(check)
    repair, content = found
    if folder is not None:
        _write(folder / PurePath(source).name.removesuffix(".gz"), name, content)
    return report_of(check, repair=repair)


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


def _ids(name: str | None, read: Callable[..., Iterable[str]]) -> Collection[str] | None:
    return None if name is None else frozenset(read_input(name, read))
