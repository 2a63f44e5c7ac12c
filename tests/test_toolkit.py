"""The functions that `import workbench` gives: each agrees with the command of its name."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import workbench
from tests.releases.made import small_release, write_release
from tests.tree import ROOT
from workbench import (
    agree,
    check_release,
    compare_releases,
    leave_out_groups,
    make_pool,
    rank_by_judges,
    read_qrels,
    read_release,
    read_run,
    score,
    score_on_release,
    settle,
)
from workbench.cli.main import workbench as command
from workbench.errors import InvalidInput, WorkbenchError
from workbench.records import Judgment, Qrel, Ranking, Run


def printed(*words: str) -> str:
    done = CliRunner().invoke(command, list(words))
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.fixture
def runs(tmp_path: Path) -> list[str]:
    texts = {
        "a": "1 Q0 d1 1 3.0 a\n1 Q0 d2 2 2.0 a\n1 Q0 d3 3 1.0 a\n",
        "b": "1 Q0 d4 1 9.0 b\n1 Q0 d1 2 8.0 b\n",
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.run").write_text(text)
    return [str(tmp_path / f"{name}.run") for name in texts]


@pytest.fixture
def qrels(tmp_path: Path) -> str:
    path = tmp_path / "some.qrels"
    path.write_text("1 0 d1 1\n1 0 d2 0\n1 0 d4 2\n")
    return str(path)


def test_a_run_and_qrels_are_read(runs: list[str], qrels: str) -> None:
    assert read_run(runs[0]).rankings["1"].docnos == ("d1", "d2", "d3")
    assert read_qrels(qrels) == (Qrel("1", "d1", 1), Qrel("1", "d2", 0), Qrel("1", "d4", 2))


def test_a_pool_is_that_of_the_command(runs: list[str]) -> None:
    pairs = [f"{entry.topic}\t{entry.docno}" for entry in make_pool(runs, depth=1).entries]
    assert pairs == ["1\td1", "1\td4"]
    assert printed("pool", *runs, "--depth", "1").splitlines() == pairs


def test_scores_are_those_of_the_command_and_runs_may_be_read_before(runs: list[str], qrels: str) -> None:
    # d1 first of three, d4 missing: AP is (1/1) / 2. Both of run b's documents are relevant: AP is 1.
    found = score(qrels, [read_run(runs[0]), runs[1]], "AP")
    assert {one.tag: one.values["AP"] for one in found} == {"a": 0.5, "b": 1.0}
    rows = json.loads(printed("score", qrels, *runs, "-m", "AP", "--json"))
    assert {row["run"]: row["value"] for row in rows} == {"a": 0.5, "b": 1.0}


def test_agreement_is_that_of_the_command(tmp_path: Path, qrels: str) -> None:
    # d1 and d4 relevant to the first; to the second d1 alone. Observed 2/3; relevant are 3 of 6 grades, so
    # chance is 1/2, and pooled kappa (2/3 - 1/2) / (1/2) = 1/3.
    other = tmp_path / "other.qrels"
    other.write_text("1 0 d1 1\n1 0 d2 0\n1 0 d4 0\n1 0 d9 -1\n")
    report = agree(qrels, other)
    assert report.estimate("pooled").value == pytest.approx(1 / 3)
    printed_value = json.loads(printed("agree", qrels, str(other), "--json"))["coefficients"]["pooled"][
        "value"
    ]
    assert report.estimate("pooled").value == printed_value
    assert agree(read_qrels(qrels), other).estimate("pooled").value == printed_value


def test_one_file_of_judgments_has_all_assessors(tmp_path: Path) -> None:
    file = tmp_path / "judgments.tsv"
    rows = [("topic", "doc", "assessor", "grade")]
    rows += [("1", f"d{n}", who, str(n % 2)) for n in range(4) for who in ("ann", "ben")]
    rows += [("1", "d5", "ann", "unsure"), ("1", "d5", "ben", "1")]
    file.write_text("".join("\t".join(row) + "\n" for row in rows))
    report = agree(file)
    assert report.estimate("pooled").value == 1.0
    assert report.selection.counts.unsure == 1


def test_judgments_are_settled_by_a_rule(tmp_path: Path) -> None:
    file = tmp_path / "judgments.tsv"
    rows = [("topic", "doc", "assessor", "grade"), ("1", "d1", "ann", "2"), ("1", "d1", "ben", "2")]
    rows += [("1", "d1", "cyd", "0"), ("1", "d2", "ann", "1"), ("1", "d2", "ben", "0")]
    file.write_text("".join("\t".join(row) + "\n" for row in rows))
    assert settle(file, rule="majority", ties="higher").qrels == (Qrel("1", "d1", 2), Qrel("1", "d2", 1))
    # As the command: the latest answer of an assessor counts, and a grade can mean "cannot judge".
    rows += [("1", "d2", "ben", "1"), ("1", "d3", "ann", "-2"), ("1", "d3", "ben", "1")]
    file.write_text("".join("\t".join(row) + "\n" for row in rows))
    found = settle(file, rule="sum", line=2, cannot_judge=[-2])
    assert [(one.docno, one.grade) for one in found.qrels] == [("d1", 4)]  # three people graded it alone
    highest = settle(file, rule="any", cannot_judge=[-2])
    assert [(one.docno, one.grade) for one in highest.qrels] == [("d1", 2), ("d2", 1), ("d3", 1)]
    assert agree(file, cannot_judge=[-2]).selection.counts.cannot_judge == 1


def test_runs_are_ranked_by_judges_as_by_the_command(tmp_path: Path, runs: list[str]) -> None:
    file = tmp_path / "judged.tsv"
    rows = [("topic", "doc", "assessor", "grade"), ("1", "d1", "ann", "1"), ("1", "d4", "ann", "0")]
    rows += [("1", "d1", "ben", "0"), ("1", "d4", "ben", "1")]
    file.write_text("".join("\t".join(row) + "\n" for row in rows))
    found = rank_by_judges(file, runs, reference="ann", mixtures=10)
    # Run a has d1 first and d4 not at all, b d4 and then d1.
    assert {one.name: one.coefficients["tau_a"] for one in found.others}["ben"] == -1
    words = ("trust", "judges", *runs, "-j", str(file), "--reference", "ann", "--mixtures", "10", "--json")
    assert json.loads(printed(*words))["mixtures"]["swapped"]["mean"] == found.mixtures.swapped.mean  # type: ignore[union-attr]
    with pytest.raises(WorkbenchError):
        rank_by_judges([Judgment("ann", "1", "d1", 1)], runs)


def test_groups_are_left_out_as_by_the_command(runs: list[str], qrels: str) -> None:
    found = leave_out_groups(qrels, runs, depth=1)
    # At depth 1 run a alone brought d1, and b alone d4.
    assert {one.group: one.unique for one in found.groups} == {"a": 1, "b": 1}
    data = json.loads(printed("trust", "runs", qrels, *runs, "--depth", "1", "--json"))
    assert [one["without"] for one in data["pooled"]] == [one.without for one in found.pooled]


def test_what_is_wrong_is_raised_with_its_place(tmp_path: Path, runs: list[str], qrels: str) -> None:
    bad = tmp_path / "bad.run"
    bad.write_text("1 Q0 d1 1 3.0 a\n1 Q0 d1\n")
    with pytest.raises(InvalidInput) as refused:
        read_run(bad)
    assert [(finding.source, finding.line) for finding in refused.value.findings] == [(str(bad), 2)]
    with pytest.raises(FileNotFoundError):
        read_qrels(tmp_path / "missing.qrels")
    with pytest.raises(WorkbenchError):
        make_pool(runs, strategy="guessing")
    with pytest.raises(WorkbenchError):
        score(qrels, runs, "Luck")
    with pytest.raises(WorkbenchError, match="no order of ties 'foo'"):
        make_pool(runs, ties="foo")
    with pytest.raises(WorkbenchError, match="no coefficient 'kappa'"):
        agree(qrels, qrels).estimate("kappa")
    with pytest.raises(WorkbenchError, match='no judgment of the assessor "zoe"'):
        settle([Judgment("ann", "1", "d1", 1)], rule="one", assessor="zoe")


def test_one_run_and_measures_may_be_given_as_they_are(runs: list[str], qrels: str) -> None:
    (alone,) = score(qrels, runs[0], ["AP", "P@5"])
    assert (alone.tag, list(alone.values)) == ("a", ["AP", "P@5"])


def test_the_lines_of_readme_run(
    tmp_path: Path, runs: list[str], qrels: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    snippet = re.search(
        r"^## From Python\n+```python\n(.*?)```", (ROOT / "README.md").read_text(), re.M | re.S
    )
    assert snippet is not None
    monkeypatch.chdir(tmp_path)
    for name, source in {"bm25.run": runs[0], "dense.run": runs[1], "qrels.txt": qrels}.items():
        Path(name).write_text(Path(source).read_text())
    for name in ("ada.qrels", "ben.qrels"):
        Path(name).write_text(Path(qrels).read_text())
    Path("judgments.tsv").write_text("topic\tdoc\tassessor\tgrade\n1\td1\tann\t2\n1\td1\tben\t1\n")
    found: dict[str, Any] = {}
    exec(snippet[1], found)
    assert [entry.docno for entry in found["pool"].entries] == ["d1", "d2", "d3", "d4"]
    assert found["report"].estimate("pooled").value == 1.0
    assert found["settled"].qrels == (Qrel("1", "d1", 2),)
    assert [one.tag for one in found["scores"]] == ["a", "b"]


def test_the_package_gives_what_it_promises_and_loads_nothing_before_it_is_used() -> None:
    for name in workbench.__all__:
        assert getattr(workbench, name)
    with pytest.raises(AttributeError):
        workbench.guess  # noqa: B018 - there is no such name
    program = (
        "import sys, workbench; print(sorted({'numpy', 'flask', 'sqlalchemy', 'click'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_qrels_with_subtopics_are_for_diversity_measures(tmp_path: Path) -> None:
    (file := tmp_path / "diverse.qrels").write_text("1 1 d1 1\n1 2 d1 0\n1 2 d2 1\n1 1 d3 -2\n")
    qrels = read_qrels(file, cannot_judge=[-2])
    assert [(qrel.docno, qrel.iteration) for qrel in qrels] == [("d1", "1"), ("d1", "2"), ("d2", "2")]
    retrieved = Run("A", {"1": Ranking(("d2",), (1.0,))})
    assert score(qrels, [retrieved], "StRecall@20")[0].values["StRecall@20"] == 0.5
    assert score(file, [retrieved], "alpha_nDCG@20")[0].values["alpha_nDCG@20"] > 0
    with pytest.raises(WorkbenchError):
        agree(qrels, qrels)
    with pytest.raises(InvalidInput):
        agree(file, file)


def test_a_release_is_checked_opened_scored_and_compared_in_a_line_each(tmp_path: Path) -> None:
    one, other = tmp_path / "one.zip", tmp_path / "other.zip"
    one.write_bytes(write_release(small_release()))
    changed = small_release(qrels=(Qrel("T1", "d#1", 1), Qrel("T1", "é2", 1)))
    assert check_release(one).whole
    assert read_release(one).qrels == small_release().qrels
    # The run finds d#1, the one relevant document; with é2 relevant too, one of two.
    run = Run("x", {"T1": Ranking(("d#1",), (1.0,))})
    assert [score_on_release(each, [run], "AP")[0].values["AP"] for each in (one, changed)] == [1, 0.5]
    found = compare_releases(one, changed)
    assert [(pair.docno, pair.before, pair.after) for pair in found.changed] == [("é2", 0, 1)]
    assert found.ranking is not None
    assert [(run.tag, run.before, run.after) for run in found.ranking.runs] == [("alpha", 1.0, 0.5)]
    other.write_bytes(one.read_bytes()[:-1])
    assert not check_release(other).whole
    with pytest.raises(InvalidInput):
        read_release(other)


def test_scores_warn_of_a_run_that_matches_nothing() -> None:
    alien = Run("A", {"Q1": Ranking(("d1",), (1.0,))})
    with pytest.warns(UserWarning, match='run "A" has no topic of the qrels'):
        score((Qrel("1", "d1", 1),), [alien], "AP")


def test_two_runs_with_one_tag_are_not_one_run_of_a_comparison(tmp_path: Path) -> None:
    release = tmp_path / "release.zip"
    release.write_bytes(write_release(small_release()))
    run = Run("A", {"1": Ranking(("d1",), (1.0,))})
    with pytest.raises(WorkbenchError, match='two runs have the tag "A"'):
        compare_releases(release, release, [run, run])
