"""A strategy is one module and one line: written into a copy of the code, it is found everywhere."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.copy_of_the_code import run

ROOT = Path(__file__).parents[2]
NAME = "most-runs"

MODULE = '''
"""The documents that most runs retrieved."""

from __future__ import annotations

from collections.abc import Iterable

from workbench.pooling.candidates import Floats, TopicCandidates
from workbench.pooling.fusion.weighted import heaviest_pool
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
from tests.pooling.test_adding_a_strategy import NAME
from tests.web.conftest import Enter


def test_a_new_strategy_is_on_the_pages_and_pools(enter: Enter) -> None:
    olga = enter("Olga")
    for page in ("pools", "plan"):
        text = olga.get(f"/c/harbour/{page}").text
        assert f'name="strategy" value="{NAME}"' in text
        assert f'name="{NAME}-budget"' in text
        assert f'name="{NAME}-gain"' in text
    sent = {"strategy": NAME, f"{NAME}-budget": "2", f"{NAME}-gain": "0.5", "ties": "trec_eval"}
    planned = olga.get("/c/harbour/plan", query_string=sent).text
    assert "most-runs, budget 2, gain 0.5" in planned
    made = olga.post("/c/harbour/pools", data={**sent, "run": ["alpha", "beta"]})
    assert made.status_code == 303
    assert "most-runs, budget 2, gain 0.5" in olga.get(made.location).text
"""
RUNS = {
    "a": "1 Q0 x 1 3 a\n1 Q0 y 2 2 a\n1 Q0 z 3 1 a\n",
    "b": "1 Q0 y 1 3 b\n1 Q0 z 2 2 b\n",
    "c": "1 Q0 z 1 1 c\n",
}


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The code with one more module, and one more line in the registry."""
    tree = tmp_path_factory.mktemp("tree")
    for folder in ("workbench", "tests"):
        shutil.copytree(ROOT / folder, tree / folder)
    for name in ("templates", "static", "pyproject.toml"):
        (tree / name).symlink_to(ROOT / name)
    pooling = tree / "workbench" / "pooling"
    (pooling / "most_runs.py").write_text(MODULE)
    registry = (pooling / "strategies.py").read_text()
    assert registry.count("TAKE_N,") == 1
    changed = registry.replace("TAKE_N,", "TAKE_N, MOST_RUNS,").replace(
        "from workbench.pooling.take_n",
        "from workbench.pooling.most_runs import MOST_RUNS\nfrom workbench.pooling.take_n",
    )
    (pooling / "strategies.py").write_text(changed)
    (tree / "tests" / "web" / "test_most_runs.py").write_text(ON_THE_PAGES)
    for tag, text in RUNS.items():
        (tree / tag).write_text(text)
    return tree


def workbench(tree: Path, *arguments: str) -> str:
    return run(tree, "-m", "workbench", *arguments)


def test_a_new_strategy_is_in_the_terminal(tree: Path) -> None:
    listed = json.loads(workbench(tree, "pool", "--strategies", "--json"))
    (described,) = [one for one in listed if one["name"] == NAME]
    assert [one["name"] for one in described["parameters"]] == ["budget", "gain"]
    for command in (["pool"], ["plan"], ["campaign", "pool"], ["campaign", "plan"]):
        text = workbench(tree, *command, "--help")
        assert NAME in text
        assert "--gain" in text


def test_a_new_strategy_pools_and_is_planned(tree: Path) -> None:
    # z is in three runs, y in two, x in one.
    chosen = ("--strategy", NAME, "--budget", "2", *RUNS)
    assert workbench(tree, "pool", *chosen) == "1\ty\n1\tz\n"
    entries = json.loads(workbench(tree, "pool", "--json", *chosen))
    assert {one["docno"]: one["weight"] for one in entries} == {"y": 2.0, "z": 3.0}
    assert json.loads(workbench(tree, "plan", "--json", *chosen))["topics"] == {"1": 2.0}


def test_a_new_strategy_is_under_the_laws_and_on_the_pages(tree: Path) -> None:
    told = run(
        tree, "-m", "pytest", "-q", "-o", "addopts=", "-p", "no:cacheprovider", "-p", "no:xdist", "-rA",
        "-k", NAME.replace("-", "_") + f" or {NAME}",
        "tests/pooling/test_pooling_laws.py", "tests/pooling/test_strategies.py",
        "tests/pooling/test_planning.py", "tests/web/test_most_runs.py",
    )  # fmt: skip
    for law in (
        f"test_no_pool_is_larger_than_its_budget_or_the_largest_possible[{NAME}]",
        f"test_the_catalogue_agrees_with_the_functions[{NAME}]",
        f"test_a_planned_size_is_that_of_the_pool[{NAME}]",
        "test_a_new_strategy_is_on_the_pages_and_pools",
    ):
        assert law in told
