"""A pooling strategy that is added to a copy of the code: one module and one line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from tests.additions.copy_of_the_code import Addition, change

NAME = "most-runs"

MODULE = '''
"""The documents that most runs retrieved."""

from __future__ import annotations

from collections.abc import Iterable

from workbench.pooling.pool import Floats, TopicCandidates
from workbench.pooling.fusion import heaviest_pool
from workbench.pooling.planning import size_of_budget
from workbench.pooling.pool import Pool
from workbench.pooling.strategy import BUDGET, NUMBER, Parameter, Strategy
from workbench.records import Run, TieRule


def most_runs_pool(
    runs: Iterable[Run], *, budget: int = 100, gain: float = 1.0, ties: TieRule = TieRule.TREC_EVAL
) -> Pool:
    """The `budget` documents of each topic that most runs retrieved.

    Raises as `heaviest_pool`. Source: a test.
    """

    def weigh(topic: TopicCandidates) -> Floats:
        return topic.summed(lambda ranked: gain * (ranked.ranks > 0))

    return heaviest_pool(runs, weigh, budget=budget, ties=ties)


MOST_RUNS = Strategy(
    "most-runs",
    "the documents that most runs retrieved",
    "a test",
    (BUDGET, Parameter("gain", "the weight of a run", 1.0, NUMBER, lowest=0.1)),
    most_runs_pool,
    size=size_of_budget,
)
'''
ON_THE_PAGES = """
from tests.additions.strategy import NAME
from tests.web.conftest import Enter


def test_a_new_strategy_most_runs_is_on_the_pages_and_pools(enter: Enter) -> None:
    olga = enter("Olga")
    text = olga.get("/c/harbour/pools").text
    assert f'name="strategy" value="{NAME}"' in text
    assert f'name="{NAME}-budget"' in text
    assert f'name="{NAME}-gain"' in text
    sent = {"strategy": NAME, f"{NAME}-budget": "2", f"{NAME}-gain": "0.5", "ties": "trec_eval"}
    # Two documents for each of two topics.
    assert "4 pairs" in olga.get("/c/harbour/pools/plan", query_string={**sent, "all": "yes"}).text
    made = olga.post("/c/harbour/pools", data={**sent, "run": ["alpha", "beta"]})
    assert made.status_code == 303
    assert "most-runs, budget 2, gain 0.5" in olga.get(made.location).text
"""
RUNS = {
    "a": "1 Q0 x 1 3 a\n1 Q0 y 2 2 a\n1 Q0 z 3 1 a\n",
    "b": "1 Q0 y 1 3 b\n1 Q0 z 2 2 b\n",
    "c": "1 Q0 z 1 1 c\n",
}


CHOSEN = ("--strategy", NAME, "--budget", "2", *RUNS)
HELPED = (("pool",), ("plan",), ("campaign", "pool"), ("campaign", "plan"))


def add(tree: Path) -> None:
    """One more module, and one more name in the registry; three runs."""
    pooling = tree / "workbench" / "pooling"
    (pooling / "most_runs.py").write_text(MODULE, encoding="utf-8")
    change(pooling / "strategies.py", "TAKE_N,", "TAKE_N, MOST_RUNS,")
    change(
        pooling / "strategies.py",
        "from workbench.pooling.depth",
        "from workbench.pooling.most_runs import MOST_RUNS\nfrom workbench.pooling.depth",
    )
    (tree / "tests" / "web" / "test_most_runs.py").write_text(ON_THE_PAGES, encoding="utf-8")
    for tag, text in RUNS.items():
        (tree / tag).write_text(text, encoding="utf-8")


def check(printed: Mapping[tuple[str, ...], str]) -> None:
    """It is listed, helped with its parameters, pools and is planned."""
    listed = json.loads(printed["pool", "--strategies", "--json"])
    (described,) = [one for one in listed if one["name"] == NAME]
    assert [one["name"] for one in described["parameters"]] == ["budget", "gain"]
    for command in HELPED:
        assert NAME in printed[*command, "--help"]
        assert "--gain" in printed[*command, "--help"]
    # z is in three runs, y in two, x in one.
    assert printed["pool", *CHOSEN] == "1\ty\n1\tz\n"
    entries = json.loads(printed["pool", "--json", *CHOSEN])
    assert {one["docno"]: one["weight"] for one in entries} == {"y": 2.0, "z": 3.0}
    assert json.loads(printed["plan", "--json", *CHOSEN])["topics"] == {"1": 2.0}


STRATEGY = Addition(
    add,
    (
        ("pool", "--strategies", "--json"),
        *((*command, "--help") for command in HELPED),
        ("pool", *CHOSEN),
        ("pool", "--json", *CHOSEN),
        ("plan", "--json", *CHOSEN),
    ),
    check,
    f"{NAME.replace('-', '_')} or {NAME}",
    (
        "tests/pooling/test_pooling_laws.py",
        "tests/pooling/test_strategies.py",
        "tests/pooling/test_planning.py",
        "tests/web/test_most_runs.py",
    ),
    (
        f"test_no_pool_is_larger_than_its_budget_or_the_largest_possible[{NAME}]",
        f"test_the_catalogue_agrees_with_the_functions[{NAME}]",
        f"test_a_planned_size_is_that_of_the_pool[{NAME}]",
        "test_a_new_strategy_most_runs_is_on_the_pages_and_pools",
    ),
)
