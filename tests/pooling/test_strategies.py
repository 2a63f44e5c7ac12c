"""The catalogues of strategies: what they say and what they refuse."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from tests.pooling.some_runs import ranked
from workbench.errors import InvalidInput, WorkbenchError
from workbench.pooling.depth import depth_pool
from workbench.pooling.strategies import ADAPTIVE, STRATEGIES, build_pool, start
from workbench.pooling.strategy import Strategy

RUNS = [ranked("A", ["x", "y", "z"]), ranked("B", ["y", "w", "v"])]
ALL: dict[str, Strategy[Any]] = {**STRATEGIES, **ADAPTIVE}


def test_the_strategies_of_the_field_are_all_there() -> None:
    assert set(STRATEGIES) == {
        "depth", "take-n", "combsum", "combmnz", "borda", "rrf", "rbp", "random", "stratified",
    }  # fmt: skip
    assert set(ADAPTIVE) == {
        "move-to-front", "hedge", "max-mean", "mm-ns", "thompson", "rbp-b", "rbp-c",
    }  # fmt: skip
    assert len(ALL) == len(STRATEGIES) + len(ADAPTIVE)


def test_a_strategy_is_built_by_its_name_and_parameters() -> None:
    expected = depth_pool(RUNS, depth=2)
    assert build_pool(RUNS, strategy="depth", parameters={"depth": 2}) == expected
    assert build_pool(RUNS, strategy="depth", parameters={"depth": " 2"}) == expected


@pytest.mark.parametrize("name", ALL)
def test_the_catalogue_says_what_a_strategy_is(name: str) -> None:
    strategy = ALL[name]
    assert strategy.name == name
    assert strategy.help
    assert "\n" not in strategy.help
    assert strategy.source


def own_function(strategy: Strategy[Any]) -> bool:
    """Whether a strategy is built by a function of its own, not by that of fusions or of choosers."""
    declared = inspect.signature(strategy.build).parameters.values()
    return all(one.kind is not one.VAR_KEYWORD for one in declared)


@pytest.mark.parametrize("name", [name for name, one in ALL.items() if own_function(one)])
def test_the_catalogue_agrees_with_the_functions(name: str) -> None:
    strategy = ALL[name]
    declared = inspect.signature(strategy.build).parameters
    defaults = {key: one.default for key, one in declared.items() if key not in {"runs", "ties"}}
    assert defaults == {one.name: one.default for one in strategy.parameters}
    assert all(one.kind is one.KEYWORD_ONLY for key, one in declared.items() if key != "runs")
    doc = inspect.getdoc(strategy.build) or ""
    assert "Source: " in doc
    assert "Raises" in doc or "Errors" in doc


@pytest.mark.parametrize("name", ALL)
def test_values_come_back_from_their_texts(name: str) -> None:
    values = ALL[name].values({})
    assert ALL[name].values(ALL[name].texts(values)) == values


@pytest.mark.parametrize("name", ALL)
def test_every_parameter_describes_itself(name: str) -> None:
    for parameter in ALL[name].parameters:
        assert parameter.help in parameter.description
        assert parameter.kind.name in parameter.description
        assert "unless given" in parameter.description


def test_parameters_of_one_name_are_of_one_kind_so_that_options_can_be_shared() -> None:
    kinds: dict[str, set[str]] = {}
    for strategy in ALL.values():
        for parameter in strategy.parameters:
            kinds.setdefault(parameter.name, set()).add(parameter.kind.name)
    assert {name for name, found in kinds.items() if len(found) > 1} == {"rate"}


@pytest.mark.parametrize(("make", "known"), [(build_pool, "depth, take-n"), (start, "move-to-front, hedge")])
def test_an_unknown_strategy_is_refused_with_those_that_exist(make: Any, known: str) -> None:
    with pytest.raises(WorkbenchError, match=rf'no pooling strategy "deep" \(choose one of {known}'):
        make(RUNS, strategy="deep")


def test_everything_wrong_about_the_parameters_is_told_at_once() -> None:
    with pytest.raises(InvalidInput) as caught:
        build_pool(RUNS, strategy="rrf", parameters={"budget": 0, "k": "sixty", "width": 3})
    said = [(finding.source, finding.message, finding.remedy) for finding in caught.value.findings]
    assert said == [
        ("budget", "budget cannot be 0", "give 1 to 1,000,000"),
        ("k", "k cannot be 'sixty'", "give a whole number, as 100"),
        ("width", 'the strategy "rrf" has no parameter "width"', "choose from budget, k"),
    ]


def test_a_parameter_below_its_lowest_value_is_refused() -> None:
    with pytest.raises(WorkbenchError, match=r"depth cannot be 0 \(give 1 to 1,000,000\)"):
        build_pool(RUNS, strategy="depth", parameters={"depth": 0})
