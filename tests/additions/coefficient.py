"""A coefficient that is added to a copy of the code: one module and one line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.additions.copy_of_the_code import Addition, change

NAME = "halved"
MODULE = '''
"""Halved: chance as if every second pair were disagreed on."""

from __future__ import annotations

import numpy as np

from workbench.agreement.coefficient import Coefficient, observed_disagreement
from workbench.agreement.tally import Floats, Tally
from workbench.agreement.weights import Weights


class _Halved(Coefficient):
    def disagreements(self, tally: Tally, weights: Weights) -> tuple[Floats, Floats]:
        """Observed disagreement, and half of the largest weight."""
        observed = observed_disagreement(tally)
        return observed, np.full_like(observed, weights.max() / 2)


HALVED = _Halved(
    name="halved",
    label="Halved agreement",
    heading="Halved",
    plain="halved",
    latex="Halved",
    note="chance of one half",
    source="a test",
    help="Report it never.",
    pairwise_mean=("Average halved agreement", "a test"),
)
'''
ON_THE_PAGES = """
from tests.uploads import import_judgments
from tests.web.conftest import Enter

ROWS = [
    ("T1", f"d{number}", who, grade)
    for number in range(1, 6)
    for who, grade in (("X", "1"), ("Y", "3" if number < 4 else "0"))
]


def test_a_halved_coefficient_is_on_the_pages(enter: Enter) -> None:
    olga = enter("Olga")
    assert import_judgments(olga, ROWS).status_code == 303
    for page in ("", "/pair?first=X&second=Y"):
        assert "Halved agreement" in olga.get(f"/c/harbour/agreement{page}").text
    assert ">Halved</th>" in olga.get("/c/harbour/agreement/topics?by=halved").text
    assert 'value="halved"' in olga.get("/c/harbour/agreement/topics").text
    for report in ("report", "topics/table"):
        assert "halved" in olga.get(f"/c/harbour/agreement/{report}.csv").text
        assert "halved" in olga.get(f"/c/harbour/agreement/{report}.json").text
    assert "Halved" in olga.get("/c/harbour/agreement/report.tex").text
"""


FILES = ("one.qrels", "two.qrels", "three.qrels")
AGREE = ("agree", *FILES)


def add(tree: Path) -> None:
    """One more module, and one more name in the registry; three files of judgments."""
    agreement = tree / "workbench" / "agreement"
    (agreement / "halved.py").write_text(MODULE, encoding="utf-8")
    change(agreement / "coefficients.py", "        UNIFORM,\n", "        UNIFORM,\n        HALVED,\n")
    change(
        agreement / "coefficients.py",
        "from workbench.agreement.intervals",
        "from workbench.agreement.halved import HALVED\nfrom workbench.agreement.intervals",
    )
    (tree / "tests" / "web" / "test_halved.py").write_text(ON_THE_PAGES, encoding="utf-8")
    for name, grades in zip(FILES, ((2, 0, 1, 2), (1, 0, 1, 0), (1, 1, 1, 0)), strict=True):
        lines = (f"T{at % 2} 0 d{at} {grade}\n" for at, grade in enumerate(grades))
        (tree / name).write_text("".join(lines), encoding="utf-8")


def check(printed: Mapping[tuple[str, ...], str]) -> None:
    """It is in the text, JSON, CSV, LaTeX and matrix of `agree`, and in the help."""
    for part in ("Halved agreement\t", "Average halved agreement\t", "\thalved\t"):
        assert part in printed[AGREE]
    # Half of the pairs are disagreed on by chance: 1 - (1 - observed) / (1/2).
    coefficients = json.loads(printed[*AGREE, "--json"])["coefficients"]
    assert coefficients[NAME]["label"] == "Halved agreement"
    assert coefficients[NAME]["value"] == pytest.approx(2 * coefficients["observed"]["value"] - 1)
    assert f"all,,,,,{NAME}," in printed[*AGREE, "--csv", "--graded"]
    assert "Halved & " in printed[*AGREE, "--latex"]
    assert printed[*AGREE, "--matrix", NAME, "--csv"].startswith("assessor,")
    assert NAME in printed["agree", "--help"]
    assert NAME in printed["campaign", "agreement-by", "topics", "--help"]
    assert "Halved agreement" in printed["help", "agreement"]


COEFFICIENT = Addition(
    add,
    (
        AGREE,
        (*AGREE, "--json"),
        (*AGREE, "--csv", "--graded"),
        (*AGREE, "--latex"),
        (*AGREE, "--matrix", NAME, "--csv"),
        ("agree", "--help"),
        ("campaign", "agreement-by", "topics", "--help"),
        ("help", "agreement"),
    ),
    check,
    NAME,
    ("tests/agreement/test_laws.py", "tests/web/test_halved.py"),
    (
        f"test_neither_the_order_of_assessors_nor_of_pairs_matters[{NAME}]",
        f"test_no_value_is_above_one[{NAME}]",
        "test_a_halved_coefficient_is_on_the_pages",
    ),
)
