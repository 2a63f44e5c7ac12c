"""The reports by topic, on machines and on self-consistency for other programs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Protocol, TypeVar

from workbench.agreement.estimates import Estimate
from workbench.agreement.intervals import LEVEL, Interval
from workbench.agreement.latex import bounds, interval_note, with_bounds
from workbench.agreement.machines import Share, machine_coefficients
from workbench.agreement.options import AgreementOptions
from workbench.agreement.selection import relevant_or_not
from workbench.agreement.self_consistency import Consistency
from workbench.agreement.topics import topic_coefficients
from workbench.export import Export
from workbench.latex import between, document, escaped, number, percent, table
from workbench.workflow.agreement.machines import MachineLine, MachinesReport, machine_columns, machine_rows
from workbench.workflow.agreement.self_consistency import REPEAT_COLUMNS, ConsistencyReport, repeat_rows
from workbench.workflow.agreement.topics import TopicsReport, topic_columns, topic_rows

_SMALL = r"\footnotesize"
_KAPPAS = ("Observed", "Pos.", "Neg.", r"Pooled $\kappa$")


class _Report(Protocol):
    """A report that was made with options."""

    @property
    def options(self) -> AgreementOptions: ...


def topics_latex(report: TopicsReport) -> str:
    """Every topic with its coefficients and intervals, the lowest first, and the means over topics."""
    rows = [
        (
            escaped(line.topic),
            f"{line.found.n:,}",
            f"{line.found.disputed:,}",
            *map(_value, line.found.estimates),
        )
        for line in report.lines
    ]
    rows.append(("Mean over topics", "", "", *(number(mean.value) for mean in report.means)))
    rows.append(("All pairs together", "", "", *(number(one.value) for one in report.together)))
    caption = (
        f"Agreement by topic: {escaped(report.selection.sentence)}; "
        f"{report.selection.grades_in_words}. {percent(LEVEL)} intervals are of the documents of each topic."
    )
    heads = ("Topic", "$n$", "Disputed", *(one.latex for one in topic_coefficients()))
    columns = f"l{'r' * (len(heads) - 1)}"
    return document(table(columns, heads, rows, caption, "tab:agreement-topics", size=_SMALL))


def machines_latex(report: MachinesReport) -> str:
    """Every machine against the majority of people and against each person, weighted too where graded."""
    lines = [(one, line) for one in report.machines for line in one.lines]
    rows = [
        (
            escaped(one.machine),
            _against(line),
            f"{line.found.n:,}",
            f"{line.found.topics:,}",
            *map(_value, line.found.estimates),
            _share(line.found.precision),
            _share(line.found.recall),
        )
        for one, line in lines
    ]
    options = interval_note(report.options)
    grades = report.grades
    compared = "all grades" if grades.graded else relevant_or_not(grades.relevant_from)
    caption = (
        f"Machines against people, on the pairs that both graded; {compared}. Pairs on which people are tied "
        f"are left out of their majority. {options} Intervals of precision and recall are Wilson's."
    )
    valued = [one.latex for one in machine_coefficients()]
    heads = ("Machine", "Against", "$n$", "Topics", *valued, "Precision", "Recall")
    made = [table(f"ll{'r' * (len(heads) - 2)}", heads, rows, caption, "tab:agreement-machines", size=_SMALL)]
    if weighted := [one for one in lines if one[1].found.weighted]:
        made.append(
            table(
                f"ll{'r' * len(machine_coefficients(weighted=True))}",
                ("Machine", "Against", *(one.latex for one in machine_coefficients(weighted=True))),
                [
                    (escaped(one.machine), _against(line), *map(_value, line.found.weighted))
                    for one, line in weighted
                ],
                f"Machines against people with quadratic weights over the scale. {options}",
                "tab:agreement-machines-weighted",
                size=_SMALL,
            )
        )
    return document(*made)


def repeats_latex(report: ConsistencyReport) -> str:
    """Every assessor against himself, planted pairs and training, and what was changed."""
    rows = [
        (
            escaped(one.name),
            str(against),
            f"{found.n:,}",
            _observed(found),
            number(found.positive),
            number(found.negative),
            _with(found.kappa.value, found.interval),
            *(f"{count:,}" for count in (found.higher, found.lower, found.across)),
        )
        for one in report.assessors
        for against, found in one.found
        if found.n
    ]
    caption = (
        "Self-consistency: every assessor against earlier answers of the same assessor, and against known "
        "answers. Intervals of observed agreement are Wilson's; those of kappa are of these documents."
    )
    heads = ("Assessor", "Against", "$n$", *_KAPPAS, "Higher", "Lower", "Across the line")
    changes = [
        (
            escaped(one.name),
            *(
                f"{count:,}"
                for count in (
                    one.changes.changed,
                    one.changes.higher,
                    one.changes.lower,
                    one.changes.across,
                    one.changes.withdrawn,
                )
            ),
        )
        for one in report.assessors
    ]
    own = ("Assessor", "Changed", "Higher", "Lower", "Across the line", "Withdrawn")
    return document(
        table("llrrrrrrrr", heads, rows, caption, "tab:agreement-self", size=_SMALL),
        table("lrrrrr", own, changes, "What assessors changed of their own accord.", "tab:agreement-changes"),
    )


def _with(value: float | None, interval: Interval) -> str:
    return f"{number(value)} {bounds(interval, places=2)}".rstrip() if value is not None else "--"


def _value(one: Estimate) -> str:
    return "--" if one.value is None else with_bounds(one).rstrip()


def _share(one: Share) -> str:
    return f"{number(one.value)} {between(one.low, one.high, 2)}".rstrip()


def _observed(found: Consistency) -> str:
    low, high = found.share or (None, None)
    return f"{number(found.observed)} {between(low, high, 2)}".rstrip()


def _against(line: MachineLine) -> str:
    return "majority of people" if line.person is None else escaped(line.person)


Row = tuple[object, ...]
Data = dict[str, object]
Report = TypeVar("Report", bound=_Report)


def topics_export(report: TopicsReport) -> Export:
    """The report by topic."""
    return _export(report, topic_columns(), topic_rows, topics_latex, _topics)


def machines_export(report: MachinesReport) -> Export:
    """The report on machines against people."""
    return _export(report, machine_columns(), machine_rows, machines_latex, _machines)


def repeats_export(report: ConsistencyReport) -> Export:
    """The report on self-consistency."""
    return _export(report, REPEAT_COLUMNS, repeat_rows, repeats_latex, _repeats)


def _topics(report: TopicsReport) -> Data:
    selection = report.selection
    return {
        "relevant_from": selection.relevant_from,
        "graded": selection.graded,
        "entering": selection.sentence,
        "assessors": [one.name for one in selection.assessors],
        "by": report.options.coefficient,
        "mean_over_topics": {mean.name: mean.value for mean in report.means},
        "topics_without_value": {mean.name: mean.left_out for mean in report.means},
        "all_pairs_together": {found.name: found.value for found in report.together},
        "topics_without_pairs": [topic for topic, _ in report.without],
    }


def _machines(report: MachinesReport) -> Data:
    majorities = {
        one.machine: {"tied": one.lines[0].tied, "one_person": one.lines[0].alone}
        for one in report.machines
        if one.lines
    }
    return {
        "relevant_from": report.grades.relevant_from,
        "graded": report.grades.graded,
        "categories": list(report.grades.categories),
        "majority": majorities,
    }


def _repeats(report: ConsistencyReport) -> Data:
    contradictions = [
        {
            "assessor": one.assessor,
            "against": str(one.against),
            "topic": one.topic,
            "docno": one.docno,
            "stood": one.stood,
            "said": one.given,
            "across_the_line": one.across,
            "when": one.when.isoformat(),
        }
        for one in report.contradictions
    ]
    return {
        "relevant_from": report.grades.relevant_from,
        "graded": report.grades.graded,
        "no_grade": report.no_grade,
        "changed_later": report.changed_later,
        "contradictions": contradictions,
    }


def _export(
    report: Report,
    columns: Sequence[str],
    rows: Callable[[Report], Iterable[Row]],
    latex: Callable[[Report], str],
    more: Callable[[Report], Data],
) -> Export:
    """A report with what JSON has besides the rows.

    `relevant_from` is the relevance threshold: where all grades are compared it still says which
    differences lie across it and what precision, recall and shares of relevant count.
    """

    def data() -> Data:
        listed = [dict(zip(columns, row, strict=True)) for row in rows(report)]
        return more(report) | {"rows": listed}

    return Export(tuple(columns), partial(rows, report), data, partial(latex, report))
