"""An agreement report as tables for people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import click

from workbench.agreement.report.figures import Figure
from workbench.agreement.report.how import How
from workbench.agreement.report.overview import Together, what_differs
from workbench.agreement.report.pair import PairReport
from workbench.agreement.report.paradox import Paradox
from workbench.agreement.report.thresholds import Threshold
from workbench.agreement.report.two import Two
from workbench.agreement.report.working import workings
from workbench.agreement.several.bootstrap import Interval
from workbench.agreement.several.entering import Entering
from workbench.cli.output import printable, say_table

_BANDS = "Bands: Landis and Koch 1977. The textbook of the field reads above 0.8 as good, from 0.67 as fair."


def say_report(report: Together) -> None:
    """Print the whole report; of two assessors with their table and the working."""
    names = [printable(voice.name) for voice in report.entering.assessors]
    _say_what_entered(report.entering, report.how)
    if len(names) > 2:
        _say_all(report, names)
    else:
        for two in report.pairs:
            _say_two(report.entering, replace(two, figures=report.figures), report.how, (0, 1))
    click.echo(f"\n{what_differs(report)}")
    if report.paradox:
        _say_paradox(report, report.paradox)
    _say_overlaps(report, names)
    _say_grades(report)
    if report.thresholds:
        _say_thresholds(report.thresholds)
    _say_strictness(report, names)
    click.echo(f"\n{_BANDS}")


def say_pair(report: PairReport, how: How) -> None:
    """Print two assessors closely: their tables, the working, and the pairs on which they differ."""
    entering = report.entering
    _say_what_entered(entering, how)
    _say_two(entering, report.two, how, report.numbers)
    if not entering.graded and len(entering.by_grade.categories) > 2 and report.by_grade.n:
        click.echo("\nBy grade\n")
        labels = [f"grade {grade}" for grade in entering.by_grade.categories]
        _say_table(report.by_grade, labels, _names(entering, report.numbers))
    if report.thresholds:
        _say_thresholds(report.thresholds)
    click.echo(f"\nWhere they differ: {len(report.disagreed):,} pairs, the furthest apart first\n")
    rows = [(one.topic, one.docno, one.first, one.second) for one in report.disagreed]
    say_table(["topic", "doc", *_names(entering, report.numbers)], rows, numeric=(2, 3))


def _say_what_entered(entering: Entering, how: How) -> None:
    counts = entering.counts
    click.echo(f"{capital(entering.sentence)}.")
    click.echo(f"Compared: {entering.grades_in_words}.")
    click.echo(
        f"Not among them: {counts.unsure:,} unsure, {counts.cannot_judge:,} cannot judge; "
        f"{counts.singly:,} pairs have one grade only."
    )
    weights = f"{how.weights_name} weights, " if how.weighted else ""
    drawn = f"{how.method}, {how.rounds:,} rounds, seed {how.seed}"
    click.echo(f"Intervals: {weights}{100 * how.confidence:g} %, {drawn}.")


def _say_all(report: Together, names: Sequence[str]) -> None:
    click.echo("\nAll together\n")
    say_figures(report.figures)
    click.echo("")
    means = [
        (one.label, _value(one.value), _bounds(one.interval), one.pairs, one.left_out) for one in report.means
    ]
    say_table(["", "value", "interval", "pairs", "left out"], means, numeric=(1, 3, 4))
    click.echo("\nEvery two\n")
    rows = [
        (
            f"{names[two.first]} and {names[two.second]}",
            two.n,
            *(_value(one.value) for one in two.figures),
            _bounds(two.figure("pooled").interval),
            two.figure("pooled").coefficient.undefined,
        )
        for two in report.pairs
    ]
    heads = ["", "n", "observed", "pooled", "unpooled", "alpha", "AC", "S", "interval of pooled", ""]
    say_table(heads, rows, numeric=range(1, 8))
    if report.left_out:
        click.echo(f"{report.left_out:,} assessors with fewer grades are not in this list.")


def _say_paradox(report: Together, found: Paradox) -> None:
    click.echo(
        f"Agreement is high and kappa low: {found.share:.0%} of all grades are "
        f"{_grade(report.entering, found.grade)}, so that chance alone would agree on {found.expected:.0%}. "
        f"Were all grades equally common, the same agreement would be worth {found.uniform:.3f} (S)."
    )


def _say_overlaps(report: Together, names: Sequence[str]) -> None:
    click.echo(f"\nOverlap of relevant sets, from grade {report.entering.relevant_from}\n")
    rows = [
        (
            ", ".join(names[number] for number in one.assessors),
            _value(one.mean),
            _bounds(one.mean_interval),
            _value(one.together),
            _bounds(one.together_interval),
            one.empty,
        )
        for one in (*report.overlaps, *report.triples)
    ]
    heads = ["", "mean over topics", "interval", "topics together", "interval", "topics without"]
    say_table(heads, rows, numeric=(1, 3, 5))


def _say_grades(report: Together) -> None:
    click.echo("\nBy grade\n")
    rows = [
        (
            _grade_of_scale(report, one.grade),
            one.given,
            _value(one.specific.value, one.specific.undefined),
            _bounds(one.interval),
            _value(one.kappa.value),
            _bounds(one.kappa_interval),
        )
        for one in report.scale_grades
    ]
    heads = ["grade", "given", "another gave it too", "interval", "kappa against the rest", "interval"]
    say_table(heads, rows, numeric=(1, 2, 4))


def _say_thresholds(found: Sequence[Threshold]) -> None:
    click.echo("\nBy the lowest relevant grade\n")
    shown = ("observed", "pooled", "unpooled", "gwet")
    rows = [
        (
            one.relevant_from,
            *(_value(one.figure(name).value) for name in shown),
            _value(one.positive.specific.value),
            _value(one.negative.specific.value),
            _value(one.overlap.value),
            _bounds(one.overlap.interval),
        )
        for one in found
    ]
    heads = ["from", "observed", "pooled", "unpooled", "AC1", "positive", "negative", "overlap", "interval"]
    say_table(heads, rows, numeric=range(8))


def _say_strictness(report: Together, names: Sequence[str]) -> None:
    click.echo("\nStrict and lenient: the mean given on shared pairs, less the others' mean\n")
    rows = [
        (
            names[one.assessor],
            one.n,
            four(one.own),
            four(one.others),
            four(one.difference),
            _bounds(one.interval),
        )
        for one in report.strictness
    ]
    say_table(["assessor", "pairs", "own", "others", "difference", "interval"], rows, numeric=range(1, 5))


def _say_two(entering: Entering, two: Two, how: How, numbers: tuple[int, int]) -> None:
    first, second = _names(entering, numbers)
    shared = entering.shared(*numbers)
    alone = f"{shared.first_only} by {first} only, {shared.second_only} by {second} only"
    click.echo(f"\n{first} and {second}: {shared.both} pairs judged by both, {alone}\n")
    labels = [_grade(entering, grade) for grade in entering.ratings.categories]
    _say_table(two, labels, (first, second))
    click.echo("")
    say_figures(two.figures)
    if two.view is not None and two.n:
        view = two.view
        click.echo(
            f"\nPrevalence index {_value(view.prevalence)}, bias index {_value(view.bias)}. Positive "
            f"agreement {_value(view.positive)}, negative {_value(view.negative)}, overlap of relevant sets "
            f"{_value(view.overlap)}.\n{second} against {first}: precision {_value(view.precision)}, "
            f"recall {_value(view.recall)}; the other way round they change places."
        )
    for working in workings(two, entering.ratings, how, labels):
        click.echo(f"\n{working.figure.label}, step by step\n")
        steps = [(step.name, step.sum, step.result) for step in working.steps]
        say_table(["", "", ""], steps, numeric=(2,))


def _say_table(two: Two, labels: Sequence[str], names: tuple[str, str]) -> None:
    first, second = names
    rows = [[f"{first}: {label}", *row, sum(row)] for label, row in zip(labels, two.table, strict=True)]
    rows.append(["total", *map(sum, zip(*two.table, strict=True)), two.n])
    heads = ["", *(f"{second}: {label}" for label in labels), "total"]
    say_table(heads, rows, numeric=range(1, len(labels) + 2))


def _names(entering: Entering, numbers: tuple[int, int]) -> tuple[str, str]:
    first, second = (printable(entering.assessors[number].name) for number in numbers)
    return first, second


def say_figures(figures: Sequence[Figure]) -> None:
    """Print coefficients, one a row."""
    say_table(
        ["", "observed", "by chance", "value", "interval", "n", "band"],
        (
            (
                one.label,
                four(one.coefficient.observed),
                four(one.coefficient.expected),
                four(one.value),
                _bounds(one.interval),
                one.coefficient.n,
                one.band or _why_not(one),
            )
            for one in figures
        ),
        numeric=(1, 2, 3, 5),
    )


def _why_not(figure: Figure) -> str:
    if figure.value is not None:
        return ""
    would = f"; what would define it: {figure.would_define}" if figure.would_define else ""
    return f"undefined: {figure.coefficient.undefined}{would}"


def _grade(entering: Entering, grade: int) -> str:
    """A grade as it was compared: of the scale, or 1 for relevant and 0 for not."""
    if entering.graded:
        return f"grade {grade}"
    return "relevant" if grade else "not relevant"


def _grade_of_scale(report: Together, grade: int) -> str:
    whole = report.entering.graded or len(report.entering.by_grade.categories) > 2
    return f"grade {grade}" if whole else _grade(report.entering, int(grade == report.scale_grades[0].grade))


def _value(value: float | None, otherwise: str = "undefined") -> str:
    return otherwise if value is None else f"{value:.4f}"


def four(value: object) -> str:
    """Four decimals, or nothing where there is no number."""
    return f"{value:.4f}" if isinstance(value, float) else ""


def _bounds(interval: Interval | None) -> str:
    if interval is None:
        return ""
    return interval.undefined if interval.low is None else f"{interval.low:.3f} to {interval.high:.3f}"


def capital(sentence: str) -> str:
    """The sentence with a capital letter."""
    return sentence[:1].upper() + sentence[1:]
