"""A coefficient is one module and one line: written into a copy of the code, it is found everywhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.copy_of_the_code import change, copy_of_the_code, run, run_tests

NAME = "halved"
MODULE = '''
"""Halved: chance as if every second pair were disagreed on."""

from __future__ import annotations

import numpy as np

from workbench.agreement.coefficients.coefficient import Coefficient, observed_disagreement
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
    robot = [(topic, docno, "robot", grade) for topic, docno, who, grade in ROWS if who == "X"]
    assert import_judgments(olga, robot, machine="robot").status_code == 303
    for page in ("", "/pair?first=X&second=Y"):
        assert "Halved agreement" in olga.get(f"/c/harbour/agreement{page}").text
    for page in ("/pairs", "/grades", "/topics", "/machines"):
        assert ">Halved</th>" in olga.get(f"/c/harbour/agreement{page}").text
    assert 'value="halved"' in olga.get("/c/harbour/agreement/matrix").text
    assert "Halved agreement, " in olga.get("/c/harbour/agreement/matrix?by=halved").text
    for report in ("report", "topics/table", "machines/table"):
        assert "halved" in olga.get(f"/c/harbour/agreement/{report}.csv").text
        assert "halved" in olga.get(f"/c/harbour/agreement/{report}.json").text
        assert "Halved" in olga.get(f"/c/harbour/agreement/{report}.tex").text
"""


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The code with one more module, and one more name in the registry."""
    tree = copy_of_the_code(tmp_path_factory.mktemp("tree"))
    coefficients = tree / "workbench" / "agreement" / "coefficients"
    (coefficients / "halved.py").write_text(MODULE, encoding="utf-8")
    change(coefficients / "__init__.py", "        UNIFORM,\n", "        UNIFORM,\n        HALVED,\n")
    change(
        coefficients / "__init__.py",
        "from workbench.agreement.coefficients.observed",
        "from workbench.agreement.coefficients.halved import HALVED\n"
        "from workbench.agreement.coefficients.observed",
    )
    (tree / "tests" / "web" / "test_halved.py").write_text(ON_THE_PAGES, encoding="utf-8")
    for name, grades in (("one", (2, 0, 1, 2)), ("two", (1, 0, 1, 0)), ("three", (1, 1, 1, 0))):
        lines = (f"T{at % 2} 0 d{at} {grade}\n" for at, grade in enumerate(grades))
        (tree / f"{name}.qrels").write_text("".join(lines), encoding="utf-8")
    return tree


def agree(tree: Path, *options: str) -> str:
    """What `workbench agree` prints of three files, in the copy."""
    files = ("one.qrels", "two.qrels", "three.qrels")
    return run(tree, "-m", "workbench", "agree", *files, "--rounds", "20", *options)


def test_a_new_coefficient_is_in_the_terminal(tree: Path) -> None:
    text = agree(tree)
    for part in ("Halved agreement\t", "Average halved agreement\t", "\thalved\t"):
        assert part in text
    # Half of the pairs are disagreed on by chance: 1 - (1 - observed) / (1/2).
    coefficients = json.loads(agree(tree, "--json"))["coefficients"]
    assert coefficients[NAME]["label"] == "Halved agreement"
    assert coefficients[NAME]["value"] == pytest.approx(2 * coefficients["observed"]["value"] - 1)
    assert f"all,,,,,{NAME}," in agree(tree, "--csv", "--graded")
    assert "Halved & " in agree(tree, "--latex")
    assert agree(tree, "--matrix", NAME, "--csv").startswith("assessor,")


def test_a_new_coefficient_is_in_the_help(tree: Path) -> None:
    assert NAME in run(tree, "-m", "workbench", "agree", "--help")
    assert NAME in run(tree, "-m", "workbench", "campaign", "agreement-topics", "--help")
    assert "Halved agreement" in run(tree, "-m", "workbench", "help", "agreement")


def test_a_new_coefficient_is_under_the_laws_and_on_the_pages(tree: Path) -> None:
    told = run_tests(tree, "-k", NAME, "tests/agreement/test_laws.py", "tests/web/test_halved.py")
    for law in (
        f"test_neither_the_order_of_assessors_nor_of_pairs_matters[{NAME}]",
        f"test_no_value_is_above_one[{NAME}]",
        "test_a_halved_coefficient_is_on_the_pages",
    ):
        assert f"::{law}" in told
