"""The report on a collection as Markdown: tables, and in sentences what may and may not be concluded."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from workbench.agreement.estimates import BANDS, Estimate
from workbench.consensus.rules import RULES
from workbench.figures import between, counted, percent, share_of
from workbench.trust.judges import EQUAL, OtherJudges, verdict
from workbench.trust.runs import OtherRuns
from workbench.workflow.trust.collection_report import CollectionReport, NotKnown, SizeRange


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


_MARKS = re.compile(r"([\\`*_\[\]<>|#~&])")
DASH = "–"


def report_markdown(report: CollectionReport) -> str:
    """The whole report, its title first; ends with a line feed."""
    parts = [
        [f"# Report on the test collection: {escaped(report.name)}"],
        [_state(report)],
        _section("What may and may not be concluded", [_listed(conclusions(report))]),
        _section("Size", _size(report)),
        _section("Pools", _pools(report)),
        _section("Judgments", _judgments(report)),
        _section("Agreement of the assessors", _agreement(report)),
        _section("Qrels", _qrels(report)),
        _section("Stability", _stability(report)),
    ]
    return "\n\n".join(block for part in parts for block in part) + "\n"


def escaped(text: str) -> str:
    """A text of people in one line, in which nothing is Markdown.

    >>> escaped("a_b |\\nc")
    'a\\\\_b \\\\| c'
    """
    return _MARKS.sub(r"\\\1", " ".join(text.split()))


def _section(title: str, blocks: Iterable[str]) -> list[str]:
    return [f"## {title}", *blocks]


def _listed(sentences: Iterable[str]) -> str:
    return "\n".join(f"- {escaped(one)}" for one in sentences)


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [columns, ["---", *["---:"] * (len(columns) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _state(report: CollectionReport) -> str:
    coverage = report.coverage
    words = (
        f"As of {report.at:%d %B %Y, %H:%M} UTC. {coverage.pairs:,} of "
        f"{counted(coverage.pooled, 'pooled pair')} "
        f"({share_of(coverage.pairs, coverage.pooled)}) are in the qrels, on {coverage.topics:,} of "
        f"{counted(coverage.all_topics, 'topic')}."
    )
    return words if coverage.whole else f"**Provisional.** {words}"


def _size(report: CollectionReport) -> Iterator[str]:
    size = report.size
    listed = "not known: no list of docnos was loaded" if size.listed is None else f"{size.listed:,}"
    yield _table(("Count", "Number"), [
        ("Documents of the collection", listed),
        ("Documents whose text was loaded", f"{size.documents.n:,}"),
        ("Topics", f"{size.titles.n:,}"),
        ("Topics in the qrels", f"{size.judged.n:,}"),
        ("Topics in the qrels without a relevant document", f"{size.without_relevant:,}"),
    ])  # fmt: skip
    rows = (
        ("Words a loaded document", size.documents),
        ("Words a topic title", size.titles),
        ("Words a topic, all fields", size.statements),
        ("Judged documents a topic", size.judged),
        ("Relevant documents a topic", size.relevant),
    )
    columns = ("Size", "n", "Median", "Mean", "Smallest", "Largest")
    yield _table(columns, [(label, *_range(sizes)) for label, sizes in rows])
    yield (
        "Words are separated by white space and counted without tags. Judged and relevant are counted in "
        "the qrels."
    )


def _range(sizes: SizeRange) -> tuple[str, ...]:
    if not sizes.n:
        return ("0", *[DASH] * 4)
    figures = decimals(sizes.median, 1), decimals(sizes.mean, 1)
    return (f"{sizes.n:,}", *figures, f"{sizes.low:,}", f"{sizes.high:,}")


def _pools(report: CollectionReport) -> Iterator[str]:
    groups = f" of {counted(report.groups, 'group')}" if report.groups else ""
    yield f"{counted(report.runs, 'run')}{groups} can be ranked; runs that were set aside are not counted."
    if not report.pools:
        yield "No pool was opened: which documents the judgments cover is not known."
        return
    yield _table(
        ("Pool", "Recipe", "Runs", "Pairs", "Added by hand", "State"),
        [
            (
                *(
                    escaped(line.name),
                    escaped(line.recipe) + (", supplementary" if line.supplementary else ""),
                ),
                *(f"{len(line.tags):,}", f"{line.pairs:,}", f"{line.added:,}", str(line.state)),
            )
            for line in report.pools
        ],
    )


def _judgments(report: CollectionReport) -> Iterator[str]:
    if not report.assessors:
        yield "Nothing is judged yet."
        return
    yield _table(
        ("Assessor", "Grades", "Unsure", "Cannot judge"),
        [
            (
                escaped(one.name) + (" (machine)" if one.machine else ""),
                *(f"{number:,}" for number in (one.grades, one.unsure, one.cannot_judge)),
            )
            for one in report.assessors
        ],
    )
    yield (
        f"{report.shared:,} of {counted(report.graded, 'pair')} with a grade of a person "
        f"({share_of(report.shared, report.graded)}) have grades of two people or more."
    )


def _agreement(report: CollectionReport) -> Iterator[str]:
    if isinstance(report.agreement, NotKnown):
        yield f"Not known: {escaped(report.agreement.reason)}."
        return
    yield _table(
        ("Coefficient", "Value", "95 % interval", "Pairs", "Verdict"),
        [_estimate(one) for one in report.agreement],
    )
    yield (
        "People only, of their independent judgments, relevant or not; intervals by bootstrap over topics. "
        f"{BANDS}"
    )


def _estimate(one: Estimate) -> tuple[str, ...]:
    bounds = one.interval
    between = DASH
    if bounds is not None and bounds.low is not None and bounds.high is not None:
        between = f"{decimals(bounds.low, 3)} to {decimals(bounds.high, 3)}"
    value = "undefined" if one.value is None else decimals(one.value, 3)
    verdict = escaped(one.found.undefined) if one.band is None else str(one.band)
    return escaped(one.label), value, between, f"{one.found.n:,}", verdict


def _qrels(report: CollectionReport) -> Iterator[str]:
    choice, found = report.qrels.choice, report.qrels.summary
    rule = RULES[choice.rule]
    parameters = ", ".join(f"{name} {value}" for name, value in choice.parameters().items() if value)
    machines = " Machine judgments count as votes." if choice.machines else ""
    yield (
        f"Consensus rule: **{rule.label}**{f' ({escaped(parameters)})' if parameters else ''}: "
        f"{escaped(rule.help)}.{machines} Grades from {found.relevant_from} on count as relevant."
    )
    rows = [(f"Grade {grade}", f"{count:,}") for grade, count in found.by_grade]
    rows += [
        ("Pairs settled", f"{found.settled:,}"),
        ("of these by an adjudicator", f"{found.adjudicated:,}"),
    ]
    rows += [(f"Left: {escaped(reason)}", f"{count:,}") for reason, count in found.left]
    yield _table(("Lines of the qrels", "Pairs"), rows)
    if found.adjudicated and report.disputes_left:
        yield (
            f"Not decided: {counted(report.disputes_left, 'disputed pair')}. Those decided came first "
            "since they could change most: how often an adjudicator "
            "changed a grade is not typical of all."
        )


def _stability(report: CollectionReport) -> Iterator[str]:
    yield f"Runs are ranked by {escaped(report.measure)} unless another measure is named."
    yield _table(("Question", "Figure", "95 % interval", "n"), [*_answers(report)])
    if not isinstance(report.depth, NotKnown):
        advice = [(one.topic, str(one.advice)) for one in report.depth.topics]
        wanting = [topic for topic, word in advice if word in {"judge deeper", "judge the pool first"}]
        if wanting:
            yield (
                f"Topics with documents within depth {report.depth.question.depth} that have no grade in the "
                "qrels, or where a deeper pool is expected to find relevant documents "
                f"({len(wanting):,} of {len(advice):,}): "
                f"{', '.join(map(escaped, wanting))}."
            )


def _answers(report: CollectionReport) -> Iterator[tuple[str, str, str, str]]:
    """A row for each figure; where there is none, the reason."""
    trust = report.trust
    judges = trust if isinstance(trust, NotKnown) else trust.judges
    if judges is None or isinstance(judges, NotKnown) or judges.mixtures is None:
        yield "Other judges", _reason(judges, "only one assessor has given grades"), DASH, DASH
    else:
        tau = judges.mixtures.coefficients["tau_b"]
        n = f"{judges.mixtures.drawn:,} mixtures of {len(judges.assessors):,} assessors, {judges.runs:,} runs"
        yield "Other judges: mean tau b", _number(tau.mean), _between(tau.low, tau.high), n
    others = trust if isinstance(trust, NotKnown) else trust.runs
    if others is None or isinstance(others, NotKnown) or others.expected is None:
        yield "Other runs", _reason(others, "no run has contributed judged documents to a pool"), DASH, DASH
    else:
        loss = others.expected
        n = f"{loss.runs:,} runs of {loss.groups:,} groups"
        mean, bounds = percent(loss.mean, 1), between(loss.interval.low, loss.interval.high, 1)
        yield "Other runs: mean share of the score lost without its own group", mean, bounds, n
    if isinstance(report.depth, NotKnown):
        yield "A deeper pool", _reason(report.depth), DASH, DASH
    else:
        depth, share = report.depth, report.depth.share_interval
        asked = depth.question
        label = f"A deeper pool: relevant documents of depth {asked.deeper} found at {asked.depth}"
        bounds = DASH if share is None else between(*share, 1)
        yield label, percent(depth.share_found, 1), bounds, counted(len(depth.topics), "topic")
    if isinstance(report.holes, NotKnown):
        yield "Holes", _reason(report.holes), DASH, DASH
    else:
        for one in report.holes.overall():
            n = f"{one.judged:,} of {one.retrieved:,} documents, {len(report.holes.runs):,} runs"
            yield f"Holes: judged@{one.cutoff}", percent(one.share, 1), DASH, n
            least = percent(one.least, 1)
            yield f"Holes: judged@{one.cutoff}, lowest run", least, DASH, escaped(one.least_of)
    if isinstance(report.topics, NotKnown):
        yield "Fewer topics", _reason(report.topics), DASH, DASH
        return
    topics = report.topics
    trusted, reliable, n = topics.trusted[-1], topics.reliability, counted(topics.topics, "topic")
    difference = "none" if trusted.difference is None else decimals(trusted.difference, 2)
    yield "Fewer topics: smallest trusted difference, extrapolated", difference, DASH, n
    yield "Fewer topics: reliability", _number(reliable.value), DASH, n


def _reason(found: NotKnown | object | None, otherwise: str = "") -> str:
    return f"not known: {escaped(found.reason if isinstance(found, NotKnown) else otherwise)}"


def _number(value: float | None) -> str:
    return "undefined" if value is None else decimals(value, 3)


def _between(low: float | None, high: float | None) -> str:
    return DASH if low is None or high is None else f"{decimals(low, 3)} to {decimals(high, 3)}"
