"""`workbench agree`: how far assessors agree."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

import click

from workbench.agreement.pairwise import compare
from workbench.cli.agreement_json import report_json
from workbench.cli.agreement_text import say_report
from workbench.cli.inputs import open_input
from workbench.cli.output import say_json
from workbench.cli.runs import only_one_standard_input
from workbench.errors import Finding, InvalidInput
from workbench.formats.qrels import read_qrels
from workbench.records import Qrel


@click.command("agree")
@click.argument("first", metavar="A")
@click.argument("others", nargs=-1, required=True, metavar="B [C...]")
@click.option(
    "--relevant-from",
    type=click.IntRange(min=1),
    metavar="N",
    help="The lowest grade that counts as relevant.  [default: 1]",
)
@click.option("--graded", is_flag=True, help="Compare all grades instead of relevant or not.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, with all digits.")
def command(
    first: str, others: tuple[str, ...], relevant_from: int | None, graded: bool, as_json: bool
) -> None:
    """Compare the qrels of two or more assessors, A B [C...], one file each.

    Only pairs that both assessors of a comparison judged enter it; how many only one of them judged is said.
    Negative grades mean "not judged" and are left out. Files may be gzip; - is the standard input.
    """
    if graded and relevant_from is not None:
        raise click.UsageError("--graded keeps all grades, so --relevant-from has no use: drop one of them")
    files = (first, *others)
    only_one_standard_input(files)
    judged = dict(zip(_assessors(files), map(_judged, _read(files)), strict=True))
    report = compare(judged, relevant_from=None if graded else relevant_from or 1)
    if as_json:
        say_json(report_json(report))
    else:
        say_report(report)


def _read(files: Sequence[str]) -> list[tuple[str, tuple[Qrel, ...]]]:
    """The qrels of every file with its name; raises InvalidInput with all findings of all files."""
    refused: list[Finding] = []
    found = []
    for name in files:
        try:
            with open_input(name) as (stream, source):
                found.append((source, read_qrels(stream, source=source)))
        except InvalidInput as error:
            refused.extend(error.findings)
    if refused:
        raise InvalidInput(refused)
    return found


def _judged(read: tuple[str, Sequence[Qrel]]) -> dict[tuple[str, str], int]:
    source, qrels = read
    graded = {(qrel.topic, qrel.docno): qrel.grade for qrel in qrels if qrel.grade >= 0}
    if left_out := len(qrels) - len(graded):
        lines = "1 line has a negative grade" if left_out == 1 else f"{left_out} lines have negative grades"
        click.echo(f"note: {source}: {lines}, which means not judged; left out", err=True)
    return graded


def _assessors(files: Sequence[str]) -> list[str]:
    """A name for each file: its stem, with a number where that was taken."""
    names: list[str] = []
    for file in files:
        stem = "stdin" if file == "-" else PurePath(PurePath(file).name.removesuffix(".gz")).stem
        name, number = stem, 1
        while name in names:
            number += 1
            name = f"{stem}-{number}"
        names.append(name)
    return names
