"""What must hold for every coefficient, whatever the table."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.agreement.made import TABLE_FORMS, tables
from tests.support import Oracle
from workbench.agreement.coefficients import COEFFICIENTS, pooled_kappa

metrics = Oracle("sklearn.metrics")

Table = NDArray[np.int64]
ALL = pytest.mark.parametrize("name", TABLE_FORMS)


@ALL
@given(tables())
def test_a_grade_that_nobody_gave_does_not_matter(name: str, table: Table) -> None:
    function = TABLE_FORMS[name]
    assert function(np.pad(table, ((0, 1), (0, 1)))).value == pytest.approx(function(table).value, abs=1e-12)


@ALL
@given(tables(), st.integers(2, 9))
def test_more_of_the_same_does_not_matter(name: str, table: Table, times: int) -> None:
    function = TABLE_FORMS[name]
    assert function(table * times).value == pytest.approx(function(table).value, abs=1e-12)


@given(tables())
def test_the_pooled_kappa_is_exact_to_the_last_bit(table: Table) -> None:
    n = int(table.sum())
    assume(n)
    agreed = Fraction(int(table.trace()), n)
    given = (table.sum(axis=1) + table.sum(axis=0)).tolist()
    chance = sum((Fraction(both * both, 4 * n * n) for both in given), Fraction())
    assume(chance != 1)
    assert pooled_kappa(table).value == float((agreed - chance) / (1 - chance))


@given(tables())
def test_scikit_learn_agrees_on_the_unpooled_kappa(table: Table) -> None:
    ours = TABLE_FORMS["unpooled"](table)
    assume(ours.value is not None)
    first, second = (places.ravel() for places in np.indices(table.shape))
    # scikit-learn takes grades; its weights stand for that many pairs.
    theirs = metrics.cohen_kappa_score(
        first, second, labels=range(len(table)), sample_weight=table.ravel().astype(float)
    )
    assert ours.value == pytest.approx(theirs, abs=1e-9)


@ALL
def test_the_form_for_a_table_has_the_name_of_its_coefficient(name: str) -> None:
    assert TABLE_FORMS[name]([[1, 2], [3, 4]]).name == name
    assert COEFFICIENTS[name].label
    assert COEFFICIENTS[name].source
