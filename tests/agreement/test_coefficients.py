"""The coefficients on the tables of textbooks and papers, each checked by independent programs."""

from __future__ import annotations

import doctest
import importlib
from typing import Any

import numpy as np
import pytest

from tests.agreement.made import TABLE_FORMS, table_of
from tests.support import cases
from workbench.agreement.coefficients import pooled_kappa
from workbench.errors import WorkbenchError

# What the worked cases call things: value or expected agreement of which coefficient.
FIGURES = {
    "po": ("observed", "value"),
    "P_A": ("observed", "value"),
    "avg_Ao": ("observed", "value"),
    "pe_cohen": ("unpooled", "expected"),
    "cohen_kappa": ("unpooled", "value"),
    "kappa_cohen": ("unpooled", "value"),
    "kappa_unpooled": ("unpooled", "value"),
    "pe_scott": ("pooled", "expected"),
    "scott_pi": ("pooled", "value"),
    "pi": ("pooled", "value"),
    "kappa_pooled": ("pooled", "value"),
}


def estimate(table: list[list[int]], name: str) -> float | None:
    coefficient, part = FIGURES[name]
    found: float | None = getattr(TABLE_FORMS[coefficient](table), part)
    return found


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("01_textbook_manning.json", "manning_table_8_2_pooled_kappa"),
        ("01_textbook_manning.json", "manning_table_8_2_unpooled_kappa"),
        ("01_textbook_manning.json", "manning_exercise_8_10"),
        ("10_agreement_two_raters.json", "manning_8_2_all_coefficients"),
        ("10_agreement_two_raters.json", "manning_8_10_all_coefficients"),
        ("10_agreement_two_raters.json", "byrt_feinstein_symmetric"),
        ("10_agreement_two_raters.json", "byrt_feinstein_unbalanced"),
        ("10_agreement_two_raters.json", "artstein_poesio_table4_kappa"),
        ("10_agreement_two_raters.json", "artstein_poesio_pi_S"),
        ("12_agreement_degenerate.json", "one_constant_other_varies"),
        ("12_agreement_degenerate.json", "perfect_two_classes"),
        ("12_agreement_degenerate.json", "complete_disagreement_constant"),
        ("12_agreement_degenerate.json", "complete_disagreement_balanced"),
        ("12_agreement_degenerate.json", "both_all_relevant"),
        ("12_agreement_degenerate.json", "both_all_nonrelevant"),
        ("13_assessor_overlap.json", "intra_assessor_consistency"),
        ("14_agreement_extra.json", "bias_pair_similar_judges"),
        ("14_agreement_extra.json", "bias_pair_different_judges"),
    ],
)
def test_the_worked_figures_are_reproduced(file: str, name: str) -> None:
    case = cases(file)[name]
    known = {key: value for key, value in case["expected"].items() if key in FIGURES}
    assert known, "a case without a figure tests nothing"
    found = {key: estimate(table_of(case), key) for key in known}
    # Not 5e-4: pooled 0.775910 and unpooled 0.776119 of Table 8.2 both print as 0.776.
    assert found == pytest.approx(known, abs=min(case["tolerance"], 5e-5))


@pytest.mark.parametrize(
    ("file", "name", "path"),
    [
        ("10_agreement_two_raters.json", "se_of_cohen_kappa_table_8_2", ["kappa"]),
        ("10_agreement_two_raters.json", "sklearn_weighted_kappa", ["unweighted"]),
        ("10_agreement_two_raters.json", "cohen_1968_table1", ["kappa"]),
        ("10_agreement_two_raters.json", "irr_anxiety_raters_2_3", ["unweighted"]),
        ("14_agreement_extra.json", "delta_getkappa_example", ["kappa"]),
        (
            "10_agreement_two_raters.json",
            "gwet_cont3x3abstractors",
            ["identity", "cohen", "coefficient_value"],
        ),
        ("10_agreement_two_raters.json", "gwet_cont4x4diagnosis", ["identity", "cohen", "coefficient_value"]),
    ],
)
def test_the_unpooled_kappa_is_cohens(file: str, name: str, path: list[str]) -> None:
    case = cases(file)[name]
    expected: Any = case["expected"]
    for step in path:
        expected = expected[step]
    assert TABLE_FORMS["unpooled"](table_of(case)).value == pytest.approx(expected, abs=case["tolerance"])


@pytest.mark.parametrize("name", ["gwet_cont3x3abstractors", "gwet_cont4x4diagnosis"])
def test_the_pooled_kappa_is_scotts_pi(name: str) -> None:
    case = cases("10_agreement_two_raters.json")[name]
    expected = case["expected"]["identity"]["scott"]["coefficient_value"]
    assert pooled_kappa(table_of(case)).value == pytest.approx(expected, abs=case["tolerance"])


def test_kappa_tends_to_the_positive_agreement_where_negatives_dominate() -> None:
    case = cases("14_agreement_extra.json")["kappa_tends_to_F1_when_negatives_dominate"]
    a, b, c = (case["input"][key] for key in "abc")
    for d, cohen, scott, _ in case["expected"]["rows_d_cohen_scott_ppos"]:
        assert TABLE_FORMS["unpooled"]([[a, b], [c, d]]).value == pytest.approx(cohen, abs=1e-9)
        assert pooled_kappa([[a, b], [c, d]]).value == pytest.approx(scott, abs=1e-9)


@pytest.mark.parametrize("name", TABLE_FORMS)
def test_an_empty_table_has_no_value_and_says_why(name: str) -> None:
    said = TABLE_FORMS[name]([[0, 0], [0, 0]])
    assert (said.observed, said.expected, said.value, said.n) == (None, None, None, 0)
    assert said.undefined == "no pair was judged by both"


@pytest.mark.parametrize("name", ["pooled", "unpooled"])
@pytest.mark.parametrize("table", [[[10, 0], [0, 0]], [[0, 0], [0, 7]], [[1, 0], [0, 0]], [[3]]])
def test_one_grade_for_everything_has_no_kappa_and_says_why(name: str, table: list[list[int]]) -> None:
    said = TABLE_FORMS[name](table)
    assert (said.observed, said.expected, said.value) == (1.0, 1.0, None)
    assert said.undefined == "everyone gave the same grade, so agreement by chance is already 1"


def test_large_counts_do_not_overflow() -> None:
    # 4e9 squared is beyond 64 bits; the shares are those of Table 8.2.
    table = np.array([[300, 20], [10, 70]]) * 10**7
    assert pooled_kappa(table).value == pytest.approx(0.7759103641456583, abs=1e-15)


@pytest.mark.parametrize("name", TABLE_FORMS)
@pytest.mark.parametrize("table", [[[1, 2, 3], [4, 5, 6]], [], [[]], [1, 2], [[1.5, 0.0], [0.0, 1.0]]])
def test_what_is_no_square_table_of_counts_is_refused(name: str, table: Any) -> None:
    with pytest.raises(WorkbenchError, match="a contingency table"):
        TABLE_FORMS[name](table)


@pytest.mark.parametrize("name", TABLE_FORMS)
def test_negative_counts_are_refused(name: str) -> None:
    with pytest.raises(WorkbenchError, match="holds counts"):
        TABLE_FORMS[name]([[1, -1], [0, 2]])


@pytest.mark.parametrize(
    "module",
    [
        "coefficients",
        "estimates",
        "ratings",
        "intervals",
        "grades",
        "weights",
    ],
)
def test_the_examples_in_the_docstrings_run(module: str) -> None:
    outcome = doctest.testmod(importlib.import_module(f"workbench.agreement.{module}"))
    assert outcome.attempted > 0
    assert outcome.failed == 0
