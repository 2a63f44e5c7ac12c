"""`workbench trust holes`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.cli.executable import qrels_file, run_file
from workbench.cli.trust.collection import holes_command as command


def invoke(*arguments: str | Path) -> Result:
    return CliRunner().invoke(command, [str(argument) for argument in arguments])


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """Of `new` the first documents are not judged."""
    qrels = qrels_file(tmp_path / "qrels.txt", {"1": {"a": 1, "b": 0}, "2": {"a": 1}})
    orders = {"old": {"1": "a b", "2": "a"}, "new": {"1": "x a", "2": "y a"}}
    return [qrels, *(run_file(tmp_path, tag, topics) for tag, topics in orders.items())]


def test_scores_stand_between_their_extremes(files: list[Path]) -> None:
    done = invoke(*files, "-m", "RR", "--csv")
    assert done.stdout.splitlines() == [
        "run,measure,topics,score,score_low,score_high,lowest,highest,condensed",
        "old,RR,2,1.0,,,1.0,1.0,1.0",
        "new,RR,2,0.5,,,0.5,1.0,1.0",
    ]


def test_people_get_the_interval_beside_the_score_and_what_it_comes_to(files: list[Path]) -> None:
    done = invoke(*files, "-m", "P@1", "--cutoff=1")
    assert done.stdout.splitlines()[1].split("\t")[:4] == ["old", "P@1", "2", "1.000"]
    assert "judged@1: 2 of 4 documents (50 %); least in new, 0 %" in done.stderr
    assert "P@1: 0 of 1 pairs" in done.stderr


def test_judged_documents_are_a_table_of_their_own(files: list[Path]) -> None:
    done = invoke(*files, "--cutoff=2", "--part=judged", "--csv")
    assert done.stdout.splitlines()[1:] == ["old,2,2,3,3,1.0,1.0", "new,2,2,2,4,0.5,0.5"]
    assert done.stderr == ""


def test_a_sampled_pool_gives_estimates(files: list[Path], tmp_path: Path) -> None:
    sample = tmp_path / "sample.txt"
    sample.write_text("1 0 a 1 1\n1 0 b 1 0\n1 0 x 1 -1\n", encoding="utf-8")
    done = invoke(*files, "--sample", sample, "--part=estimates")
    # One stratum, so that infAP is for it as well: of new 1/2 + 1/2 x 1 x eps / (2 eps) at rank 2.
    # Of old, a at rank 1: 1. Of new, a at rank 2 below x, of which none above is judged: (1 + 1/3) / 2. For
    # nDCG 1.5 relevant documents are estimated, 2 in the ideal ranking, which gain 1 + 1 / log2(3) = 1.631; a
    # gains 1 in old, and in new 1 / log2(3), for the two documents retrieved.
    assert [line.split("\t")[:5] for line in done.stdout.splitlines()[1:]] == [
        ["old", "infAP", "1", "1", "1.000"],
        ["old", "xinfAP", "1", "1", "1.000"],
        ["old", "infNDCG", "1", "1", "0.613"],
        ["new", "infAP", "1", "1", "0.750"],
        ["new", "xinfAP", "1", "1", "0.667"],
        ["new", "infNDCG", "1", "1", "0.774"],
    ]
    # Of the one sampled topic one relevant document was drawn.
    assert "not as scores: only 1.0 relevant documents per topic were drawn" in done.stderr
    assert invoke(*files, "--part=estimates").exit_code == 2


def test_the_highest_grade_of_the_scale_counts(files: list[Path]) -> None:
    binary, graded = (
        json.loads(invoke(*files, "-m", "ERR@2", *more, "--json").stdout)["runs"][1]["scores"][0]["highest"]
        for more in ([], ["--highest-grade=3"])
    )
    assert binary < graded


def test_prels_give_statap(files: list[Path], tmp_path: Path) -> None:
    prels = tmp_path / "prels"
    prels.write_text("1 a 1 1 0.5\n1 b 0 2 1.0\n1 x 1 0 0.5\n2 a 0 1 1.0\n", encoding="utf-8")
    done = invoke(*files, "--prels", prels, "--part=estimates", "--csv")
    # The relevant a, which stands for two, comes first in old and second in new; x was not drawn for statAP.
    # Of topic 2 no relevant document was drawn: one of two topics counts.
    assert done.stdout.splitlines()[1:] == ["old,statAP,1,2,1.0,,", "new,statAP,1,2,0.5,,"]


def test_a_topic_that_a_run_lacks_counts_in_estimates_as_in_scores(tmp_path: Path) -> None:
    """By hand: of both topics one document of one is drawn, which is relevant; with it first xinfAP is 1.

    sample_eval.pl, which leaves topic 2 out, has 1; here it is 1/2, as AP is.
    """
    qrels = qrels_file(tmp_path / "qrels", {"1": {"a": 1}, "2": {"b": 1}})
    sample = tmp_path / "sample.txt"
    sample.write_text("1 0 a 1 1\n2 0 b 1 1\n", encoding="utf-8")
    half = run_file(tmp_path, "half", {"1": "a"})
    done = invoke(qrels, half, "--sample", sample, "--part=estimates", "-m", "AP", "--json")
    (run,) = json.loads(done.stdout)["runs"]
    assert run["estimates"]["xinfAP"]["mean"] == run["scores"][0]["score"]["mean"] == 0.5
    assert 'topics that run "half" lacks count as if it retrieved nothing: 2' in done.stderr
