"""An agreement report in the form that is wanted: tables for people, JSON, CSV or LaTeX for programs."""

from __future__ import annotations

import click

from workbench.agreement.report.as_json import entered_data, figure_data, how_data, matrix_data, report_data
from workbench.agreement.report.figures import drawn_from, figures
from workbench.agreement.report.latex import figures_latex, matrix_latex, report_latex
from workbench.agreement.report.matrix import Matrix, matrix
from workbench.agreement.report.overview import together
from workbench.agreement.report.pair import PairReport, pair_report
from workbench.agreement.report.pair_forms import (
    PAIR_COLUMNS,
    pair_report_data,
    pair_report_latex,
    pair_report_rows,
)
from workbench.agreement.report.rows import COLUMNS, figure_rows, matrix_rows, report_rows
from workbench.agreement.several.entering import Entering
from workbench.cli.agreement_options import Wanted
from workbench.cli.agreement_text import capital, four, say_figures, say_pair, say_report
from workbench.cli.output import say_csv, say_json, say_table


def say_agreement(entering: Entering, wanted: Wanted) -> None:
    """Print what is wanted of what enters; raises WorkbenchError for weights that do not fit the scale."""
    if wanted.matrix:
        _say_matrix(matrix(entering, wanted.how, by=wanted.matrix), entering, wanted, wanted.matrix)
        return
    if wanted.pair:
        first, second = wanted.pair
        _say_pair(pair_report(entering, wanted.how, first=first, second=second), wanted)
        return
    if wanted.only_coefficients:
        _say_coefficients(entering, wanted)
        return
    report = together(entering, wanted.how)
    if wanted.form == "json":
        say_json(report_data(report))
    elif wanted.form == "csv":
        say_csv((COLUMNS, *report_rows(report)))
    elif wanted.form == "latex":
        click.echo(report_latex(report), nl=False)
    else:
        say_report(report)


def _say_matrix(found: Matrix, entering: Entering, wanted: Wanted, by: str) -> None:
    if wanted.form == "json":
        say_json(matrix_data(found, entering, wanted.how, by))
        return
    rows = matrix_rows(found, entering, by)
    if wanted.form == "csv":
        say_csv(rows)
        return
    if wanted.form == "latex":
        click.echo(matrix_latex(found, entering, wanted.how, by), nl=False)
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
    if wanted.form == "csv":
        say_csv((COLUMNS, *figure_rows(found, entering)))
        return
    if wanted.form == "latex":
        click.echo(figures_latex(found, entering, wanted.how), nl=False)
        return
    click.echo(f"{capital(entering.sentence)}.\n")
    say_figures(found)


def _say_pair(found: PairReport, wanted: Wanted) -> None:
    if wanted.form == "json":
        say_json(pair_report_data(found, wanted.how))
    elif wanted.form == "csv":
        say_csv((PAIR_COLUMNS, *pair_report_rows(found, wanted.how)))
    elif wanted.form == "latex":
        click.echo(pair_report_latex(found, wanted.how), nl=False)
    else:
        say_pair(found, wanted.how)
