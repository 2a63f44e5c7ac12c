"""What the plot of a preview of rules draws."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.scoring.rank_correlation import ranks
from workbench.workflow.qrels.rule_preview import RankingPreview


def slopes(ranked: RankingPreview, labels: Mapping[str, str]) -> dict[str, Any]:
    """A line for every run over the rules, by its rank; the runs that move furthest stand out."""
    places = {name: ranks(scores) for name, scores in ranked.scores.items()}
    runs = sorted(next(iter(ranked.scores.values()), {}))
    lines = [{"name": run, "ranks": [places[name][run] for name in places]} for run in runs]
    return {"columns": [labels.get(name, name) for name in places], "lines": lines}
