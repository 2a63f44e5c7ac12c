"""The reports by topic, over time, of machines and of self-consistency as they are taken along."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Protocol

from workbench.agreement.drift import INTERVALS
from workbench.workflow.agreement.by_topic import TOPIC_COLUMNS, TopicsReport, topic_rows
from workbench.workflow.agreement.machines import MACHINE_COLUMNS, MachinesReport, machine_rows
from workbench.workflow.agreement.over_time import TIME_COLUMNS, TimeReport, time_rows
from workbench.workflow.agreement.repeats import REPEAT_COLUMNS, ConsistencyReport, repeat_rows
from workbench.workflow.agreement.report_latex import (
    machines_latex,
    repeats_latex,
    time_latex,
    topics_latex,
)

Row = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Taken:
    """A report as a table, as what JSON says beside its rows, and as LaTeX.

    `relevant_from` is the line between relevant and not: where all grades are compared it still says which
    differences lie across it, and what precision, recall and shares of relevant count.
    """

    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    said: Mapping[str, object]
    latex: str

    @property
    def data(self) -> dict[str, object]:
        """All of it as plain data for JSON, with all digits."""
        return {**self.said, "rows": [dict(zip(self.columns, row, strict=True)) for row in self.rows]}


def topics_taken(report: TopicsReport) -> Taken:
    """The report by topic."""
    entering = report.entering
    return _taken(
        report,
        TOPIC_COLUMNS,
        topic_rows(report),
        topics_latex(report),
        relevant_from=entering.relevant_from,
        graded=entering.graded,
        entering=entering.sentence,
        assessors=[voice.name for voice in entering.assessors],
        by=report.by,
        mean_over_topics={mean.name: mean.value for mean in report.means},
        topics_without_value={mean.name: mean.left_out for mean in report.means},
        all_pairs_together={found.name: found.value for found in report.together},
        topics_without_pairs=[topic for topic, _ in report.without],
    )


def time_taken(report: TimeReport) -> Taken:
    """The report over time."""
    trends = {
        one.name: {
            "judgments": one.judgments,
            "sittings": one.sittings,
            **{name: asdict(trend) for name, trend in one.trends.items()},
        }
        for one in report.assessors
    }
    return _taken(
        report,
        TIME_COLUMNS,
        time_rows(report),
        time_latex(report),
        relevant_from=report.relevant_from,
        graded=report.graded,
        gap_minutes=report.gap_minutes,
        bin=report.bin,
        intervals=INTERVALS,
        trends=trends,
        imported=list(report.imported),
    )


def machines_taken(report: MachinesReport) -> Taken:
    """The report on machines against people."""
    majorities = {
        one.machine: {"tied": one.lines[0].tied, "one_person": one.lines[0].alone}
        for one in report.machines
        if one.lines
    }
    return _taken(
        report,
        MACHINE_COLUMNS,
        machine_rows(report),
        machines_latex(report),
        relevant_from=report.relevant_from,
        graded=report.graded,
        categories=list(report.categories),
        majority=majorities,
    )


def repeats_taken(report: ConsistencyReport) -> Taken:
    """The report on self-consistency."""
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
    return _taken(
        report,
        REPEAT_COLUMNS,
        repeat_rows(report),
        repeats_latex(report),
        relevant_from=report.relevant_from,
        graded=report.graded,
        no_grade=report.no_grade,
        contradictions=contradictions,
    )


class _Drawn(Protocol):
    """A report of which intervals were drawn."""

    @property
    def rounds(self) -> int: ...

    @property
    def seed(self) -> int: ...


def _taken(report: _Drawn, columns: Sequence[str], rows: Iterable[Row], latex: str, **said: object) -> Taken:
    drawn = {"rounds": report.rounds, "seed": report.seed}
    return Taken(tuple(columns), tuple(rows), said | drawn, latex)
