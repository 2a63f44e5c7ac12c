"""The report on a collection as Markdown: tables, and in sentences what may and may not be concluded."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from workbench.agreement.estimates import BANDS, Estimate
from workbench.consensus.rules import RULES
from workbench.figures import between, counted, percent, share_of
from workbench.workflow.trust.collection_report import CollectionReport, NotKnown, SizeRange
from workbench.workflow.trust.conclusions import conclusions, decimals

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
