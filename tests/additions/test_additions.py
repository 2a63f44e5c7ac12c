"""What is added in one module and one line is found everywhere: terminal, pages, help and laws."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.additions.coefficient import COEFFICIENT
from tests.additions.copy_of_the_code import copy_of_the_code, outputs, run_tests
from tests.additions.measure import MEASURE
from tests.additions.rule import RULE
from tests.additions.stopping_rule import STOPPING_RULE
from tests.additions.strategy import STRATEGY

ADDITIONS = (COEFFICIENT, STRATEGY, RULE, MEASURE, STOPPING_RULE)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The code with a coefficient, a strategy, a consensus rule, two measures and a stopping rule more."""
    tree = copy_of_the_code(tmp_path_factory.mktemp("additions") / "tree")
    for addition in ADDITIONS:
        addition.add(tree)
    return tree


def test_additions_are_in_the_terminal_and_the_help(tree: Path) -> None:
    printed = outputs(tree, [command for addition in ADDITIONS for command in addition.commands])
    for addition in ADDITIONS:
        addition.check(printed)


@pytest.mark.slow
def test_additions_are_under_the_laws_and_on_the_pages(tree: Path) -> None:
    shown = run_tests(
        tree,
        "-k",
        " or ".join(addition.selected for addition in ADDITIONS),
        *dict.fromkeys(file for addition in ADDITIONS for file in addition.files),
    )
    for addition in ADDITIONS:
        for law in addition.laws:
            assert f"::{law}" in shown
