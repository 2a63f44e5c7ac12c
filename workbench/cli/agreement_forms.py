"""An agreement report in the form that is wanted: tables for people, JSON, CSV or LaTeX for programs."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

import click

from workbench.agreement.report.as_json import entered_data, figure_data, how_data, pair_data, report_data
from workbench.agreement.report.figures import drawn_from, figures
from workbench.agreement.report.latex import report_latex
from workbench.agreement.report.matrix import Matrix, matrix
from workbench.agreement.report.overview import together
from workbench.agreement.report.rows import COLUMNS, matrix_rows, report_rows
from workbench.agreement.several.entering import Entering
from workbench.cli.agreement_options import Wanted
from workbench.cli.agreement_text import capital, four, say_figures, say_report
from workbench.cli.output import say_json, say_table


def say_agreement(entering: Entering, wanted: Wanted) -> None:
    """Print what is wanted of what enters; raises WorkbenchError for weights that do not fit the scale."""
    if wanted.matrix:
        _say_matrix(matrix(entering, wanted.how, by=wanted.matrix), entering, wanted, wanted.matrix)
        return
    if wanted.only_coefficients:
        _say_coefficients(entering, wanted)
        return
    report = together(entering, wanted.how)
    if wanted.form == "json":
        say_json(report_data(report))
    elif wanted.form == "csv":
        _say_csv((COLUMNS, *report_rows(report)))
    elif wanted.form == "latex":
        click.echo(report_latex(report), nl=False)
    else:
        say_report(report)


def _say_matrix(found: Matrix, entering: Entering, wanted: Wanted, by: str) -> None:
    if wanted.form == "json":
        say_json(
            {
                "entered": entered_data(entering),
                "how": how_data(wanted.how),
                "by": by,
                "order": [entering.assessors[number].name for number in found.order],
                "pairs": [pair_data(two, entering) for two in found.pairs.values()],
            }
        )
        return
    rows = matrix_rows(found, entering, by)
    if wanted.form == "csv":
        _say_csv(rows)
        return
    click.echo(capital(entering.sentence))
    shown = [(row[0], *(four(cell) for cell in row[1:])) for row in rows[1:]]
    say_table([str(name) for name in rows[0]], shown, numeric=range(1, len(rows[0])))


def _say_coefficients(entering: Entering, wanted: Wanted) -> None:
    found = figures(entering.ratings, wanted.how, drawn_from(entering.ratings, wanted.how))
    if wanted.form == "json":
        said = {one.name: figure_data(one) for one in found}
        say_json({"entered": entered_data(entering), "how": how_data(wanted.how), "coefficients": said})
        return
    click.echo(f"{capital(entering.sentence)}.\n")
    say_figures(found)


def _say_csv(rows: Iterable[Sequence[object]]) -> None:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    click.echo(text.getvalue().encode("utf-8", "surrogateescape"), nl=False)
