"""Tables of trust for a paper: what stands in their cells, and that every result has all of its tables."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tests.trust.some_scores import table
from workbench.latex import PaperColumn, bounded, paper_table
from workbench.trust.collection_tables import TOPIC_PARTS as TOPICS
from workbench.trust.collection_tables import fewer_topics_export
from workbench.trust.fewer_topics import fewer_topics
from workbench.trust.judges import judges_export, other_judges
from workbench.trust.reference import RankingOptions

FOUND = (
    ("run", "n", "score", "score_low", "score_high"),
    [("a_b", 1200, 0.5, 0.25, -0.75), ("c", None, None, None, None)],
)
NAME = PaperColumn("run", "Run")


def rows_of(latex: str) -> list[list[str]]:
    """The cells of the first table, its heads first."""
    body = latex.partition(r"\toprule")[2].partition(r"\bottomrule")[0]
    return [
        [cell.strip() for cell in line.removesuffix(r"\\").split("&")]
        for line in body.splitlines()
        if line.rstrip().endswith(r"\\")
    ]


def test_a_value_stands_with_its_interval_and_nothing_is_a_dash() -> None:
    columns = (NAME, PaperColumn("n", "$n$"), bounded("score", "Score", 2))
    made = paper_table(FOUND, columns, "Caption.", "tab:any")
    assert rows_of(made) == [
        ["Run", "$n$", "Score"],
        [r"a\_b", "1,200", "0.50 [0.25, $-$0.75]"],
        ["c", "--", "--"],
    ]
    assert r"\begin{tabular}{lrr}" in made  # texts left, numbers right
    assert len(rows_of(paper_table(FOUND, columns, "Caption.", "tab:any", most=1))) == 2


def test_a_column_that_is_not_there_is_an_error() -> None:
    with pytest.raises(ValueError, match="score_best"):
        paper_table(FOUND, (NAME, PaperColumn("score_best", "Best")), "Caption.", "tab:any")


def whole(latex: str) -> set[str]:
    """The labels of a document in which every row of a table has a cell for each of its columns."""
    for one in re.split(r"\\begin\{(?:long)?table\}", latex)[1:]:
        (aligned,) = re.findall(r"(?:\\begin\{tabular\}|^)\{([lr]+)\}", one, flags=re.MULTILINE)[:1]
        rows = rows_of(one)
        assert len(rows) > 1
        assert {len(row) for row in rows} == {len(aligned)}
    assert latex.count("{") == latex.count("}")
    return set(re.findall(r"\\label\{([^}]+)\}", latex))


def test_other_judges_have_all_their_tables_with_ties_counted() -> None:
    # Bob ties r0 and r1; both have r2 behind.
    ann, bob = [[0.5, 0.4, 0.1], [0.7, 0.5, 0.3]], [[0.5, 0.5, 0.1], [0.6, 0.6, 0.3]]
    found = other_judges(
        table({"ann": ann, "bob": bob}), ["ann", "bob"], RankingOptions("ann", mixtures=20, seed=1)
    )
    export = judges_export(found, "qrels")
    assert export.latex is not None
    latex = export.latex()
    assert whole(latex) >= {
        "tab:trust-judges", "tab:trust-judges-changes", "tab:trust-judges-between", "tab:trust-judges-runs",
    }  # fmt: skip
    changes = latex.partition(r"\label{tab:trust-judges-changes}")[2]
    heads, *rows = rows_of(changes)
    (of_bob,) = [row for row in rows if row[0] == "bob"]
    assert of_bob[heads.index("Tied")] == "1"


def test_fewer_topics_have_a_table_for_each_of_theirs() -> None:
    scores = np.random.default_rng(4).random((12, 5))
    export = fewer_topics_export(fewer_topics(scores), "topics")
    assert export.latex is not None
    assert len(whole(export.latex())) == len(TOPICS)
