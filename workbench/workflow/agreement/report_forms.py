"""The reports by topic, over time, of machines and of self-consistency as they are taken along."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from functools import partial
from typing import TypeVar

from workbench.agreement.drift import INTERVALS
from workbench.export import Export
from workbench.workflow.agreement.by_topic import TOPIC_COLUMNS, TopicsReport, topic_rows
from workbench.workflow.agreement.machines import MACHINE_COLUMNS, MachinesReport, machine_rows
from workbench.workflow.agreement.over_time import TIME_COLUMNS, TimeReport, time_rows
from workbench.workflow.agreement.repeats import REPEAT_COLUMNS, ConsistencyReport, repeat_rows
from workbench.workflow.agreement.report_latex import (
    Drawn,
    machines_latex,
    repeats_latex,
    time_latex,
    topics_latex,
)

Row = tuple[object, ...]
Said = dict[str, object]
Report = TypeVar("Report", bound=Drawn)


def topics_export(report: TopicsReport) -> Export:
    """The report by topic."""
    return _taken(report, TOPIC_COLUMNS, topic_rows, topics_latex, _topics)


def time_export(report: TimeReport) -> Export:
    """The report over time."""
    return _taken(report, TIME_COLUMNS, time_rows, time_latex, _time)


def machines_export(report: MachinesReport) -> Export:
    """The report on machines against people."""
    return _taken(report, MACHINE_COLUMNS, machine_rows, machines_latex, _machines)


def repeats_export(report: ConsistencyReport) -> Export:
    """The report on self-consistency."""
    return _taken(report, REPEAT_COLUMNS, repeat_rows, repeats_latex, _repeats)


def _topics(report: TopicsReport) -> Said:
    entering = report.entering
    return {
        "relevant_from": entering.relevant_from,
        "graded": entering.graded,
        "entering": entering.sentence,
        "assessors": [voice.name for voice in entering.assessors],
        "by": report.by,
        "mean_over_topics": {mean.name: mean.value for mean in report.means},
        "topics_without_value": {mean.name: mean.left_out for mean in report.means},
        "all_pairs_together": {found.name: found.value for found in report.together},
        "topics_without_pairs": [topic for topic, _ in report.without],
    }


def _time(report: TimeReport) -> Said:
    trends = {
        one.name: {
            "judgments": one.judgments,
            "sittings": one.sittings,
            **{name: asdict(trend) for name, trend in one.trends.items()},
        }
        for one in report.assessors
    }
    return {
        "relevant_from": report.relevant_from,
        "graded": report.graded,
        "gap_minutes": report.gap_minutes,
        "bin": report.bin,
        "intervals": INTERVALS,
        "trends": trends,
        "imported": list(report.imported),
    }


def _machines(report: MachinesReport) -> Said:
    majorities = {
        one.machine: {"tied": one.lines[0].tied, "one_person": one.lines[0].alone}
        for one in report.machines
        if one.lines
    }
    return {
        "relevant_from": report.relevant_from,
        "graded": report.graded,
        "categories": list(report.categories),
        "majority": majorities,
    }


def _repeats(report: ConsistencyReport) -> Said:
    contradictions = [
        {
            "assessor": one.assessor,
            "against": str(one.against),
            "topic": one.topic,
            "docno": one.docno,
            "stood": one.stood,
            "said": one.said,
            "across_the_line": one.across,
            "when": one.when.isoformat(),
        }
        for one in report.contradictions
    ]
    return {
        "relevant_from": report.relevant_from,
        "graded": report.graded,
        "no_grade": report.no_grade,
        "contradictions": contradictions,
    }


def _taken(
    report: Report,
    columns: Sequence[str],
    rows: Callable[[Report], Iterable[Row]],
    latex: Callable[[Report], str],
    said: Callable[[Report], Said],
) -> Export:
    """A report with what JSON says beside its rows.

    `relevant_from` is the line between relevant and not: where all grades are compared it still says which
    differences lie across it, and what precision, recall and shares of relevant count.
    """

    def data() -> Said:
        drawn = {"rounds": report.rounds, "seed": report.seed}
        listed = [dict(zip(columns, row, strict=True)) for row in rows(report)]
        return said(report) | drawn | {"rows": listed}

    return Export(tuple(columns), partial(rows, report), data, partial(latex, report))
