"""The catalogue of strategies: what it says and what it refuses."""

from __future__ import annotations

import inspect

import pytest

from tests.pooling.some_runs import ranked
from workbench.errors import WorkbenchError
from workbench.pooling.depth import depth_pool
from workbench.pooling.strategies import STRATEGIES, build_pool

RUNS = [ranked("A", ["x", "y", "z"]), ranked("B", ["y", "w", "v"])]


def test_a_strategy_is_built_by_its_name_and_parameters() -> None:
    assert build_pool(RUNS, strategy="depth", parameters={"depth": 2}) == depth_pool(RUNS, depth=2)


@pytest.mark.parametrize("name", STRATEGIES)
def test_the_catalogue_agrees_with_the_functions(name: str) -> None:
    strategy = STRATEGIES[name]
    assert strategy.name == name
    assert strategy.help
    assert strategy.source
    declared = inspect.signature(strategy.build).parameters
    defaults = {key: one.default for key, one in declared.items() if key not in {"runs", "ties"}}
    assert defaults == {one.name: one.default for one in strategy.parameters}


def test_an_unknown_strategy_is_refused_with_those_that_exist() -> None:
    with pytest.raises(WorkbenchError, match=r'no pooling strategy "deep" \(one of depth'):
        build_pool(RUNS, strategy="deep")


def test_an_unknown_parameter_is_refused_with_those_that_exist() -> None:
    with pytest.raises(WorkbenchError, match=r'no parameter "width" \(it has depth\)'):
        build_pool(RUNS, strategy="depth", parameters={"width": 3})


def test_a_parameter_below_its_lowest_value_is_refused() -> None:
    with pytest.raises(WorkbenchError, match=r"depth cannot be 0 \(give 1 or more\)"):
        build_pool(RUNS, strategy="depth", parameters={"depth": 0})
