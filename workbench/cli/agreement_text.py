"""An agreement report for people: per two assessors the table, the working and the band; then the means."""

from __future__ import annotations

import click

from workbench.agreement.coefficients import COEFFICIENTS
from workbench.agreement.means import MeanAgreement
from workbench.agreement.report import AgreementReport, PairAgreement
from workbench.agreement.result import Coefficient
from workbench.cli.output import say_table

_BANDS = "above 0.8 good, from 0.67 fair, below dubious (Manning, Raghavan and Schuetze 2008)"


def say_report(report: AgreementReport) -> None:
    """Print every two assessors, then the means where there are more than two."""
    grades = _grades(report)
    for pair in report.pairs:
        _say_pair(pair, grades)
    if len(report.assessors) > 2:
        means = (report.observed, report.pooled, report.unpooled)
        click.echo(f"Mean over the {len(report.pairs)} pairs of assessors")
        say_table(["", "value", "pairs", "left out"], map(_mean_row, means), numeric=(1, 2))
        click.echo("")
    click.echo(f"Bands of the pooled kappa: {_BANDS}")


def _grades(report: AgreementReport) -> list[str]:
    if report.relevant_from is None:
        return [f"grade {category}" for category in report.categories]
    return ["relevant", "not relevant"]


def _say_pair(pair: PairAgreement, grades: list[str]) -> None:
    first, second = _plain(pair.first), _plain(pair.second)
    click.echo(f"{first} and {second}: {pair.n} pairs judged by both", nl=False)
    click.echo(f", {pair.n_first_only} by {first} only, {pair.n_second_only} by {second} only")
    click.echo("")
    rows = [[f"{first}: {grade}", *row, sum(row)] for grade, row in zip(grades, pair.table, strict=True)]
    rows.append(["total", *map(sum, zip(*pair.table, strict=True)), pair.n])
    headings = ["", *(f"{second}: {grade}" for grade in grades), "total"]
    say_table(headings, rows, numeric=range(1, len(headings)))
    click.echo("")
    coefficients = (pair.observed, pair.pooled, pair.unpooled)
    say_table(
        ["", "observed", "by chance", "value", ""],
        ([*_working(coefficient), _remark(coefficient, pair)] for coefficient in coefficients),
        numeric=(1, 2, 3),
    )
    click.echo("")
    for label, shares in _marginals(pair):
        listed = ", ".join(f"{grade} {share:.4f}" for grade, share in zip(grades, shares, strict=True))
        click.echo(f"Shares of {label}: {listed}")
    click.echo("")


def _working(coefficient: Coefficient) -> list[str]:
    figures = (coefficient.observed, coefficient.expected, coefficient.value)
    return [COEFFICIENTS[coefficient.name].label, *("" if f is None else f"{f:.4f}" for f in figures)]


def _remark(coefficient: Coefficient, pair: PairAgreement) -> str:
    if coefficient.value is None:
        return f"undefined: {coefficient.undefined}"
    return str(pair.band) if coefficient.name == "pooled" else ""


def _marginals(pair: PairAgreement) -> list[tuple[str, tuple[float, ...]]]:
    both = [
        (f"{_plain(pair.first)} and {_plain(pair.second)} together", row) for row in pair.pooled.marginals
    ]
    names = map(_plain, (pair.first, pair.second))
    return both + list(zip(names, pair.unpooled.marginals, strict=False))


def _mean_row(mean: MeanAgreement) -> list[str]:
    reasons = "; ".join(f"{count}: {reason}" for reason, count in mean.reasons)
    value = "undefined" if mean.value is None else f"{mean.value:.4f}"
    return [COEFFICIENTS[mean.name].label, value, str(mean.pairs), reasons or "none"]


def _plain(name: str) -> str:
    # The name of a file may hold bytes that are no UTF-8.
    return name.encode("utf-8", "replace").decode("utf-8")
