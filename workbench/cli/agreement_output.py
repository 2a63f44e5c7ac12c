"""An agreement report as tables for people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from workbench.agreement.coefficient import Shown
from workbench.agreement.coefficients import COEFFICIENTS, shown_in
from workbench.agreement.estimates import BANDS, Estimate, calculations
from workbench.agreement.grades import Paradox
from workbench.agreement.intervals import Interval
from workbench.agreement.jackknife import METHOD
from workbench.agreement.options import AgreementOptions, Basis
from workbench.agreement.pairwise import AssessorPair, Threshold
from workbench.agreement.report import AgreementReport, Matrix, what_differs
from workbench.agreement.selection import Selection
from workbench.cli.output import figure, print_export, printable, say_figures, say_table
from workbench.figures import counted, percent

if TYPE_CHECKING:
    from workbench.agreement.pair_report import PairReport
    from workbench.tables import Export

    Result = AgreementReport | Matrix | PairReport | tuple[Selection, tuple[Estimate, ...]]


def say_report(report: AgreementReport) -> None:
    """Print the whole report; of two assessors with their table and the working."""
    names = [printable(one.name) for one in report.selection.assessors]
    _say_selection(report.selection, report.options)
    if len(names) > 2 or report.selection.counts.expected:
        # The table of two has not the grades of pairs that one alone judged.
        _say_all(report, names)
    else:
        for two in report.pairs:
            _say_two(report.selection, replace(two, estimates=report.estimates), report.options, (0, 1))
    click.echo(f"\n{what_differs(report)}")
    if report.paradox:
        _say_paradox(report, report.paradox)
    _say_overlaps(report, names)
    _say_grades(report)
    if report.thresholds:
        _say_thresholds(report.thresholds)
    _say_leniency(report, names)
    click.echo(f"\n{BANDS}")


def say_pair(report: PairReport) -> None:
    """Print two assessors closely: their tables, the working, and the pairs on which they differ."""
    selection, options = report.selection, report.options
    _say_selection(selection, options)
    _say_two(selection, report.two, options, report.numbers)
    if not selection.graded and len(selection.by_grade.categories) > 2 and report.by_grade.n:
        click.echo("\nBy grade\n")
        labels = [f"grade {grade}" for grade in selection.by_grade.categories]
        _say_table(report.by_grade, labels, _names(selection, report.numbers))
    if report.thresholds:
        _say_thresholds(report.thresholds)
    click.echo(f"\nWhere they differ: {counted(len(report.disagreed), 'pair')}, largest difference first\n")
    rows = [(one.topic, one.docno, one.first, one.second) for one in report.disagreed]
    say_table(["topic", "doc", *_names(selection, report.numbers)], rows, numeric_from=2)


def _say_selection(selection: Selection, options: AgreementOptions) -> None:
    counts = selection.counts
    click.echo(f"{capital(selection.sentence)}.")
    click.echo(f"Compared: {selection.grades_in_words}.")
    click.echo(
        f"Left out: {counts.unsure:,} unsure, {counts.cannot_judge:,} cannot judge. "
        f"Pairs with one grade only: {_singles(selection)}."
    )
    weights = f"{options.weights_in_words}, " if options.weighted else ""
    click.echo(f"Intervals: {weights}{100 * options.confidence:g} %, {METHOD}.")


def _singles(selection: Selection) -> str:
    counts = selection.counts
    if selection.basis is not Basis.BOTH:
        return f"{counts.singly:,}"
    became = "counted towards expected agreement" if counts.expected else "left out"
    return f"{counts.singly:,}{f', {became}' if counts.singly else ''}"


def _say_all(report: AgreementReport, names: Sequence[str]) -> None:
    click.echo("\nAll together\n")
    say_estimates(report.estimates)
    click.echo("")
    means = [
        (one.label, _value(one.value), bounds_in_words(one.interval), one.pairs, one.left_out)
        for one in report.means
    ]
    say_table(["", "value", "interval", "pairs", "left out"], means, numeric=(1, 3, 4))
    click.echo("\nEvery two\n")
    rows = [
        (
            f"{names[two.first]} and {names[two.second]}",
            two.n,
            *(_value(one.value) for one in two.estimates),
            bounds_in_words(two.estimate("pooled").interval),
            two.estimate("pooled").found.undefined,
        )
        for two in report.pairs
    ]
    names_of = [one.plain for one in COEFFICIENTS.values()]
    say_table(["", "n", *names_of, "interval of pooled", ""], rows, numeric=range(1, 2 + len(names_of)))
    if report.left_out:
        click.echo(f"Not in this list: {counted(report.left_out, 'assessor')} with fewer grades.")


def _say_paradox(report: AgreementReport, found: Paradox) -> None:
    click.echo(
        f"Agreement is high and kappa low: {percent(found.share)} of all grades are "
        f"{_grade(report.selection, found.grade)}, so chance alone would agree on "
        f"{percent(found.expected)}. Were all grades equally common, the same agreement would be "
        f"worth {found.uniform:z.3f} (S)."
    )


def _say_overlaps(report: AgreementReport, names: Sequence[str]) -> None:
    click.echo(f"\nOverlap of relevant sets, from grade {report.selection.relevant_from}\n")
    rows = [
        (
            ", ".join(names[number] for number in one.assessors),
            _value(one.mean),
            bounds_in_words(one.mean_interval),
            _value(one.together),
            bounds_in_words(one.together_interval),
            one.empty,
        )
        for one in (*report.overlaps, *report.triples)
    ]
    heads = ["", "mean over topics", "interval", "topics together", "interval", "topics without"]
    say_table(heads, rows, numeric=(1, 3, 5))


def _say_grades(report: AgreementReport) -> None:
    click.echo("\nBy grade\n")
    rows = [
        (
            _grade_of_scale(report, one.grade),
            one.given,
            _value(one.specific.value, one.specific.undefined),
            bounds_in_words(one.interval),
            _value(one.kappa.value),
            bounds_in_words(one.kappa_interval),
        )
        for one in report.scale_grades
    ]
    heads = ["grade", "given", "another gave it too", "interval", "kappa against the rest", "interval"]
    say_table(heads, rows, numeric=(1, 2, 4))


def _say_thresholds(found: Sequence[Threshold]) -> None:
    click.echo("\nBy the lowest relevant grade\n")
    shown = [one.on_scale((1, 0)) for one in shown_in(Shown.EVERYWHERE)]
    rows = [
        (
            one.relevant_from,
            *(_value(one.estimate(each.name).value) for each in shown),
            _value(one.positive.specific.value),
            _value(one.negative.specific.value),
            _value(one.overlap.value),
            bounds_in_words(one.overlap.interval),
        )
        for one in found
    ]
    heads = ["from", *(one.plain for one in shown), "positive", "negative", "overlap", "interval"]
    say_table(heads, rows, numeric=range(len(heads) - 1))


def _say_leniency(report: AgreementReport, names: Sequence[str]) -> None:
    click.echo("\nLeniency: an assessor's mean on shared pairs, minus the others' mean\n")
    rows = [
        (
            names[one.assessor],
            one.n,
            four(one.own),
            four(one.others),
            four(one.difference),
            bounds_in_words(one.interval),
        )
        for one in report.leniency
    ]
    say_table(["assessor", "pairs", "own", "others", "difference", "interval"], rows, numeric=range(1, 5))


def _say_two(
    selection: Selection, two: AssessorPair, options: AgreementOptions, numbers: tuple[int, int]
) -> None:
    first, second = _names(selection, numbers)
    shared = selection.shared(*numbers)
    alone = f"{shared.first_only} by {first} only, {shared.second_only} by {second} only"
    click.echo(f"\n{first} and {second}: {counted(shared.both, 'pair')} judged by both, {alone}\n")
    labels = [_grade(selection, grade) for grade in selection.ratings.categories]
    _say_table(two, labels, (first, second))
    click.echo("")
    say_estimates(two.estimates)
    if two.view is not None and two.n:
        view = two.view
        click.echo(
            f"\nPrevalence index {_value(view.prevalence)}, bias index {_value(view.bias)}. Positive "
            f"agreement {_value(view.positive)}, negative {_value(view.negative)}, overlap of relevant sets "
            f"{_value(view.overlap)}.\n{second} against {first}: precision {_value(view.precision)}, "
            f"recall {_value(view.recall)}; with the roles reversed, the two are swapped."
        )
    for one, steps in calculations(two.table, two.estimates, selection.ratings, options, labels):
        click.echo(f"\n{one.label}, step by step\n")
        say_table(["", "", ""], [(step.name, step.sum, step.result) for step in steps], numeric_from=2)


def _say_table(two: AssessorPair, labels: Sequence[str], names: tuple[str, str]) -> None:
    first, second = names
    rows = [[f"{first}: {label}", *row, sum(row)] for label, row in zip(labels, two.table, strict=True)]
    rows.append(["total", *map(sum, zip(*two.table, strict=True)), two.n])
    say_figures(["", *(f"{second}: {label}" for label in labels), "total"], rows)


def _names(selection: Selection, numbers: tuple[int, int]) -> tuple[str, str]:
    first, second = (printable(selection.assessors[number].name) for number in numbers)
    return first, second


def say_estimates(estimates: Sequence[Estimate]) -> None:
    """Print coefficients, one a row, and under them why there is no interval."""
    say_table(
        ["", "observed", "by chance", "value", "interval", "n", "band", "of these documents"],
        (
            (
                one.label,
                four(one.found.observed),
                four(one.found.expected),
                four(one.value),
                _bounds_or_dash(one.interval),
                one.found.n,
                one.band or _why_not(one),
                _bounds_or_dash(one.analytic),
            )
            for one in estimates
        ),
        numeric=(1, 2, 3, 5),
    )
    reasons = [
        one.interval.undefined for one in estimates if one.value is not None and one.interval is not None
    ]
    for reason in dict.fromkeys(filter(None, reasons)):
        click.echo(f"No interval over topics: {reason}.")


def _bounds_or_dash(interval: Interval | None) -> str:
    return "-" if interval is None or interval.low is None else bounds_in_words(interval)


def _why_not(estimate: Estimate) -> str:
    if estimate.value is not None:
        return ""
    would = f"; what would define it: {estimate.found.would_define}" if estimate.found.would_define else ""
    return f"undefined: {estimate.found.undefined}{would}"


def _grade(selection: Selection, grade: int) -> str:
    """A grade as it was compared: of the scale, or 1 for relevant and 0 for not."""
    if selection.graded:
        return f"grade {grade}"
    return "relevant" if grade else "not relevant"


def _grade_of_scale(report: AgreementReport, grade: int) -> str:
    whole = report.selection.graded or len(report.selection.by_grade.categories) > 2
    return f"grade {grade}" if whole else _grade(report.selection, int(grade == report.scale_grades[0].grade))


def _value(value: float | None, otherwise: str = "undefined") -> str:
    return figure(value, "z.4f", otherwise)


def four(value: object) -> str:
    """Four decimals, or nothing where there is no number."""
    return f"{value:z.4f}" if isinstance(value, float) else ""


def bounds_in_words(interval: Interval | None) -> str:
    """`low to high`, why there are no bounds, or nothing where there is no interval."""
    if interval is None:
        return ""
    return interval.undefined if interval.low is None else f"{interval.low:z.3f} to {interval.high:z.3f}"


def capital(sentence: str) -> str:
    """The sentence with a capital letter."""
    return sentence[:1].upper() + sentence[1:]


def print_agreement(found: Result, options: AgreementOptions, form: str) -> None:
    """Print a report, a matrix, two assessors or the coefficients alone, for people or for programs."""
    if form != "text":
        print_export(_export_of(found, options), form)
    elif isinstance(found, AgreementReport):
        say_report(found)
    elif isinstance(found, Matrix):
        export = _export_of(found, options)
        click.echo(capital(found.selection.sentence))
        shown = [(row[0], *(four(cell) for cell in row[1:])) for row in export.rows()]
        say_figures(list(export.columns), shown)
    elif isinstance(found, tuple):
        selection, estimates = found
        click.echo(f"{capital(selection.sentence)}.\n")
        say_estimates(estimates)
    else:
        say_pair(found)


def _export_of(found: Result, options: AgreementOptions) -> Export:
    # Imported here, since LaTeX and the like are more to import than people's text needs.
    from workbench.agreement.export import coefficients_export, matrix_export, report_export
    from workbench.agreement.pair_report import pair_export

    if isinstance(found, AgreementReport):
        return report_export(found)
    if isinstance(found, Matrix):
        return matrix_export(found)
    if isinstance(found, tuple):
        selection, estimates = found
        return coefficients_export(estimates, selection, options)
    return pair_export(found)
