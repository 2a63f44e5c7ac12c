"""`workbench rounds`: agreement before and after a discussion, from two files."""

from __future__ import annotations

from collections.abc import Sequence

import click

from workbench.agreement.rounds import compare_rounds
from workbench.agreement.rounds_forms import rounds_export
from workbench.cli.inputs import graded_judgments, open_input
from workbench.cli.rounds_text import say_rounds
from workbench.cli.runs import only_one_standard_input
from workbench.cli.tabular import form_options, one_form, print_export
from workbench.errors import WorkbenchError


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
@click.option("--cannot-judge", "codes", multiple=True, type=int, help="A grade that is none, as -2.")
@form_options
def command(
    before: str,
    after: str,
    relevant_from: int,
    codes: tuple[int, ...],
    as_json: bool,
    as_csv: bool,
    as_latex: bool,
) -> None:
    """Compare what the same assessors said BEFORE and AFTER a discussion, one file each.

    A file is TSV with the header `topic doc assessor grade`, plain or gzip; - is the standard input. Only
    labels that are in both enter; of a label given twice in a file the last counts.
    """
    form = one_form(as_json=as_json, as_csv=as_csv, as_latex=as_latex)
    only_one_standard_input((before, after))
    first, second = _read(before, codes), _read(after, codes)
    grades = {grade for one in (first, second) for given in one.values() for grade in given.values()}
    if not any(first[name].keys() & second[name].keys() for name in first.keys() & second.keys()):
        raise WorkbenchError(
            "no assessor judged a pair in both files", remedy="are the assessors named alike in both?"
        )
    found = compare_rounds(first, second, categories=sorted(grades), relevant_from=relevant_from)
    if not print_export(rounds_export(found), form):
        say_rounds(found)


def _read(name: str, codes: Sequence[int]) -> dict[str, dict[tuple[str, str], int]]:
    grades: dict[str, dict[tuple[str, str], int]] = {}
    with open_input(name) as (stream, source):
        for one in graded_judgments(stream, source, codes):
            given = grades.setdefault(one.assessor, {})
            if one.grade is None:
                given.pop((one.topic, one.docno), None)
            else:
                given[one.topic, one.docno] = one.grade
    return grades
