"""The examples in the docstrings run."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import workbench.pooling


def test_the_examples_in_the_docstrings_hold() -> None:
    names = [one.name for one in pkgutil.walk_packages(workbench.pooling.__path__, "workbench.pooling.")]
    outcomes = [doctest.testmod(importlib.import_module(name)) for name in names]
    assert sum(outcome.attempted for outcome in outcomes) >= 2
    assert sum(outcome.failed for outcome in outcomes) == 0
