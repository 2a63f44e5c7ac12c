"""Two releases of a collection compared: which pairs differ, and what that does to the runs."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import chain
from math import isnan

import numpy as np

from workbench.formats.runs import read_run
from workbench.frozen import frozen_dataclass
from workbench.pooling.pool import Pair, each_tag_once
from workbench.records import Run, grades_of, id_bytes, pair_of, sorted_ids, sorted_pairs
from workbench.releases.contents import ReleaseAbout, ReleaseContents, ReleaseRule
from workbench.releases.zipped import ZippedRelease
from workbench.scoring.measures import at_threshold
from workbench.scoring.pairs_of_runs import compare_all
from workbench.scoring.rank_correlation import RankingComparison, compare_rankings
from workbench.scoring.relevance import Floats
from workbench.scoring.scorer import Scorer
from workbench.tables import Export, table_export
from workbench.trust.alternatives import ranking_measure

MEASURE = "AP"
ALPHA = 0.05
ADJUDICATION, DISCUSSION, JUDGMENT, RULE = "adjudication", "discussion", "judgment", "rule"
BEFORE, AFTER = "before", "after"


@frozen_dataclass
class ChangedPair:
    """A pair whose grade differs, None where a release has no line for it.

    `decided_by` says what is new about it in the second release: an adjudication, an answer in a discussion,
    another judgment, or nothing but the rule of the qrels; `decided_at` is when the latest of it was
    recorded.
    """

    topic: str
    docno: str
    before: int | None
    after: int | None
    decided_by: str
    decided_at: datetime | None


@frozen_dataclass
class RunEffect:
    """A run with its score and rank (from 1; of a tie all have the best) under both releases."""

    tag: str
    before: float
    after: float
    rank_before: int
    rank_after: int


@frozen_dataclass
class SwapTest:
    """Two runs that change places: `ahead` is ahead before by `gaps[0]`, `behind` after by `gaps[1]`.

    `p` are those of the paired t tests under both releases, two-sided and corrected by Holm for all pairs of
    runs; None where the difference is the same on every topic, or there are fewer than two topics.
    """

    ahead: str
    behind: str
    gaps: tuple[float, float]
    p: tuple[float | None, float | None]

    @property
    def significant(self) -> tuple[bool, bool]:
        """Whether the difference is significant before and after, at ALPHA."""
        before, after = (one is not None and one <= ALPHA for one in self.p)
        return before, after


@frozen_dataclass
class RankingEffect:
    """What a change of the qrels does to the runs that could be scored, by a measure, best of `after` first.

    `topics` are how many the qrels of both have; `swaps` are the runs that change places, first those whose
    difference is significant under either release.
    """

    measure: str
    topics: tuple[int, int]
    runs: tuple[RunEffect, ...]
    comparison: RankingComparison
    swaps: tuple[SwapTest, ...] = ()


@frozen_dataclass
class GradeTable:
    """Pairs by their grade before, one row each, and after, one of `columns` each; None is no line."""

    columns: tuple[int | None, ...]
    rows: tuple[tuple[int | None, tuple[int, ...]], ...]


@frozen_dataclass
class ReleaseComparison:
    """What differs from the first release to the second; pairs are sorted by topic and docno (bytes).

    `grades` counts the pairs that both have by both grades, equal ones too. Of the `changed` pairs `gained`
    became relevant and `lost` are no longer. `ranking` is None where no run could be scored, `not_ranked`
    why.
    """

    first: ReleaseAbout
    second: ReleaseAbout
    rules: tuple[ReleaseRule, ReleaseRule]
    lines: tuple[int, int]
    added: tuple[ChangedPair, ...]
    removed: tuple[ChangedPair, ...]
    changed: tuple[ChangedPair, ...]
    grades: tuple[tuple[int, int, int], ...]
    gained: int
    lost: int
    ranking: RankingEffect | None
    not_ranked: str

    @property
    def grade_table(self) -> GradeTable:
        """How many pairs have each grade before and after; None stands for no line."""
        counts: Counter[tuple[int | None, int | None]] = Counter(
            {(one, other): count for one, other, count in self.grades}
        )
        counts.update((None, pair.after) for pair in self.added)
        counts.update((pair.before, None) for pair in self.removed)
        columns = tuple(_grades_in({after for _, after in counts}))
        rows = _grades_in({before for before, _ in counts})
        return GradeTable(columns, tuple((row, tuple(counts[row, one] for one in columns)) for row in rows))


ComparedRelease = ReleaseContents | ZippedRelease
"""A release in memory, or one that is read part by part."""


def compare_releases(
    first: ComparedRelease,
    second: ComparedRelease,
    *,
    runs: Iterable[Run] | None = None,
    measure: str = MEASURE,
) -> ReleaseComparison:
    """Compare two releases; the runs are those given, else those that either of them includes.

    In memory are the qrels of both, and one run at a time.
    A measure that needs a relevance threshold takes that of each release's qrels unless it names one. Raises
    WorkbenchError for an unknown measure, more than one, and one that is better the lower it is.
    """
    ranking_measure(measure)
    before, after = grades_of(first.qrels), grades_of(second.qrels)
    both = before.keys() & after.keys()
    threshold = first.rule.relevant_from, second.rule.relevant_from
    changed = sorted_pairs(pair for pair in both if before[pair] != after[pair])
    added, removed = sorted_pairs(after.keys() - both), sorted_pairs(before.keys() - both)
    news = _News(first, second, frozenset((*changed, *added, *removed)))
    scored = included_runs(first, second) if runs is None else runs
    table = Counter((before[pair], after[pair]) for pair in both)
    ranking, why = _ranking(first, second, scored, measure)
    return ReleaseComparison(
        first=first.about,
        second=second.about,
        rules=(first.rule, second.rule),
        lines=(len(first.qrels), len(second.qrels)),
        added=news.of(added, before, after),
        removed=news.of(removed, before, after),
        changed=news.of(changed, before, after),
        grades=tuple((one, other, count) for (one, other), count in sorted(table.items())),
        gained=sum(before[pair] < threshold[0] and after[pair] >= threshold[1] for pair in both),
        lost=sum(before[pair] >= threshold[0] and after[pair] < threshold[1] for pair in both),
        ranking=ranking,
        not_ranked=why,
    )


def included_runs(*releases: ComparedRelease) -> Iterator[Run]:
    """The runs that releases include, by tag; of a tag that several have the run of the last one."""
    found = {tag: files for files in (one.run_files for one in releases) for tag in files}
    for tag in sorted_ids(found):
        yield read_run(io.BytesIO(found[tag][tag]), source=tag).run


def comparison_export(found: ReleaseComparison) -> Export:
    """Every pair that differs: its grades, an empty one where a release has no line, and what decided it."""
    columns = ("topic", "docno", "change", "before", "after", "decided_by", "decided_at")
    kinds = (("added", found.added), ("removed", found.removed), ("changed", found.changed))
    rows = [
        (
            one.topic,
            one.docno,
            kind,
            one.before,
            one.after,
            one.decided_by,
            None if one.decided_at is None else one.decided_at.isoformat(timespec="seconds"),
        )
        for kind, pairs in kinds
        for one in pairs
    ]
    return table_export(columns, rows)


class _News:
    """What the second release knows of some pairs that the first one did not."""

    def __init__(self, first: ComparedRelease, second: ComparedRelease, pairs: frozenset[Pair]) -> None:
        known = {(one.topic, one.docno, one.assessor, one.recorded_at) for one in first.answers_about(pairs)}
        decided = {(one.topic, one.docno, one.recorded_at) for one in first.decisions_about(pairs)}
        self.latest: dict[Pair, tuple[str, datetime]] = {}
        for one in second.answers_about(pairs):
            pair = pair_of(one)
            if (*pair, one.assessor, one.recorded_at) not in known:
                kind = DISCUSSION if one.purpose == "discussion" else JUDGMENT
                self._note(pair, kind, one.recorded_at)
        for decision in second.decisions_about(pairs):
            pair = pair_of(decision)
            if (*pair, decision.recorded_at) not in decided:
                self._note(pair, ADJUDICATION, decision.recorded_at)

    def _note(self, pair: Pair, kind: str, at: datetime) -> None:
        if pair not in self.latest or at >= self.latest[pair][1]:
            self.latest[pair] = (kind, at)

    def of(
        self, pairs: Iterable[Pair], before: Mapping[Pair, int], after: Mapping[Pair, int]
    ) -> tuple[ChangedPair, ...]:
        """Pairs that differ, with what is new about each."""
        return tuple(
            ChangedPair(*pair, before.get(pair), after.get(pair), *self.latest.get(pair, (RULE, None)))
            for pair in pairs
        )


def _ranking(
    first: ComparedRelease, second: ComparedRelease, runs: Iterable[Run], measure: str
) -> tuple[RankingEffect | None, str]:
    each = iter(runs)
    some = next(each, None)
    if some is None:
        return None, "neither release includes runs"
    if not first.qrels or not second.qrels:
        return None, "a release has no qrels lines"
    scored = _scores((first, second), chain([some], each), measure)
    scores = {name: means for name, (means, _) in scored.items()}
    (compared,) = compare_rankings(scores)
    rank_before, rank_after = compared.ranks
    effects = [
        RunEffect(tag, scores[BEFORE][tag], scores[AFTER][tag], rank_before[tag], rank_after[tag])
        for tag in scores[BEFORE]
    ]
    effects.sort(key=lambda one: (one.rank_after, one.rank_before, id_bytes(one.tag)))
    topics = len({one.topic for one in first.qrels}), len({one.topic for one in second.qrels})
    p_before, p_after = (_p_values(list(means), by_topic) for means, by_topic in scored.values())
    swaps = []
    for one in compared.swaps:
        pair = frozenset((one.ahead, one.behind))
        swaps.append(SwapTest(one.ahead, one.behind, one.gap, (p_before.get(pair), p_after.get(pair))))
    swaps.sort(key=lambda one: not any(one.significant))
    return RankingEffect(measure, topics, tuple(effects), compared, tuple(swaps)), ""


def _p_values(tags: Sequence[str], scores: Floats) -> dict[frozenset[str], float]:
    """The p of every two runs by their `scores` (topics, runs), corrected for all of them.

    None for fewer than two topics or runs.
    """
    if min(scores.shape) < 2:
        return {}
    compared = compare_all(scores)
    pairs = zip(compared.first.tolist(), compared.second.tolist(), compared.adjusted.tolist(), strict=True)
    return {frozenset((tags[one], tags[other])): p for one, other, p in pairs if not isnan(p)}


def _scores(
    releases: tuple[ComparedRelease, ComparedRelease], runs: Iterable[Run], measure: str
) -> dict[str, tuple[dict[str, float], Floats]]:
    """The means under both releases by tag, and the scores (topics, runs); each run is read once."""
    given = ranking_measure(measure)
    named = [at_threshold(given, one.rule.relevant_from) for one in releases]
    scorers = [Scorer(one.qrels, [name]) for one, name in zip(releases, named, strict=True)]
    scored = {run.tag: [one.score(run) for one in scorers] for run in each_tag_once(runs)}
    found = {}
    for at, (when, name) in enumerate(zip((BEFORE, AFTER), map(str, named), strict=True)):
        columns = [list(one[at].per_topic[name].values()) for one in scored.values()]
        means = {tag: one[at].values[name] for tag, one in scored.items()}
        found[when] = means, np.array(columns, dtype=np.float64).T
    return found


def _grades_in(found: Iterable[int | None]) -> list[int | None]:
    """Grades, the lowest first, no line last."""
    return sorted(found, key=lambda grade: (grade is None, grade or 0))
