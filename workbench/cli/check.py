"""`workbench check`: is this run what it should be, before anybody pools or scores it?"""

from __future__ import annotations

import sys
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import click

from workbench.cli.inputs import open_input
from workbench.cli.output import REFUSED, say_findings, say_json, say_table, with_progress
from workbench.errors import Finding, InvalidInput
from workbench.formats.identifiers import read_ids
from workbench.formats.runs import RunCheck, check_run, promised_tag, unreadable_run
from workbench.formats.topics import read_topic_ids


@dataclass(frozen=True, slots=True)
class _Expected:
    """What runs are held against: topics, docnos and depth, each where it is known."""

    topics: Collection[str] | None
    docnos: Collection[str] | None
    max_per_topic: int | None


@dataclass(frozen=True, slots=True)
class _Report:
    """What is told of one run; the run itself is let go, since there may be hundreds."""

    file: str
    tag: str | None
    topics: int
    lines: int
    error_count: int
    errors: tuple[Finding, ...]
    warnings: tuple[Finding, ...]


@click.command("check")
@click.argument("runs", metavar="RUN...", nargs=-1, required=True)
@click.option("--topics", metavar="FILE", help="The topics, in any format, or a list of their ids.")
@click.option("--docids", metavar="FILE", help="The docnos of the collection, one a line.")
@click.option(
    "--max-per-topic", metavar="N", type=click.IntRange(min=1), help="The most documents a topic may have."
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array with one object a run.")
def command(
    runs: tuple[str, ...], topics: str | None, docids: str | None, max_per_topic: int | None, as_json: bool
) -> None:
    """Check runs in TREC's format, plain or gzip; `-` is the standard input.

    Errors and warnings go to the error stream, one a line, and a table with one row a run to the output.
    The exit code is 1 where a run has an error, otherwise 0.
    """
    expected = _Expected(_topics(topics), _docnos(docids), max_per_topic)
    reports = [_report(name, expected) for name in with_progress(runs, "Checking")]
    if as_json:
        say_json([_as_json(report) for report in reports])
    else:
        for report in reports:
            say_findings((*report.errors, *report.warnings))
        headings = ("tag", "file", "topics", "lines", "errors", "warnings", "verdict")
        say_table(headings, map(_row, reports), numeric=(2, 3, 4, 5))
    if any(report.error_count for report in reports):
        sys.exit(REFUSED)


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


def _report(name: str, expected: _Expected) -> _Report:
    check = _check(name, expected)
    tag = check.run.tag if check.run else None
    return _Report(
        check.source, tag, check.topics, check.lines, check.error_count, check.errors, check.warnings
    )


def _check(name: str, expected: _Expected) -> RunCheck:
    try:
        with open_input(name) as (stream, source):
            return check_run(
                stream,
                source=source,
                file_stem=None if name == "-" else promised_tag(name),
                topics=expected.topics,
                docnos=expected.docnos,
                max_per_topic=expected.max_per_topic,
            )
    except InvalidInput as refused:
        return unreadable_run(name, refused)


def _row(report: _Report) -> tuple[object, ...]:
    verdict = "refused" if report.error_count else "accepted"
    counts = (report.topics, report.lines, report.error_count, len(report.warnings))
    return ("-" if report.tag is None else report.tag, report.file, *counts, verdict)


def _as_json(report: _Report) -> dict[str, Any]:
    return {
        "file": report.file,
        "tag": report.tag,
        "topics": report.topics,
        "lines": report.lines,
        "ok": not report.error_count,
        "errors": [_finding(finding) for finding in report.errors],
        "warnings": [_finding(finding) for finding in report.warnings],
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "line": finding.line,
        "code": finding.code,
        "message": finding.message,
        "remedy": finding.remedy,
    }
