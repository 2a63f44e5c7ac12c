"""Measures of which a lower value is better: every command that orders runs or topics, or says "better"."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.cli.executable import qrels_file, run_file
from workbench.cli.main import workbench
from workbench.scoring.kernels import KERNELS

MEASURES = {
    "E": "E@1",
    "ESL": "ESL(n=1)",
    "Fallout": "Fallout(docs=10)@1",
    "RBPResidual": "RBPResidual(p=0.8)",
}


def test_every_measure_of_which_lower_is_better_is_tried_here() -> None:
    assert MEASURES.keys() == {name for name, kernel in KERNELS.items() if not kernel.descending}


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """On topic 1 both runs have the relevant document first; on others the bad one has an unjudged before."""
    topics = [str(number) for number in range(1, 7)]
    qrels = qrels_file(tmp_path / "qrels", {topic: {"a": 1, "b": 0} for topic in topics})
    good = run_file(tmp_path, "good", dict.fromkeys(topics, "a b"))
    bad = run_file(tmp_path, "bad", {topic: "a b" if topic == "1" else "x a" for topic in topics})
    return [qrels, good, bad]


def invoke(*arguments: str | Path) -> Result:
    return CliRunner().invoke(workbench, [str(argument) for argument in arguments], catch_exceptions=False)


@pytest.mark.parametrize("measure", MEASURES.values())
def test_the_run_with_the_lower_value_is_the_better_one(files: list[Path], measure: str) -> None:
    done = invoke("compare", *files, "-m", measure)
    assert "better on 5, equal on 1, worse on 0" in done.stderr
    found = json.loads(invoke("compare", *files, "-m", measure, "--json").stdout)
    assert (found["better"], found["worse"]) == (5, 0)
    assert found["difference"] < 0
    # Where the first run is furthest ahead comes first; topic 1 is the one without a difference.
    assert found["by_topic"][-1]["topic"] == "1"
    assert "better on 5, equal on 1, worse on 0" in invoke("compare", *files, "-m", measure, "--latex").stdout
    (pair,) = json.loads(invoke("pairs", *files, "-m", measure, "--json").stdout)["pairs"]
    assert (pair["first"], pair["second"]) == ("good", "bad")


@pytest.mark.parametrize("measure", MEASURES.values())
def test_the_hardest_topic_has_the_highest_value(files: list[Path], measure: str) -> None:
    found = json.loads(invoke("topics", *files, "-m", measure, "--json").stdout)
    assert [one["topic"] for one in found] == ["2", "3", "4", "5", "6", "1"]


@pytest.mark.parametrize("measure", MEASURES.values())
def test_the_largest_of_equally_certain_differences_comes_first(tmp_path: Path, measure: str) -> None:
    topics = [str(number) for number in range(1, 7)]
    qrels = qrels_file(tmp_path / "qrels", {topic: {"a": 1, "b": 0} for topic in topics})
    worse = {"none": 0, "some": 2, "more": 6}
    runs = [
        run_file(tmp_path, tag, {topic: "x y a" if int(topic) <= many else "a b" for topic in topics})
        for tag, many in worse.items()
    ]
    # Wilcoxon's p of two topics is 1/2 at least, of four 1/8, of six 1/32; Holm leaves the order.
    found = json.loads(invoke("pairs", qrels, *runs, "-m", measure, "--method", "t-holm", "--json").stdout)
    same = [one for one in found["pairs"] if one["p_adjusted"] == found["pairs"][0]["p_adjusted"]]
    sizes = [abs(one["difference"]) for one in same]
    assert sizes == sorted(sizes, reverse=True)


def test_a_topic_that_a_run_lacks_is_no_gain_in_a_condensed_list(tmp_path: Path) -> None:
    """E of the topic that is not answered is 1, also where unjudged documents are left out: (0 + 1) / 2."""
    qrels = qrels_file(tmp_path / "qrels", {"1": {"a": 1}, "2": {"a": 1}})
    run = run_file(tmp_path, "half", {"1": "a"})
    (half,) = json.loads(invoke("trust", "holes", qrels, run, "-m", "E@1", "--json").stdout)["runs"]
    (row,) = half["scores"]
    assert (row["score"]["mean"], row["condensed"]) == (0.5, 0.5)
