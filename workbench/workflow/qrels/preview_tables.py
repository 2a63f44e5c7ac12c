"""The tables of a preview of rules, as CSV has them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from workbench.consensus.tables import Table
from workbench.scoring.rank_correlation import ranks
from workbench.workflow.qrels.rule_preview import RankingPreview, RulePreview


def rules_table(found: RulePreview, _ranked: RankingPreview | None) -> Table:
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
    return Table(columns, tuple(rows))


def scores_table(_found: RulePreview, ranked: RankingPreview | None) -> Table:
    """Every run's score and rank under every rule."""
    if ranked is None or not ranked.scores:
        return Table(("run",), ())
    places = {name: ranks(scores) for name, scores in ranked.scores.items()}
    runs = sorted(next(iter(ranked.scores.values())))
    columns = ("run", *(f"{name}{what}" for name in ranked.scores for what in ("", "_rank")))
    rows = tuple(
        (run, *(cell for name, scores in ranked.scores.items() for cell in (scores[run], places[name][run])))
        for run in runs
    )
    return Table(columns, rows)


def correlations_table(_found: RulePreview, ranked: RankingPreview | None) -> Table:
    """Every two rules: how alike they rank the runs, and how many pairs of runs change places."""
    rows = tuple(
        (one.first, one.second, one.runs, one.tau.value, one.tau_ap.value, len(one.swaps), one.tau.undefined)
        for one in (ranked.comparisons if ranked else ())
    )
    return Table(("first", "second", "runs", "tau", "tau_ap", "swaps", "undefined"), rows)


def swaps_table(_found: RulePreview, ranked: RankingPreview | None) -> Table:
    """Every pair of runs that changes places between two rules, with how far each is ahead."""
    rows = tuple(
        (one.first, one.second, swap.ahead, swap.behind, *swap.gap)
        for one in (ranked.comparisons if ranked else ())
        for swap in one.swaps
    )
    return Table(("first", "second", "ahead_under_first", "ahead_under_second", "by", "then_by"), rows)


def moves_table(_found: RulePreview, ranked: RankingPreview | None) -> Table:
    """Every run whose rank changes between two rules."""
    rows = tuple(
        (one.first, one.second, move.run, *move.ranks, move.by)
        for one in (ranked.comparisons if ranked else ())
        for move in one.moves
    )
    return Table(("first", "second", "run", "rank_under_first", "rank_under_second", "rises_by"), rows)


PREVIEW_TABLES: Mapping[str, Callable[[RulePreview, RankingPreview | None], Table]] = {
    "rules": rules_table,
    "scores": scores_table,
    "correlations": correlations_table,
    "swaps": swaps_table,
    "moves": moves_table,
}
