"""Effectiveness against cost: the Pareto front by hand."""

from __future__ import annotations

import json

from workbench.scoring.run_costs import ScoresByCost, scores_by_cost, scores_by_cost_export
from workbench.scoring.scorer import RunScores


def run_of(tag: str, measure: str, *values: float) -> RunScores:
    by_topic = {str(at): value for at, value in enumerate(values)}
    mean = sum(values) / len(values)
    return RunScores(tag, tuple(by_topic), len(values), 0, {measure: mean}, {measure: by_topic})


def found(measure: str) -> ScoresByCost:
    # Means .5, .5, .3, .2; b is as good as a and dearer, d as dear as c and lower.
    scores = {"a": (0.4, 0.6), "b": (0.5, 0.5), "c": (0.2, 0.4), "d": (0.1, 0.3), "e": (0.9, 0.9)}
    runs = [run_of(tag, measure, *values) for tag, values in scores.items()]
    costs = {"a": 2.0, "b": 3.0, "c": 1.0, "d": 1.0}
    return scores_by_cost(runs, measure, costs, by="seconds_per_query", qrels="majority")


def front(measure: str) -> list[str]:
    return [point.tag for point in found(measure).points if point.on_front]


def test_a_run_on_the_front_is_beaten_by_none_in_both() -> None:
    assert front("AP") == ["c", "a"]
    assert [point.tag for point in found("AP").points] == ["c", "d", "a", "b"]
    assert found("AP").without == ("e",)


def test_where_lower_is_better_the_front_is_below() -> None:
    assert front("ESL(n=1)") == ["d"]


def test_runs_of_one_cost_and_score_are_on_the_front_together() -> None:
    runs = [run_of(tag, "AP", 0.5, 0.5) for tag in "ab"]
    both = scores_by_cost(runs, "AP", {"a": 1.0, "b": 1.0}, by="index_bytes", qrels="")
    assert both.front == 2


def test_a_table_has_score_interval_and_cost() -> None:
    export = scores_by_cost_export(found("AP"))
    first = json.loads(export.json())[0]
    assert (first["run"], first["seconds_per_query"], first["topics"], first["pareto_front"]) == (
        "c",
        1,
        2,
        True,
    )
    # Two topics are too few for an interval.
    assert (first["low"], first["high"]) == (None, None)
    assert export.latex is not None
    assert "majority" in export.latex()
