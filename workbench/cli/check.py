"""`workbench check`: is a run valid, before anybody pools or scores it?"""

from __future__ import annotations

from collections.abc import Collection
from contextlib import closing
from pathlib import Path, PurePath

import click

from workbench.cli.inputs import STANDARD_INPUT, is_file, open_input
from workbench.cli.output import with_progress
from workbench.cli.run_checking import ChosenRules, rule_options, say_reports
from workbench.cli.runs import only_one_standard_input
from workbench.errors import InvalidInput, WorkbenchError
from workbench.formats.identifiers import read_ids
from workbench.formats.run_check import Expected, check_run, promised_tag, unreadable_run
from workbench.formats.run_report import RunReport, repair_of, report_of
from workbench.formats.run_rules import DEFAULT_RULES
from workbench.formats.source import Twice
from workbench.formats.topics import read_topic_ids


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
