"""The ranking of the runs under each consensus rule, and how it differs between every two."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ir_measures import Measure
from sqlalchemy.orm import Session

from workbench.consensus.rule_choice import RuleChoice, choice_name
from workbench.errors import WorkbenchError
from workbench.export import Export, streamed_export, table_export
from workbench.records import Verdict
from workbench.scoring.measures import at_threshold, parse_measures
from workbench.scoring.rank_correlation import RankingComparison, compare_rankings, each_swap, ranks
from workbench.scoring.scorer import higher_first
from workbench.workflow.caching import Cache
from workbench.workflow.qrels.rule_preview import RulePreview, Rules, SettledRule
from workbench.workflow.runs.run_records import ListedRun, listed_runs
from workbench.workflow.scores.rule_scores import RuleQrels, score_rules

MEASURE = "AP"
NO_QRELS = "it gives no line"


@dataclass(frozen=True, slots=True)
class RankingPreview:
    """The runs' scores under each rule's qrels, by rule, then run, and every two rules compared.

    `done` of `total` scores are known; as long as they are fewer, nothing is compared. `left_out` are rules
    without qrels, by name, with the reason.
    """

    measure: str
    scores: Mapping[str, Mapping[str, float]]
    comparisons: tuple[RankingComparison, ...]
    left_out: tuple[tuple[str, str], ...]
    done: int
    total: int

    @property
    def runs(self) -> int:
        """How many runs are ranked."""
        return len(next(iter(self.scores.values()), ()))

    @property
    def ranks(self) -> dict[str, dict[str, int]]:
        """The rank of every run under each rule, best first, by rule, then run."""
        turned = _higher_first(self.scores, _one_measure(self.measure))
        return {name: ranks(scores) for name, scores in turned.items()}

    def of(self, rule: str) -> dict[str, RankingComparison]:
        """The comparisons of one rule with the others, by the other's name."""
        return {
            other: found
            for found in self.comparisons
            for one, other in ((found.first, found.second), (found.second, found.first))
            if one == rule
        }


_Asked = tuple[tuple[tuple[str, tuple[tuple[str, str, str], ...]], ...], tuple[str, ...]]
_RANKED: Cache[_Asked, RankingPreview] = Cache(4)
"""The last whole rankings: of 1,000 runs under nine rules on 500 topics one takes 2 MB."""


def preview_ranking(
    db: Session,
    campaign_id: int,
    choices: Sequence[RuleChoice],
    *,
    measure: str = MEASURE,
    tags: Collection[str] | None = None,
    seconds: float | None = None,
    progress: Callable[[int, int], None] | None = None,
    patient: bool = False,
) -> RankingPreview:
    """The ranking of the runs under each rule, and how it differs between every two.

    A measure that needs a relevance threshold takes that of each rule's qrels unless it names one. Runs that
    were set aside are left out unless named. With `seconds` no second run is begun when these have passed:
    what was scored is remembered, and the next call goes on from there; `progress` is told after each run.
    `patient` is as in `preview_rules`.
    Raises WorkbenchError for an unknown measure or run, more measures than one, and where there are fewer
    than two runs.
    """
    parsed = _one_measure(measure)
    runs = _chosen(listed_runs(db, campaign_id), tags)
    every = Rules(db, campaign_id, patient=patient)
    rules: dict[str, SettledRule] = {}
    left_out: list[tuple[str, str]] = []
    for choice in choices:
        settled = every.settled(choice)
        if isinstance(settled, str):
            left_out.append((choice_name(choice), settled))
        elif settled.found.settled:
            rules[choice_name(choice)] = settled
        else:
            left_out.append((choice_name(choice), NO_QRELS))
    begin = time.monotonic()

    def go_on(done: int) -> bool:
        if progress is not None:
            progress(done, len(runs))
        return seconds is None or time.monotonic() - begin <= seconds

    qrels = {name: _qrels(settled, parsed) for name, settled in rules.items()}
    hashes = tuple(run.tag + run.sha256 for run in runs)
    key = tuple((name, one.keys) for name, one in qrels.items()), hashes
    known = _RANKED.peek(key)
    if known is not None:
        go_on(len(runs))
        return replace(known, measure=str(parsed), left_out=tuple(left_out))
    scores = score_rules(db, campaign_id, qrels, runs, go_on, kept=tags is None)
    done, total = sum(map(len, scores.values())), len(rules) * len(runs)
    found = RankingPreview(
        measure=str(parsed),
        scores=scores,
        comparisons=compare_rankings(_higher_first(scores, parsed)) if done == total else (),
        left_out=tuple(left_out),
        done=done,
        total=total,
    )
    if done == total:
        _RANKED.put(key, found)
    return found


def _qrels(settled: SettledRule, measure: Measure) -> RuleQrels:
    """The qrels for a measure, which takes their relevance threshold unless it names one."""
    topics = tuple(one for one in settled.topics if one.settled)
    return RuleQrels(at_threshold(measure, settled.found.relevant_from), topics)


def _higher_first(scores: Mapping[str, Mapping[str, float]], measure: Measure) -> dict[str, dict[str, float]]:
    return {name: higher_first(of_rule, str(measure)) for name, of_rule in scores.items()}


def _one_measure(text: str) -> Measure:
    parsed = parse_measures(text)
    if len(parsed) > 1:
        raise WorkbenchError(
            f"{len(parsed)} measures are named, and a ranking is by one", remedy=f"such as {MEASURE}"
        )
    return parsed[0]


def _chosen(runs: Sequence[ListedRun], tags: Collection[str] | None) -> list[ListedRun]:
    unknown = set(tags or ()) - {run.tag for run in runs}
    if unknown:
        raise WorkbenchError(f"there is no run {', '.join(sorted(unknown))} in this campaign")
    chosen = [
        run for run in runs if (run.verdict is not Verdict.SET_ASIDE if tags is None else run.tag in tags)
    ]
    if len(chosen) < 2:
        raise WorkbenchError("a ranking needs two runs", remedy="load runs, or choose more")
    return chosen


def _rules_export(found: RulePreview, _ranked: RankingPreview | None) -> Export:
    """What each rule settles and leaves, and how often it gives each grade."""
    grades = sorted({grade for line in found.rules if line.found for grade, _ in line.found.by_grade})
    columns = (
        "rule", "settled", "adjudicated", "left", "relevant_from", "relevant", "topics_without_relevant",
        "mean_confidence", "sha256", "refused", *(f"grade_{grade}" for grade in grades),
    )  # fmt: skip
    rows: list[tuple[object, ...]] = []
    for line in found.rules:
        if line.found is None:
            rows.append((line.name, *(None,) * 8, line.refused, *(None for _ in grades)))
            continue
        one, counts = line.found, dict(line.found.by_grade)
        rows.append(
            (
                line.name, one.settled, one.adjudicated, one.unsettled, one.relevant_from, one.relevant,
                len(one.without_relevant), one.confidence, line.sha256, None,
                *(counts.get(grade, 0) for grade in grades),
            )
        )  # fmt: skip
    return table_export(columns, tuple(rows))


def _scores_export(_found: RulePreview, ranked: RankingPreview | None) -> Export:
    """Every run's score and rank under every rule."""
    if ranked is None or not ranked.scores:
        return table_export(("run",), ())
    places = ranked.ranks
    runs = sorted(next(iter(ranked.scores.values())))
    columns = ("run", *(f"{name}{what}" for name in ranked.scores for what in ("", "_rank")))
    rows = tuple(
        (run, *(cell for name, scores in ranked.scores.items() for cell in (scores[run], places[name][run])))
        for run in runs
    )
    return table_export(columns, rows)


def _swaps_export(_found: RulePreview, ranked: RankingPreview | None) -> Export:
    """Every pair of runs that changes places between two rules, with how far each is ahead."""
    compared = ranked.comparisons if ranked else ()

    def rows() -> Iterator[tuple[object, ...]]:
        # Of 1,000 runs two rules can have half a million.
        for one in compared:
            for swap in each_swap(*one.scores):
                yield (one.first, one.second, swap.ahead, swap.behind, *swap.gap)

    columns = ("first", "second", "ahead_under_first", "ahead_under_second", "by", "then_by")
    return streamed_export(columns, rows)


def _moves_export(_found: RulePreview, ranked: RankingPreview | None) -> Export:
    """Every run whose rank changes between two rules."""
    rows = tuple(
        (one.first, one.second, move.run, *move.ranks, move.by)
        for one in (ranked.comparisons if ranked else ())
        for move in one.moves
    )
    return table_export(("first", "second", "run", "rank_under_first", "rank_under_second", "rises_by"), rows)


PREVIEW_EXPORTS: Mapping[str, Callable[[RulePreview, RankingPreview | None], Export]] = {
    "rules": _rules_export,
    "scores": _scores_export,
    "swaps": _swaps_export,
    "moves": _moves_export,
}
