"""`workbench rounds`: agreement before and after a discussion, from two files."""

from __future__ import annotations

import click

from workbench.agreement.rounds import compare_rounds
from workbench.cli.inputs import open_input
from workbench.cli.output import say_json
from workbench.cli.rounds_text import rounds_json, say_rounds
from workbench.cli.runs import only_one_standard_input
from workbench.errors import WorkbenchError
from workbench.formats.judgments import read_judgments


@click.command("rounds")
@click.argument("before")
@click.argument("after")
@click.option(
    "--relevant-from",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    metavar="N",
    help="The lowest grade that counts as relevant.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, with all digits.")
def command(before: str, after: str, relevant_from: int, as_json: bool) -> None:
    """Compare what the same assessors said BEFORE and AFTER a discussion, one file each.

    A file is TSV with the header `topic doc assessor grade`, plain or gzip; - is the standard input. Only
    labels that are in both enter; of a label given twice in a file the last counts.
    """
    only_one_standard_input((before, after))
    first, second = _read(before), _read(after)
    grades = {grade for one in (first, second) for given in one.values() for grade in given.values()}
    if not any(first[name].keys() & second[name].keys() for name in first.keys() & second.keys()):
        raise WorkbenchError(
            "no assessor judged a pair in both files", remedy="are the assessors named alike in both?"
        )
    found = compare_rounds(first, second, categories=sorted(grades), relevant_from=relevant_from)
    if as_json:
        say_json(rounds_json(found))
    else:
        say_rounds(found)


def _read(name: str) -> dict[str, dict[tuple[str, str], int]]:
    grades: dict[str, dict[tuple[str, str], int]] = {}
    with open_input(name) as (stream, source):
        for one in read_judgments(stream, source=source):
            given = grades.setdefault(one.assessor, {})
            if one.grade is None:
                given.pop((one.topic, one.docno), None)
            else:
                given[one.topic, one.docno] = one.grade
    return grades
