"""Results as tables: in notebooks, and as data frames."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import Any

import pytest

from workbench import agree, make_pool, read_qrels, read_run, score, settle, tables
from workbench.help.manual import page_named
from workbench.records import Judgment
from workbench.tables import SHOWN_ROWS, ResultTable


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Files under the names that the manual uses, of one topic."""
    runs = {"bm25": ("d1", "d2", "d3"), "dense": ("d<i>4", "d1")}
    for tag, docnos in runs.items():
        lines = (f"007 Q0 {docno} {rank} {9 - rank} {tag}\n" for rank, docno in enumerate(docnos, 1))
        (tmp_path / f"{tag}.run").write_text("".join(lines))
    (tmp_path / "qrels.txt").write_text("007 0 d1 1\n007 0 d2 0\n007 0 d<i>4 2\n")
    for name, grades in (("ada", (1, 0, 1)), ("ben", (1, 0, 0))):
        graded = zip(("d1", "d2", "d3"), grades, strict=True)
        (tmp_path / f"{name}.qrels").write_text("".join(f"007 0 {docno} {one}\n" for docno, one in graded))
    (tmp_path / "judgments.tsv").write_text("topic\tdoc\tassessor\tgrade\n007\td1\tada\t1\n007\td1\tben\t0\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def results(folder: Path) -> dict[str, ResultTable]:
    """One of each kind."""
    run, qrels = read_run(folder / "bm25.run"), read_qrels(folder / "qrels.txt")
    scores = score(qrels, [run, folder / "dense.run"], "AP P@1")
    return {
        "run": run,
        "qrels": qrels,
        "pool": make_pool([run, folder / "dense.run"], depth=2),
        "agreement": agree(folder / "ada.qrels", folder / "ben.qrels"),
        "consensus": settle(
            [Judgment("ada", "007", "d1", 1), Judgment("ben", "007", "d1", 1)], rule="majority"
        ),
        "scores": scores,
        "one": scores[0],
    }


def test_each_result_has_the_frame_of_its_table(files: Path) -> None:
    pytest.importorskip("pandas", reason="pandas is not installed")
    frames: dict[str, Any] = {name: one.to_pandas() for name, one in results(files).items()}
    assert frames["run"].to_dict("list") == {
        "topic": ["007", "007", "007"], "docno": ["d1", "d2", "d3"], "score": [8.0, 7.0, 6.0]
    }  # fmt: skip
    assert frames["qrels"]["grade"].tolist() == [1, 0, 2]
    # Of depth 2: d1 by both runs, first of them at rank 1; d2 and d<i>4 by one.
    assert frames["pool"][["docno", "runs", "best_rank"]].to_numpy().tolist() == [
        ["d1", 2, 1], ["d2", 1, 2], ["d<i>4", 1, 1]
    ]  # fmt: skip
    assert frames["consensus"].to_numpy().tolist() == [["007", "d1", 1, 1.0, 2]]
    # Of bm25 d1 is relevant and first, d<i>4 not found: AP is 1/2. Of dense both, first: AP is 1.
    assert frames["scores"].to_numpy().tolist() == [["bm25", 0.5, 1.0, 1], ["dense", 1.0, 1.0, 1]]
    assert frames["one"].to_numpy().tolist() == [["007", 0.5, 1.0]]
    # Two agree on two of three pairs; the table says of how many each coefficient is.
    assert set(frames["agreement"]["pairs"]) == {3}


def test_polars_has_the_same_rows(files: Path) -> None:
    pytest.importorskip("polars", reason="polars is not installed")
    for one in results(files).values():
        found = one.table()
        assert one.to_polars().columns == list(found.columns)
        assert one.to_polars().rows() == [tuple(row) for row in found.rows]


def test_a_notebook_shows_the_first_rows_escaped(files: Path) -> None:
    for name, one in results(files).items():
        html = one._repr_html_()
        assert html.startswith("<table><caption>"), name
        assert "<i>" not in html
    long = "".join(f"1 Q0 d{number} 1 {-number} long\n" for number in range(500))
    (files / "long.run").write_text(long)
    html = read_run(files / "long.run")._repr_html_()
    assert html.count("<tr>") == SHOWN_ROWS + 1
    assert "of 500 rows" in html
    assert len(html) < 3000


def test_without_the_library_the_error_says_what_to_install(
    files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "find_spec", lambda _name: None)
    with pytest.raises(ImportError, match="pip install polars"):
        read_run(files / "bm25.run").to_polars()


def test_qrels_and_scores_are_still_tuples(files: Path) -> None:
    found = results(files)
    assert isinstance(found["qrels"], tuple)
    assert isinstance(found["scores"], tuple)


def test_the_examples_of_the_manual_run(files: Path) -> None:
    if importlib.util.find_spec("pandas") is None:
        pytest.skip("pandas is not installed")
    first, second = re.findall(r"```python\n(.*?)```", page_named("python").text, flags=re.DOTALL)[:2]
    names: dict[str, Any] = {}
    exec(first + second, names)
    assert list(names["frame"]["run"]) == ["bm25"]
