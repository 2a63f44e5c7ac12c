"""`workbench compare`, `pairs` and `topics`."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from tests.cli.executable import qrels_file, run_file
from workbench.cli.compare import compare, pairs, topics
from workbench.errors import WorkbenchError
from workbench.scoring.pairs_of_runs import Comparisons
from workbench.scoring.two_runs import TESTS

# RR of good is 1 on both topics, of fair 1/2 and 1, of poor 1/3 and 0.
ORDERS = {
    "good": {"1": "a b c", "2": "a b c"},
    "fair": {"1": "b a c", "2": "a b c"},
    "poor": {"1": "b c a", "2": "b c"},
}


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    qrels = qrels_file(tmp_path / "2026.qrels", {"1": {"a": 1, "b": 0}, "2": {"a": 1, "d": 2}})
    return [qrels, *(run_file(tmp_path, tag, orders) for tag, orders in ORDERS.items())]


def invoke(command: click.Command, *arguments: str | Path) -> Result:
    measure = [] if "-m" in arguments else ["-m", "RR"]
    return CliRunner().invoke(command, [*measure, *(str(argument) for argument in arguments)])


def test_two_runs_are_compared_by_topic_and_tested(files: list[Path]) -> None:
    found = json.loads(invoke(compare, files[0], files[1], files[3], "--json", "--seed=7").stdout)
    # Differences 2/3 and 1: the mean is 5/6.
    assert (found["first"], found["second"], found["topics"]) == ("good", "poor", 2)
    assert found["difference"] == pytest.approx(5 / 6)
    assert [line["topic"] for line in found["by_topic"]] == ["2", "1"]
    assert {test["test"] for test in found["tests"]} == set(TESTS)
    assert {test["undefined"] for test in found["tests"]} == {"fewer than 5 topics"}


def test_two_runs_are_tables_for_people_and_for_papers(files: list[Path]) -> None:
    done = invoke(compare, *files[:3])
    assert done.stdout.splitlines()[:2] == ["topic\tgood\tfair\tdifference", "1\t1.0000\t0.5000\t0.5000"]
    assert "0.2500 (no interval of fewer than 5 topics)" in done.stderr
    assert "2026.qrels" in invoke(compare, *files[:3], "--latex").stdout
    assert invoke(compare, *files[:3], "--csv").stdout.splitlines()[1:] == ["1,1.0,0.5,0.5", "2,1.0,1.0,0.0"]


@pytest.mark.parametrize(("count", "said"), [(1, "1 was given"), (3, "3 were given: see workbench pairs")])
def test_compare_takes_two_runs(files: list[Path], count: int, said: str) -> None:
    done = invoke(compare, *files[: count + 1])
    assert done.exit_code == 2
    assert f"two runs are compared, and {said}" in done.output


def test_every_two_runs_are_tested_with_a_correction(files: list[Path]) -> None:
    found = json.loads(invoke(pairs, *files, "--method=t-holm", "--json").stdout)
    assert (found["method"], found["topics"], found["seed"]) == ("t-holm", 2, None)
    differences = {(pair["first"], pair["second"]): pair["difference"] for pair in found["pairs"]}
    # Means 1, 3/4 and 1/6.
    assert differences == {
        ("good", "fair"): pytest.approx(1 / 4),
        ("good", "poor"): pytest.approx(5 / 6),
        ("fair", "poor"): pytest.approx(7 / 12),
    }
    done = invoke(pairs, *files)
    assert "no interval and no test of fewer than 5 topics" in done.stderr
    assert len(done.stdout.splitlines()) == 4
    assert "2026.qrels" in invoke(pairs, *files, "--latex").stdout


def test_topics_come_by_difficulty_or_disagreement(files: list[Path]) -> None:
    # RR of topic 1: 1, 1/2, 1/3; of topic 2: 1, 1, 0, which is easier in the median and more disputed.
    found = json.loads(invoke(topics, *files, "--json").stdout)
    assert [(one["topic"], one["median"], one["relevant"]) for one in found] == [("1", 0.5, 1), ("2", 1.0, 2)]
    disputed = invoke(topics, *files, "--order=disagreement")
    assert [line.split("\t")[0] for line in disputed.stdout.splitlines()] == ["topic", "2", "1"]
    assert "3 runs on 2 topics" in disputed.stderr


def test_the_threshold_of_the_measure_decides_what_is_relevant(files: list[Path]) -> None:
    found = json.loads(invoke(topics, *files, "--json", "-m", "RR(rel=2)").stdout)
    assert {one["topic"]: one["relevant"] for one in found} == {"1": 0, "2": 1}


def test_runs_are_compared_by_one_measure(files: list[Path]) -> None:
    assert isinstance(invoke(topics, *files, "-m", "AP P@10").exception, WorkbenchError)
    # Repeated as `score` takes it, the first would be dropped without a word.
    again = invoke(topics, *files, "-m", "AP", "-m", "P@10")
    assert (again.exit_code, "one measure is compared, and 2 were given" in again.stderr) == (2, True)


def test_no_significance_is_claimed_over_topics_that_a_run_does_not_have(tmp_path: Path) -> None:
    qrels = qrels_file(tmp_path / "q", {str(topic): {"a": 1} for topic in range(1, 8)})
    whole = run_file(tmp_path, "whole", {str(topic): "a b" for topic in range(1, 8)})
    part = run_file(tmp_path, "part", {str(topic): "b a" for topic in range(1, 7)})
    # RR is 1 against 1/2 on the six topics that both have; on the seventh it would be 1 against 0.
    found = json.loads(invoke(compare, qrels, whole, part, "--json").stdout)
    assert (found["topics"], found["difference"], found["left_out"]) == (6, 0.5, ["7"])
    assert "topics that a run lacks are not compared: 7" in invoke(compare, qrels, whole, part).stderr
    asked = json.loads(invoke(compare, qrels, whole, part, "--json", "--average-over=qrels").stdout)
    assert (asked["topics"], asked["difference"]) == (7, pytest.approx(4 / 7))
    every = json.loads(invoke(pairs, qrels, whole, part, "--json").stdout)
    assert (every["topics"], every["left_out"], every["pairs"][0]["difference"]) == (6, ["7"], 0.5)


def test_runs_without_a_topic_in_common_are_not_tested(tmp_path: Path) -> None:
    qrels = qrels_file(tmp_path / "q", {"1": {"a": 1}, "2": {"a": 1}})
    one = run_file(tmp_path, "one", {"1": "a", "2": "a"})
    other = run_file(tmp_path, "other", {"Q1": "a", "Q2": "a"})
    for command in (compare, pairs):
        done = invoke(command, qrels, one, other)
        assert isinstance(done.exception, WorkbenchError)
        assert '"other" has 0 of 2' in done.exception.message
        assert 'ids seem to differ by what stands before the number, as "Q1" and "1"' in done.stderr


def test_five_topics_are_tested(tmp_path: Path) -> None:
    """All signs of five equal differences: of 32 two are as far from 0, p = .0625."""
    topics = [str(topic) for topic in range(1, 6)]
    qrels = qrels_file(tmp_path / "q", {topic: {"a": 1} for topic in topics})
    one = run_file(tmp_path, "one", dict.fromkeys(topics, "a b"))
    other = run_file(tmp_path, "other", dict.fromkeys(topics, "b a"))
    found = json.loads(invoke(compare, qrels, one, other, "--json", "--seed=7").stdout)
    assert (found["low"], found["high"]) == (0.5, 0.5)
    assert {test["test"]: test["p"] for test in found["tests"]}["randomisation"] == 0.0625
    said = invoke(pairs, qrels, one, other, "--json", "--method=randomisation-holm").stdout
    (pair,) = json.loads(said)["pairs"]
    assert pair["p_adjusted"] == 0.0625
    # A t has an error by which the differences vary: here by that of the first topic.
    third = run_file(tmp_path, "third", dict.fromkeys(topics, "b a") | {"1": "a b"})
    for method in ("max-t", "t-holm"):
        (pair,) = json.loads(invoke(pairs, qrels, one, third, "--json", "--method", method).stdout)["pairs"]
        assert pair["p_adjusted"] is not None


def test_pairs_say_that_a_test_can_find_nothing(tmp_path: Path) -> None:
    """Five signs have no p below 2 / 2 ** 5 = .0625, six have .03125."""
    topics = [str(topic) for topic in range(1, 6)]
    qrels = qrels_file(tmp_path / "q", {topic: {"a": 1} for topic in topics})
    runs = [
        run_file(tmp_path, "one", dict.fromkeys(topics, "a b")),
        run_file(tmp_path, "other", dict.fromkeys(topics, "b a") | {"1": "a b"}),
    ]
    found = json.loads(invoke(pairs, qrels, *runs, "--json", "--method=wilcoxon-holm").stdout)
    assert found["finds_nothing"] == "with 5 topics and 1 pair this test can find nothing: it needs 6 topics"
    assert json.loads(invoke(pairs, qrels, *runs, "--json", "--method=t-holm").stdout)["finds_nothing"] == ""


@pytest.mark.parametrize("method", [str(one) for one in Comparisons])
def test_few_topics_have_no_p_of_any_method(files: list[Path], method: str) -> None:
    found = json.loads(invoke(pairs, *files, "--method", method, "--json").stdout)
    assert {(one["p_adjusted"], one["low"], one["significant"]) for one in found["pairs"]} == {
        (None, None, False)
    }
    assert "\\begin{tabular}" in invoke(pairs, *files, "--method", method, "--latex").stdout


def test_pairs_that_have_one_topic_in_common_name_the_run_that_lacks_the_others(tmp_path: Path) -> None:
    qrels = qrels_file(tmp_path / "q", {"1": {"a": 1}, "2": {"a": 1}})
    runs = [run_file(tmp_path, "whole", {"1": "a", "2": "a"}), run_file(tmp_path, "half", {"1": "a"})]
    error = invoke(pairs, qrels, *runs).exception
    assert isinstance(error, WorkbenchError)
    assert error.message == 'the runs have 1 topic of the qrels in common: "half" has 1 of 2'
    assert "--average-over qrels" in error.remedy
