"""What must hold for every coefficient, whatever the table."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray

import workbench.agreement.coefficients
from tests.agreement.made import TABLE_FORMS, tables
from tests.support import Oracle
from workbench.agreement.coefficients import COEFFICIENTS
from workbench.agreement.coefficients.coefficient import nobody
from workbench.agreement.coefficients.unpooled_kappa import unpooled_kappa

metrics = Oracle("sklearn.metrics")

Table = NDArray[np.int64]
ALL = pytest.mark.parametrize("name", TABLE_FORMS)


@ALL
@given(tables())
def test_a_grade_that_nobody_gave_does_not_matter(name: str, table: Table) -> None:
    function = TABLE_FORMS[name]
    assert function(np.pad(table, ((0, 1), (0, 1)))).value == function(table).value


@ALL
@given(tables(), st.integers(2, 9))
def test_more_of_the_same_does_not_matter(name: str, table: Table, times: int) -> None:
    function = TABLE_FORMS[name]
    assert function(table * times).value == function(table).value


@given(tables())
def test_values_are_exact_to_the_last_bit(table: Table) -> None:
    n = int(table.sum())
    assume(n)
    agreed = Fraction(int(table.trace()), n)
    rows, columns = table.sum(axis=1).tolist(), table.sum(axis=0).tolist()
    chance = sum((Fraction(r * c, n * n) for r, c in zip(rows, columns, strict=True)), Fraction())
    assume(chance != 1)
    assert unpooled_kappa(table).value == float((agreed - chance) / (1 - chance))


@given(tables())
def test_scikit_learn_agrees_on_the_unpooled_kappa(table: Table) -> None:
    ours = unpooled_kappa(table)
    assume(ours.value is not None)
    first, second = (places.ravel() for places in np.indices(table.shape))
    # scikit-learn takes grades; its weights stand for that many pairs.
    theirs = metrics.cohen_kappa_score(
        first, second, labels=range(len(table)), sample_weight=table.ravel().astype(float)
    )
    assert ours.value == pytest.approx(theirs, abs=1e-9)


def test_every_function_that_gives_a_coefficient_is_in_the_catalogue() -> None:
    modules = [
        importlib.import_module(f"{workbench.agreement.coefficients.__name__}.{module.name}")
        for module in pkgutil.iter_modules(workbench.agreement.coefficients.__path__)
    ]
    found = {
        function
        for module in modules
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if function.__module__ == module.__name__
        and not name.startswith("_")
        and inspect.signature(function).return_annotation == "CoefficientValue"
        and len(inspect.signature(function).parameters) == 1
    }
    assert found - {nobody} == set(TABLE_FORMS.values())


@ALL
def test_the_form_for_a_table_has_the_name_of_its_coefficient(name: str) -> None:
    assert TABLE_FORMS[name]([[1, 2], [3, 4]]).name == name
    assert COEFFICIENTS[name].label
    assert COEFFICIENTS[name].source
