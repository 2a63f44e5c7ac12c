"""Measures that are added to a copy of the code: one module and one line each."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from tests.additions.copy_of_the_code import Addition, change

MODULE = '''
"""How much of what a run retrieves is judged not relevant."""

from __future__ import annotations

import ir_measures
import pandas as pd


def _noise(qrels: pd.DataFrame, run: pd.DataFrame) -> float:
    wrong = set(qrels[qrels["relevance"] <= 0]["doc_id"])
    return sum(docno in wrong for docno in run["doc_id"]) / max(1, len(run))


NOISE = ir_measures.define_byquery(_noise, "Noise")
'''
GAIN = '''
"""The share of the relevant documents that a run retrieves at all."""

from __future__ import annotations

import re
from functools import partial

import numpy as np

from workbench.scoring.influence import (DEEPEST, GainFamily, GainMeasure, Numbers, Ranks)
from workbench.scoring.relevance import Grades
from workbench.scoring.relevance import Floats
from workbench.scoring.influence import TopicGains, gains_of


def _found(relevant_from: int, ranks: Ranks, grades: Grades, documents: Numbers) -> TopicGains:
    relevant = grades >= relevant_from
    found = ((ranks > 0) & relevant).sum(axis=1).astype(np.float64)
    total = int(relevant.sum())
    return gains_of(found / max(1, total), found, ranks, grades, documents, relevant=total)


def _changed(relevant_from: int, gains: TopicGains, documents: Numbers, grades: Grades) -> Floats:
    step = (grades >= relevant_from).astype(np.int64) - (gains.grades[documents] >= relevant_from)
    found = gains.gained + step[:, np.newaxis] * (gains.ranks[:, documents].T > 0)
    return found / np.maximum(1, gains.relevant + step)[:, np.newaxis]


FOUND = GainFamily(
    re.compile("Found"),
    ("Found",),
    lambda match, relevant_from: GainMeasure(
        match[0], DEEPEST, partial(_found, relevant_from), partial(_changed, relevant_from)
    ),
)
'''
ON_THE_PAGES = """
from tests.uploads import import_judgments
from tests.web.conftest import Enter

ROWS = [("T1", "d1", "X", "3"), ("T1", "d1", "Y", "0"), ("T1", "d2", "X", "0"), ("T1", "d2", "Y", "0")]


def test_noise_and_found_are_on_the_pages(enter: Enter) -> None:
    olga = enter("Olga")
    assert import_judgments(olga, ROWS).status_code == 303
    page = olga.get("/c/harbour/scores").text
    assert ", Noise" in page
    table = olga.get("/c/harbour/scores/table.csv?measures=Noise&rule=any").text.splitlines()
    assert table[0].startswith("run,Noise,topics_scored,topics_in_qrels,")
    assert '<option value="Found"' in olga.get("/c/harbour/adjudication").text
    chosen = {"difference": "any", "steps": "2", "measure": "Found"}
    assert olga.post("/c/harbour/adjudication/rules", data=chosen).status_code == 303
    disputed = olga.get("/c/harbour/adjudication/disputes.json").json
    assert disputed["rules"]["measure"] == "Found"
    assert disputed["pairs"][0]["influence"]
"""


NOISE = ("score", "qrels", "one.run", "--json", "-m", "Noise")
NOISE_AT = ("score", "qrels", "one.run", "--json", "-m", "Noise@1")


def add(tree: Path) -> None:
    """A measure for scores and one for influence: each a module and a name in its registry."""
    scoring = tree / "workbench" / "scoring"
    (scoring / "noise.py").write_text(MODULE, encoding="utf-8")
    change(
        scoring / "own_measures.py",
        "from ir_measures import Measure\n",
        "from ir_measures import Measure\n\n"
        "from workbench.scoring.found import FOUND\nfrom workbench.scoring.noise import NOISE\n",
    )
    change(
        scoring / "own_measures.py",
        '    ListedMeasure("P(rel=2)@5"',
        '    ListedMeasure("Noise", "share of retrieved documents that are judged not relevant", NOISE),\n'
        '    ListedMeasure("P(rel=2)@5"',
    )
    (scoring / "found.py").write_text(GAIN, encoding="utf-8")
    change(scoring / "own_measures.py", "FAMILIES = (", "FAMILIES = (FOUND, ")
    (tree / "tests" / "web" / "test_noise_and_found.py").write_text(ON_THE_PAGES, encoding="utf-8")
    (tree / "qrels").write_text("1 0 x 1\n1 0 y 0\n", encoding="utf-8")
    (tree / "one.run").write_text("1 Q0 x 1 2 one\n1 Q0 y 2 1 one\n", encoding="utf-8")


def check(printed: Mapping[tuple[str, ...], str]) -> None:
    """Both are helped, and one is computed, with and without a cutoff."""
    assert "Noise" in printed["score", "--help"]
    (row,) = json.loads(printed[NOISE])
    assert (row["measure"], row["value"]) == ("Noise", 0.5)
    (row,) = json.loads(printed[NOISE_AT])
    assert row["value"] == 0.0


MEASURE = Addition(
    add,
    (("score", "--help"), NOISE, NOISE_AT),
    check,
    "Noise or Found or noise_and_found",
    (
        "tests/scoring/test_measures.py",
        "tests/scoring/test_influence.py",
        "tests/web/test_noise_and_found.py",
    ),
    (
        "test_every_listed_measure_can_be_computed[Noise]",
        "test_a_changed_grade_counts_as_if_it_had_always_been_so[Found]",
        "test_noise_and_found_are_on_the_pages",
    ),
)
