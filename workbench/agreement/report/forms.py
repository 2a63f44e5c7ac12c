"""The report of all assessors, its coefficients alone, and the matrix, as they are taken along."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from workbench.agreement.report.as_json import (
    Data,
    entered_data,
    figure_data,
    how_data,
    matrix_data,
    report_data,
)
from workbench.agreement.report.figures import Figure
from workbench.agreement.report.how import How
from workbench.agreement.report.latex import figures_latex, matrix_latex, report_latex
from workbench.agreement.report.matrix import Matrix
from workbench.agreement.report.overview import Together
from workbench.agreement.report.rows import COLUMNS, figure_rows, matrix_columns, matrix_rows, report_rows
from workbench.agreement.several.entering import Entering
from workbench.export import Export


def report_export(report: Together) -> Export:
    """Everything about all assessors together."""
    return Export(
        COLUMNS, partial(report_rows, report), partial(report_data, report), partial(report_latex, report)
    )


def coefficients_export(found: Sequence[Figure], entering: Entering, how: How) -> Export:
    """The coefficients alone."""

    def data() -> Data:
        said = {one.name: figure_data(one) for one in found}
        return {"entered": entered_data(entering), "how": how_data(how), "coefficients": said}

    return Export(
        COLUMNS, partial(figure_rows, found, entering), data, partial(figures_latex, found, entering, how)
    )


def matrix_export(found: Matrix, entering: Entering, how: How, by: str) -> Export:
    """Every assessor with every other by one coefficient."""
    return Export(
        matrix_columns(found, entering),
        partial(matrix_rows, found, entering, by),
        partial(matrix_data, found, entering, how, by),
        partial(matrix_latex, found, entering, how, by),
    )
