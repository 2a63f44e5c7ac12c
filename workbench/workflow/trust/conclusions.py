"""What may and may not be concluded from a collection: plain sentences, chosen by its figures."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.figures import between, counted, percent, share_of
from workbench.trust.judges import EQUAL, OtherJudges, verdict
from workbench.trust.runs import OtherRuns
from workbench.workflow.trust.collection_report import CollectionReport, NotKnown


def conclusions(report: CollectionReport) -> Iterator[str]:
    """The sentences, the most general first; each has its figures with n or interval, or why there are none.

    Rankings are equivalent, similar or different as on every page (`trust.judges.verdict`).
    """
    if not report.coverage.whole:
        yield (
            f"Every figure is provisional: {report.coverage.pairs:,} of {report.coverage.pooled:,} pooled "
            "pairs are in the qrels."
        )
    yield from _of_differences(report)
    yield from _of_judges(report)
    yield from _of_other_runs(report)
    yield from _of_holes(report)
    yield from _of_depth(report)


def _of_differences(report: CollectionReport) -> Iterator[str]:
    found = report.topics
    if isinstance(found, NotKnown):
        yield f"Which difference between two runs is reliable is not known: {found.reason}."
        return
    trusted, pairs = found.trusted[-1], found.runs * (found.runs - 1) // 2
    if trusted.difference is None:
        yield (
            f"With {counted(found.topics, 'topic')} no difference between two mean scores is reliable: "
            f"other topics would reverse more than {percent(found.splitting.most_swapped)} of them."
        )
        return
    yield (
        f"Differences of {decimals(trusted.difference, 2)} or more in mean {report.measure} over the "
        f"{counted(found.topics, 'topic')} are reliable: at most {percent(found.splitting.most_swapped)} of "
        f"other sets of topics would reverse them (extrapolated). "
        f"{trusted.pairs:,} of {counted(pairs, 'pair')} of these runs are so far apart; a smaller difference "
        "needs a test of the two runs."
    )


def _of_judges(report: CollectionReport) -> Iterator[str]:
    judges = None if isinstance(report.trust, NotKnown) else report.trust.judges
    if judges is None or judges.mixtures is None:
        reason = (
            report.trust.reason if isinstance(report.trust, NotKnown) else "only one assessor gave grades"
        )
        yield f"Whether other assessors would rank the runs alike is not known: {reason}."
        return
    yield from _of_mixtures(report, judges)


def _of_mixtures(report: CollectionReport, judges: OtherJudges) -> Iterator[str]:
    assert judges.mixtures is not None  # noqa: S101 - the caller looked
    tau = judges.mixtures.coefficients["tau_b"]
    if tau.mean is None or tau.low is None or tau.high is None:
        yield "Whether other assessors would rank the runs alike is not known: the qrels tie all runs."
        return
    alone = judges.two_alone
    if alone is not None and (of_two := alone.coefficients.get("tau_b")) is not None:
        yield (
            f"Two assessors, one against the other, rank the runs with tau b {decimals(of_two, 3)} over "
            f"{counted(alone.topics, 'topic')}."
        )
    word = verdict(tau.mean)
    figures = (
        f"tau b {decimals(tau.mean, 3)}, 95 % of {judges.mixtures.drawn:,} mixtures of "
        f"{len(judges.assessors):,} assessors {decimals(tau.low, 3)} to {decimals(tau.high, 3)}, "
        f"{counted(judges.runs, 'run')}, {counted(judges.topics, 'topic')}"
    )
    partly = report.shared < report.graded
    # Where few pairs were shared, equivalent rankings are no evidence that the assessors do not matter.
    may = "" if partly and tau.mean >= EQUAL else f" {_MAY[word]}"
    pairs, swapped = judges.runs * (judges.runs - 1) // 2, judges.mixtures.swapped.mean
    if swapped is not None:
        figures += f"; on average {decimals(swapped, 1)} of {counted(pairs, 'pair')} of runs swap"
    yield f"With other judges the ranking of the runs is {word} ({figures}).{may}"
    if partly:
        yield (
            f"That tau is too optimistic: only {report.shared:,} of {report.graded:,} graded pairs "
            f"({share_of(report.shared, report.graded)}) were judged by two people or more; on the others "
            f"no assessor can differ from the qrels. Do not conclude that the choice of assessors makes no "
            f"difference."
        )


_MAY = {
    "equivalent": "The choice of assessors seldom decides which of two runs is better, except where they "
    "are close; do not compare these scores with scores by other qrels.",
    "similar": "Which of two runs is better may depend on who judged: draw conclusions only about runs that "
    "are clearly apart.",
    "different": "Which of two runs is better depends on who judged: do not conclude it from these qrels "
    "alone.",
    "undefined": "",
}


def _of_other_runs(report: CollectionReport) -> Iterator[str]:
    others = None if isinstance(report.trust, NotKnown) else report.trust.runs
    if others is None or others.expected is None:
        yield "Whether a run that was not pooled is scored fairly is not known: no run could be left out."
        return
    yield from _of_groups(others)
    loss = others.expected
    interval = (
        ""
        if loss.interval.low is None or loss.interval.high is None
        else f", 95 % interval of the loss over groups {between(loss.interval.low, loss.interval.high, 1)}"
    )
    change = "lose" if loss.mean >= 0 else "gain"
    yield (
        f"Expect a run that was not pooled to {change} {percent(abs(loss.mean), 1)} of its score "
        f"({loss.runs:,} runs of {counted(loss.groups, 'group')}{interval}): report the judged share of its "
        "documents beside its score."
    )


def _of_groups(others: OtherRuns) -> Iterator[str]:
    taus = [one.tau for one in others.groups if one.tau is not None]
    if taus:
        yield (
            "Without the documents that any one group alone contributed, the ranking is "
            f"{verdict(min(taus))} at "
            f"worst (lowest tau b {decimals(min(taus), 3)} of {counted(len(taus), 'group')}, "
            f"{counted(others.runs, 'run')}, {counted(others.topics, 'topic')})."
        )


def _of_holes(report: CollectionReport) -> Iterator[str]:
    found = report.holes
    if isinstance(found, NotKnown):
        yield f"How much of the runs is judged is not known: {found.reason}."
        return
    settled = found.settled(0)
    if settled is None:
        yield (
            f"How far unjudged documents could change {found.runs[0].scores[0].measure} is not known: its "
            f"extremes have no formula here ({counted(len(found.runs), 'run')})."
        )
    else:
        yield (
            f"Whatever the unjudged documents are, {settled[0]:,} of {counted(settled[1], 'pair')} of runs "
            f"keep their order by {found.runs[0].scores[0].measure}; the order of the others is not certain."
        )


def _of_depth(report: CollectionReport) -> Iterator[str]:
    found = report.depth
    if isinstance(found, NotKnown):
        yield (
            "Which share of all relevant documents was found is not known, so that recall is relative to the "
            f"judged ones: {found.reason}."
        )
        return
    depth, deeper, share = found.question.depth, found.question.deeper, found.share_interval
    interval = "no interval" if share is None else f"95 % interval {between(*share, 1)}"
    yield (
        f"The pool of depth {depth} has an estimated {percent(found.share_found, 1)} of the relevant "
        "documents of one "
        f"of depth {deeper} ({interval}, {counted(len(found.topics), 'topic')}). Beyond that depth, and of "
        "documents that no run retrieved, nothing is known: recall is relative to the judged documents."
    )
    if found.judged < found.pooled:
        yield (
            f"{found.pooled - found.judged:,} of {found.pooled:,} documents within depth {depth} have no "
            "grade in the qrels: that share is less certain than its interval says."
        )


def decimals(value: float, places: int) -> str:
    """A figure with a true minus, and no minus before nothing."""
    return f"{round(value, places) + 0.0:.{places}f}".replace("-", "−")
