"""The reports by topic, over time, of machines and of self-consistency as LaTeX tables (booktabs)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from workbench.agreement.against_people import Share, Valued
from workbench.agreement.course import Bin
from workbench.agreement.drift import INTERVALS, Trend
from workbench.agreement.report.latex_table import (
    between,
    bounds,
    document,
    drawn,
    escaped,
    number,
    percent,
    table,
)
from workbench.agreement.self_consistency import Consistency
from workbench.agreement.several.bootstrap import LEVEL, Interval
from workbench.agreement.several.entering import relevant_or_not
from workbench.workflow.agreement.by_topic import TopicsReport
from workbench.workflow.agreement.machines import MachineLine, MachinesReport
from workbench.workflow.agreement.over_time import TimeReport
from workbench.workflow.agreement.repeats import ConsistencyReport

_SMALL = r"\footnotesize"
_KAPPAS = ("Observed", r"Pooled $\kappa$", r"Unpooled $\kappa$")


class Drawn(Protocol):
    """A report of which intervals were drawn."""

    @property
    def rounds(self) -> int: ...

    @property
    def seed(self) -> int: ...


def topics_latex(report: TopicsReport) -> str:
    """Every topic with its coefficients and intervals, the lowest first, and the means over topics."""
    rows = [
        (
            escaped(line.topic),
            f"{line.found.n:,}",
            f"{line.found.disputed:,}",
            *(
                _with(found.value, interval)
                for found, interval in zip(line.found.coefficients, line.found.intervals, strict=True)
            ),
        )
        for line in report.lines
    ]
    rows.append(("Mean over topics", "", "", *(number(mean.value) for mean in report.means)))
    rows.append(("All pairs together", "", "", *(number(one.value) for one in report.together)))
    method = report.lines[0].found.intervals[0].method if report.lines else ""
    caption = (
        f"Agreement by topic: {escaped(report.entering.sentence)}; {report.entering.grades_in_words}. "
        f"{_drawn(report, method)}"
    )
    heads = ("Topic", "$n$", "Disputed", *_KAPPAS, r"$\alpha$", "AC1")
    return document(table("lrrrrrrr", heads, rows, caption, "tab:agreement-topics", size=_SMALL))


def time_latex(report: TimeReport) -> str:
    """Everybody's trends within the sitting and over the days, then the bins that stand behind them."""
    trends = [
        (
            escaped(one.name),
            f"{one.compared:,}",
            f"{one.sittings:,}",
            _trend(one.fatigue, 10),
            number(one.fatigue.p),
            _trend(one.relevance, 10),
            number(one.relevance.p),
            "--" if one.slower is None else number(100 * one.slower, 1),
            _trend(one.drift, 1),
            number(one.drift.p),
        )
        for one in report.assessors
    ]
    caption = (
        "Agreement over time, in points of per cent: change of agreement and of the share of relevant over "
        "ten judgments of a sitting, of the active seconds over as many, of agreement over a day. A pause "
        f"of {report.gap_minutes} minutes begins a new sitting; $p$ by shuffling within what a sitting holds "
        f"of one topic. {_drawn(report, INTERVALS)}"
    )
    heads = ("Assessor", "Compared", "Sittings", "Agreement", "$p$", "Relevant", "$p$", r"Seconds \%")
    return document(
        table("lrrrrrrrrr", (*heads, "By day", "$p$"), trends, caption, "tab:agreement-time", size=_SMALL),
        _bins(
            report,
            "position in the sitting",
            [
                (one.name, f"{found.label * report.bin + 1}--{(found.label + 1) * report.bin}", found)
                for one in report.assessors
                for found in one.by_position
            ],
        ),
        _bins(
            report,
            "day",
            [(one.name, day.day.isoformat(), day.found) for one in report.assessors for day in one.by_day],
        ),
    )


def machines_latex(report: MachinesReport) -> str:
    """Every machine against the majority of people and against each person, weighted too where graded."""
    lines = [(one, line) for one in report.machines for line in one.lines]
    rows = [
        (
            escaped(one.machine),
            _against(line),
            f"{line.found.n:,}",
            f"{line.found.topics:,}",
            *map(_valued, line.found.valued),
            _share(line.found.precision),
            _share(line.found.recall),
        )
        for one, line in lines
    ]
    method = lines[0][1].found.valued[1].interval.method if lines else ""
    how = _drawn(report, method)
    compared = "all grades" if report.graded else relevant_or_not(report.relevant_from)
    caption = (
        f"Machines against people, on the pairs that both graded; {compared}. Pairs on which people are tied "
        f"are left out of their majority. {how} Intervals of precision and recall are Wilson's."
    )
    heads = ("Machine", "Against", "$n$", "Topics", *_KAPPAS, "AC1", "Precision", "Recall")
    made = [table("llrrrrrrrr", heads, rows, caption, "tab:agreement-machines", size=_SMALL)]
    if weighted := [one for one in lines if one[1].found.weighted]:
        made.append(
            table(
                "llrrr",
                ("Machine", "Against", *_KAPPAS[1:], "AC2"),
                [
                    (escaped(one.machine), _against(line), *map(_valued, line.found.weighted))
                    for one, line in weighted
                ],
                f"Machines against people with quadratic weights over the scale. {how}",
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
            _with(found.pooled.value, found.interval),
            number(found.unpooled.value),
            *(f"{count:,}" for count in (found.higher, found.lower, found.across)),
        )
        for one in report.assessors
        for against, found in one.found
        if found.n
    ]
    methods = [found.interval.method for one in report.assessors for _, found in one.found]
    caption = (
        "Self-consistency: every assessor against what the same assessor said before, and against known "
        "answers. Intervals of observed agreement are Wilson's. "
        f"{_drawn(report, methods[0] if methods else '')}"
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
        table("llrrrrrrr", heads, rows, caption, "tab:agreement-self", size=_SMALL),
        table("lrrrrr", own, changes, "What assessors changed of their own accord.", "tab:agreement-changes"),
    )


def _bins(report: TimeReport, by: str, found: Sequence[tuple[str, str, Bin]]) -> str:
    rows = [
        (
            escaped(name),
            label,
            f"{one.judgments:,}",
            f"{one.compared:,}",
            f"{number(one.agreement)} {between(one.low, one.high, 2)}".rstrip(),
            number(one.kappa),
            number(report.share_relevant(one)),
            number(one.seconds, 1),
        )
        for name, label, one in found
    ]
    caption = f"Agreement by {by}; {percent(LEVEL)} intervals of shares are Wilson's, seconds the median."
    label = f"tab:agreement-{by.split()[0]}"
    heads = ("Assessor", by.split()[0].capitalize(), "Judgments", "Compared", "Agreement")
    more = (r"Pooled $\kappa$", "Relevant", "Seconds")
    return table("llrrrrrr", (*heads, *more), rows, caption, label, size=_SMALL)


def _with(value: float | None, interval: Interval) -> str:
    return f"{number(value)} {bounds(interval, places=2)}".rstrip() if value is not None else "--"


def _valued(one: Valued) -> str:
    return _with(one.found.value, one.interval)


def _share(one: Share) -> str:
    return f"{number(one.value)} {between(one.low, one.high, 2)}".rstrip()


def _observed(found: Consistency) -> str:
    low, high = found.share or (None, None)
    return f"{number(found.observed)} {between(low, high, 2)}".rstrip()


def _trend(trend: Trend, steps: int) -> str:
    if trend.slope is None:
        return "--"
    low, high = (None if end is None else 100 * steps * end for end in (trend.low, trend.high))
    return f"{number(100 * steps * trend.slope, 1)} {between(low, high, 1)}".rstrip()


def _against(line: MachineLine) -> str:
    return "majority of people" if line.person is None else escaped(line.person)


def _drawn(report: Drawn, method: str) -> str:
    return drawn(method, level=LEVEL, rounds=report.rounds, seed=report.seed)
