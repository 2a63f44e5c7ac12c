"""The reports by topic, on machines and on self-consistency for other programs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TypeVar

from workbench.tables import Export
from workbench.workflow.agreement.machines import MachinesReport, machine_columns, machine_rows
from workbench.workflow.agreement.report import TopicsReport, topic_columns, topic_rows
from workbench.workflow.agreement.self_consistency import REPEAT_COLUMNS, ConsistencyReport, repeat_rows

Row = tuple[object, ...]
Data = dict[str, object]
Report = TypeVar("Report")


def topics_export(report: TopicsReport) -> Export:
    """The report by topic."""
    return _export(report, topic_columns(), topic_rows, _topics)


def machines_export(report: MachinesReport) -> Export:
    """The report on machines against people."""
    return _export(report, machine_columns(), machine_rows, _machines)


def repeats_export(report: ConsistencyReport) -> Export:
    """The report on self-consistency."""
    return _export(report, REPEAT_COLUMNS, repeat_rows, _repeats)


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
    more: Callable[[Report], Data],
) -> Export:
    """A report with what JSON has besides the rows.

    `relevant_from` is the relevance threshold: where all grades are compared it still says which
    differences lie across it and what precision, recall and shares of relevant count.
    """

    def data() -> Data:
        listed = [dict(zip(columns, row, strict=True)) for row in rows(report)]
        return more(report) | {"rows": listed}

    return Export(tuple(columns), partial(rows, report), data)
