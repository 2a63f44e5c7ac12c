"""`workbench curve`, and `workbench score` with documents that are known."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tests.cli.executable import qrels_file, run_file
from workbench.cli.score import curve, score
from workbench.errors import WorkbenchError
from workbench.scoring.curves import CURVES


@pytest.fixture
def qrels(tmp_path: Path) -> Path:
    return qrels_file(tmp_path / "qrels.txt", {"1": {"a": 2, "b": 0, "c": 1, "d": 3}, "2": {"a": 1}})


@pytest.fixture
def one(tmp_path: Path) -> Path:
    return run_file(tmp_path, "one", {"1": "a b c"})


def invoke(*arguments: str | Path) -> Result:
    return CliRunner().invoke(curve, [str(argument) for argument in arguments])


def points(*arguments: str | Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(invoke(*arguments, "--json").stdout)
    return found


def test_a_mean_is_over_all_topics_of_the_qrels_and_says_how_many_the_run_has(qrels: Path, one: Path) -> None:
    # Topic 1: precision 1, 1/2, 2/3 and recall 1/3, 1/3, 2/3; of topic 2 nothing is retrieved.
    found = points("rank", qrels, one, "--depth", "3")
    assert [point["rank"] for point in found] == [1, 2, 3]
    assert [point["precision"] for point in found] == pytest.approx([1 / 2, 1 / 4, 1 / 3])
    assert [point["recall"] for point in found] == pytest.approx([1 / 6, 1 / 6, 1 / 3])
    assert {(point["topics_scored"], point["topics_in_qrels"]) for point in found} == {(1, 2)}


def test_one_topic_alone(qrels: Path, one: Path) -> None:
    (first, second) = points("gain", qrels, one, "--topic", "1", "--depth", "2", "--base", "2")
    assert (first["CG"], first["ICG"], second["DCG"], second["IDCG"]) == (2.0, 3.0, 2.0, 5.0)
    assert (first["topics_scored"], first["topics_in_qrels"]) == (1, 1)
    # Of the other one nothing is retrieved, and nothing of it is judged not relevant.
    (point,) = points("roc", qrels, one, "--topic", "2", "--depth", "1")
    assert (point["fallout"], point["recall"], point["topics_scored"]) == (0.0, 0.0, 0)
    with pytest.raises(WorkbenchError, match="topic 9 is not in the qrels"):
        CliRunner().invoke(curve, ["rank", str(qrels), str(one), "--topic", "9"], catch_exceptions=False)


def test_the_roc_of_a_collection(qrels: Path, one: Path) -> None:
    # One of 13 - 3 documents that are not relevant is read at rank 2.
    found = points("roc", qrels, one, "--topic", "1", "--depth", "3", "--docs", "13")
    assert [point["fallout"] for point in found] == [0.0, 0.1, 0.1]
    with pytest.raises(WorkbenchError, match="4 documents of one topic"):
        CliRunner().invoke(curve, ["roc", str(qrels), str(one), "--docs", "3"], catch_exceptions=False)


def test_several_runs_follow_one_another(qrels: Path, one: Path, tmp_path: Path) -> None:
    two = run_file(tmp_path, "two", {"1": "d", "2": "a"})
    lines = invoke("recall-precision", qrels, one, two).stdout.splitlines()
    assert lines[0] == "run\trecall\tprecision\ttopics"
    assert lines[1] == "one\t0\t0.5000\t1 of 2"
    assert lines[12] == "two\t0\t1.0000\t2 of 2"
    assert len(lines) == 1 + 2 * 11


@pytest.mark.parametrize("kind", CURVES)
def test_every_curve_is_the_same_in_csv_and_json_and_in_the_help(kind: str, qrels: Path, one: Path) -> None:
    table = list(csv.DictReader(invoke(kind, qrels, one, "--csv").stdout.splitlines()))
    objects = points(kind, qrels, one)
    assert [[str(value) for value in point.values()] for point in objects] == [
        list(row.values()) for row in table
    ]
    assert list(table[0]) == list(objects[0])
    assert kind in invoke("--help").stdout.split("Options:")[0]


def test_what_is_known_of_the_relevant_documents(qrels: Path, one: Path, tmp_path: Path) -> None:
    # Known and relevant in topic 1 are a and d, of which a is found; c is found and new. b is not relevant.
    known = qrels_file(tmp_path / "known.txt", {"1": {"a": 1, "b": 1, "d": 0}, "7": {"z": 1}})
    arguments = [str(qrels), str(one), "-m", "P@1", "--known", str(known), "--json", "--per-topic"]
    done = CliRunner().invoke(score, arguments)
    rows = {row["measure"]: row for row in json.loads(done.stdout)}
    assert rows["Coverage"]["per_topic"] == {"1": 0.5, "2": 0.0}
    assert rows["Novelty"]["per_topic"] == {"1": 0.5, "2": 0.0}
    assert (rows["Coverage"]["value"], rows["P@1"]["value"]) == (0.25, 0.5)
    assert "1 of 2 topics" in done.stderr


def test_documents_that_are_known_but_not_relevant_are_no_known_set(
    qrels: Path, one: Path, tmp_path: Path
) -> None:
    known = qrels_file(tmp_path / "known.txt", {"1": {"b": 1}})
    with pytest.raises(WorkbenchError, match="no known document is relevant"):
        CliRunner().invoke(score, [str(qrels), str(one), "--known", str(known)], catch_exceptions=False)
