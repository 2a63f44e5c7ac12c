"""`workbench check`: is a run valid, before anybody pools or scores it?"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path, PurePath

import click

from workbench.cli.inputs import open_input
from workbench.cli.output import with_progress
from workbench.cli.run_checking import ChosenRules, rule_options, say_reports
from workbench.cli.runs import only_one_standard_input
from workbench.errors import InvalidInput, WorkbenchError
from workbench.formats.identifiers import read_ids
from workbench.formats.run_report import RunReport, repair_of, report_of
from workbench.formats.run_rules import DEFAULT_RULES, RunRules
from workbench.formats.runs import RunCheck, check_run, promised_tag, unreadable_run
from workbench.formats.source import Readable
from workbench.formats.topics import read_topic_ids


@dataclass(frozen=True, slots=True)
class _Expected:
    """What runs are checked against: topics, docnos and the pool's depth, where known, and the rules."""

    topics: Collection[str] | None
    docnos: Collection[str] | None
    rules: RunRules
    cut: int | None

    def check(self, stream: Readable, name: str, source: str) -> RunCheck:
        return check_run(
            stream,
            source=source,
            file_stem=None if name == "-" else promised_tag(name),
            topics=self.topics,
            docnos=self.docnos,
            rules=self.rules,
            cut=self.cut,
        )


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
    only_one_standard_input(runs)
    expected = _Expected(_topics(topics), _docnos(docids), chosen.over(DEFAULT_RULES), cut)
    reports = [_report(name, expected, folder) for name in with_progress(runs, "Checking")]
    say_reports(reports, as_json=as_json)


def _report(name: str, expected: _Expected, folder: Path | None) -> RunReport:
    """The report of one run, without the run itself, since there may be hundreds."""
    try:
        with open_input(name) as (stream, source):
            check = expected.check(stream, name, source)
    except InvalidInput as refused:
        return report_of(unreadable_run(name, refused))
    if name == "-":
        return report_of(check)  # it cannot be read again
    with open_input(name) as (again, _):
        found = repair_of(
            check,
            lambda: again,
            lambda repaired: expected.check(repaired, name, source),
            rules=expected.rules,
            tag=promised_tag(name),
        )
    if found is None:
        return report_of(check)
    repair, content = found
    if folder is not None:
        _write(folder / PurePath(name).name.removesuffix(".gz"), name, content)
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
