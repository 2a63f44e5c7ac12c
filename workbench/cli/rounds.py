"""`workbench rounds`: agreement before and after a discussion, from two files."""

from __future__ import annotations

from collections.abc import Sequence

import click

from workbench.agreement.coefficients.coefficient import CoefficientValue
from workbench.agreement.rounds import COUNTS, Rounds, compare_rounds, counts_of, rounds_export
from workbench.cli.inputs import open_input
from workbench.cli.output import form_options, print_export, say_table
from workbench.cli.qrels_files import cannot_judge_option
from workbench.cli.runs import only_one_standard_input
from workbench.errors import WorkbenchError
from workbench.formats.judgments import graded_judgments


def _say(found: Rounds) -> None:
    """Print the coefficients before and after, then what each assessor changed."""
    say_table(
        ["coefficient", "grades", "before", "n", "after", "n"],
        [
            (one.label, kind, _shown(one.before), one.before.n, _shown(one.after), one.after.n)
            for kind, values in (("all grades", found.graded), ("relevant or not", found.binary))
            for one in values
        ],
        numeric=[2, 3, 4, 5],
    )
    values = (*found.graded, *found.binary)
    without = [one for two in values for one in (two.before, two.after) if one.value is None]
    for why in dict.fromkeys(f"{one.undefined}; what would define it: {one.would_define}" for one in without):
        click.echo(f"undefined: {why}")
    click.echo("")
    say_table(
        ["assessor", *COUNTS],
        [(one.assessor, *counts_of(one)) for one in found.assessors],
        numeric=range(1, 1 + len(COUNTS)),
    )
    click.echo("")
    click.echo(
        f"{found.changed} of {found.labels} labels changed, {found.withdrawn} withdrawn, "
        f"on {found.pairs} pairs"
    )


def _shown(one: CoefficientValue) -> str:
    return "undefined" if one.value is None else f"{one.value:z.3f}"


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
@cannot_judge_option
@form_options
def command(
    before: str,
    after: str,
    relevant_from: int,
    codes: tuple[int, ...],
    form: str,
) -> None:
    """Compare the judgments of the same assessors BEFORE and AFTER a discussion, one file each.

    A file is TSV with the header `topic doc assessor grade`, plain or gzip; - is the standard input. Only
    pairs that an assessor answered in both are compared; of an answer given twice in a file the last
    counts. A grade that is unsure or cannot judge after is withdrawn.
    """
    only_one_standard_input((before, after))
    first, second = _read(before, codes), _read(after, codes)
    common = {name: first[name].keys() & second[name].keys() for name in first.keys() & second.keys()}
    one, other = (
        {
            name: {pair: grade for pair in pairs if (grade := given[name][pair]) is not None}
            for name, pairs in common.items()
        }
        for given in (first, second)
    )
    grades = {grade for given in (first, second) for of in given.values() for grade in of.values()}
    if not any(common.values()):
        raise WorkbenchError(
            "no assessor judged a pair in both files", remedy="are the assessors named alike in both?"
        )
    categories = sorted(grade for grade in grades if grade is not None)
    found = compare_rounds(one, other, categories=categories, relevant_from=relevant_from)
    if not print_export(rounds_export(found), form):
        _say(found)


def _read(name: str, codes: Sequence[int]) -> dict[str, dict[tuple[str, str], int | None]]:
    """The grades of every assessor by pair, None where the answer is none."""
    grades: dict[str, dict[tuple[str, str], int | None]] = {}
    with open_input(name) as (stream, source):
        for one in graded_judgments(stream, source, codes, spaced=True):
            grades.setdefault(one.assessor, {})[one.topic, one.docno] = one.grade
    return grades
