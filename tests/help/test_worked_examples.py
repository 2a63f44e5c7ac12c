"""The numbers that the manual works out by hand are those that the program computes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.executable import workbench
from workbench.help.manual import page_named

# Both relevant, only A, only B, neither.
Table = tuple[int, int, int, int]
TEXTBOOK: Table = (300, 20, 10, 70)
ONE_STRICTER: Table = (20, 0, 30, 50)
RARE: Table = (2, 4, 4, 90)


def coefficients(table: Table, folder: Path) -> dict[str, Any]:
    """What `workbench agree` prints of two qrels with this table."""
    answers = [
        pair
        for pair, count in zip(((1, 1), (1, 0), (0, 1), (0, 0)), table, strict=True)
        for _ in range(count)
    ]
    files = []
    for place, name in enumerate(("a", "b")):
        files.append(folder / f"{name}.qrels")
        lines = (f"T1 0 d{number} {grades[place]}\n" for number, grades in enumerate(answers))
        files[-1].write_text("".join(lines))
    done = workbench("agree", *files, "--coefficients", "--json")
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)["coefficients"]
    return found


def test_the_textbooks_table_has_the_coefficients_that_the_page_works_out(tmp_path: Path) -> None:
    text = page_named("agreement").text
    found = coefficients(TEXTBOOK, tmp_path)
    # Manning, Raghavan and Schuetze 2008, Table 8.2, which prints 0.776.
    assert found["pooled"]["value"] == pytest.approx(0.7759103641)
    assert found["unpooled"]["value"] == pytest.approx(0.7761194030)
    for name, digits in (("pooled", 4), ("unpooled", 4), ("alpha", 4), ("uniform", 2), ("gwet", 3)):
        assert f"{found[name]['value']:.{digits}f}" in text, name
    for number in (found["observed"]["observed"], found["unpooled"]["expected"]):
        assert f"= {number:.3f}" in text
    assert f"= {found['pooled']['expected']:.4f}" in text


def test_a_stricter_assessor_draws_the_two_kappas_apart_as_the_page_says(tmp_path: Path) -> None:
    found = coefficients(ONE_STRICTER, tmp_path)
    said = "Unpooled kappa is {unpooled:.2f}, pooled kappa {pooled:.2f}"
    values = {name: found[name]["value"] for name in ("unpooled", "pooled")}
    assert said.format(**values) in page_named("agreement").text


def test_rare_relevance_lowers_kappa_as_the_page_says(tmp_path: Path) -> None:
    found = coefficients(RARE, tmp_path)
    observed, pooled = found["observed"]["value"], found["pooled"]["value"]
    said = f"observed agreement is {observed:.2f} and pooled kappa {pooled:.2f}"
    assert said in page_named("agreement").text
