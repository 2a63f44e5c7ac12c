"""An agreement report in the form that is wanted: tables for people, JSON, CSV or LaTeX for programs."""

from __future__ import annotations

import click

from workbench.agreement.report.figures import drawn_from, figures
from workbench.agreement.report.forms import coefficients_export, matrix_export, report_export
from workbench.agreement.report.matrix import matrix
from workbench.agreement.report.overview import together
from workbench.agreement.report.pair import pair_report
from workbench.agreement.report.pair_forms import pair_export
from workbench.agreement.several.entering import Entering
from workbench.cli.agreement_options import Wanted
from workbench.cli.agreement_text import capital, four, say_figures, say_pair, say_report
from workbench.cli.output import say_table
from workbench.cli.tabular import print_export


def say_agreement(entering: Entering, wanted: Wanted) -> None:
    """Print what is wanted of what enters; raises WorkbenchError for weights that do not fit the scale."""
    if wanted.matrix:
        _say_matrix(entering, wanted, wanted.matrix)
    elif wanted.pair:
        first, second = wanted.pair
        found = pair_report(entering, wanted.how, first=first, second=second)
        if not print_export(pair_export(found, wanted.how), wanted.form):
            say_pair(found, wanted.how)
    elif wanted.only_coefficients:
        _say_coefficients(entering, wanted)
    else:
        report = together(entering, wanted.how)
        if not print_export(report_export(report), wanted.form):
            say_report(report)


def _say_matrix(entering: Entering, wanted: Wanted, by: str) -> None:
    taken = matrix_export(matrix(entering, wanted.how, by=by), entering, wanted.how, by)
    if print_export(taken, wanted.form):
        return
    click.echo(capital(entering.sentence))
    shown = [(row[0], *(four(cell) for cell in row[1:])) for row in taken.rows()]
    say_table(list(taken.columns), shown, numeric=range(1, len(taken.columns)))


def _say_coefficients(entering: Entering, wanted: Wanted) -> None:
    found = figures(entering.ratings, wanted.how, drawn_from(entering.ratings, wanted.how))
    if print_export(coefficients_export(found, entering, wanted.how), wanted.form):
        return
    click.echo(f"{capital(entering.sentence)}.\n")
    say_figures(found)
