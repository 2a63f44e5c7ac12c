"""Files that do not belong together: every command that compares them warns, with a guess at the cause."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.cli.executable import qrels_file, run_file
from workbench.cli.main import workbench
from workbench.errors import InvalidInput

COMPOSED = "café-12"
GRADES = {"1": {"FT1": 1, "FT2": 0, COMPOSED: 1}, "2": {"FT1": 1, "FT3": 0}}


def invoke(*arguments: str | Path) -> Result:
    return CliRunner().invoke(workbench, [str(argument) for argument in arguments])


@pytest.fixture
def qrels(tmp_path: Path) -> Path:
    return qrels_file(tmp_path / "qrels", GRADES)


@pytest.mark.parametrize(
    ("topic", "docno", "cause"),
    [
        (
            "Q1",
            "FT1",
            'no topic of the qrels: ids seem to differ by what stands before the number, as "Q1" and "1"',
        ),
        ("001", "FT1", 'no topic of the qrels: ids seem to differ by leading zeros, as "001" and "1"'),
        ("99", "FT1", 'no topic of the qrels: "99" and "1" may be of different collections'),
        ("1", "ft1", 'is judged: ids seem to differ in upper and lower case, as "ft1" and "FT1"'),
        ("1", "docs/FT1.txt", "is judged: ids seem to differ by a folder or the ending of a file"),
        ("1", unicodedata.normalize("NFD", COMPOSED), "is judged: ids seem to differ in their Unicode form"),
        ("1", "LA7", 'is judged: "LA7" and "FT1" may be of different collections'),
    ],
)
def test_a_run_of_which_nothing_matches_is_told_with_a_guess(
    tmp_path: Path, qrels: Path, topic: str, docno: str, cause: str
) -> None:
    done = invoke("score", qrels, run_file(tmp_path, "A", {topic: docno}))
    assert cause in done.stderr
    assert done.exit_code == 0


def test_single_docnos_of_another_unicode_form_are_told(tmp_path: Path, qrels: Path) -> None:
    """They are compared to the byte, so that the score is lower; only the warning says why."""
    run = run_file(tmp_path, "A", {"1": f"FT1 {unicodedata.normalize('NFD', COMPOSED)}"})
    done = invoke("score", qrels, run, "-m", "R@10", "--per-topic")
    assert '1 document of run "A" would be judged if docnos had one Unicode form' in done.stderr
    assert "A\t1\t0.5000" in done.stdout


def test_what_matches_is_not_warned_of(tmp_path: Path, qrels: Path) -> None:
    assert invoke("score", qrels, run_file(tmp_path, "A", {"1": f"LA7 {COMPOSED}"})).stderr == ""


@pytest.mark.parametrize(
    "command",
    [
        "score QRELS ALIEN",
        "score QRELS ALIEN --warnings",
        "score QRELS ALIEN --format trec_eval",
        "score QRELS ALIEN --format ir_measures",
        "compare QRELS ALIEN RUN",
        "pairs QRELS ALIEN RUN",
        "topics QRELS ALIEN RUN",
        "curve rank QRELS ALIEN",
        "trust topics QRELS ALIEN RUN",
        "trust holes QRELS ALIEN",
        "trust depth QRELS ALIEN RUN --depth 2 --deeper 3",
        "trust runs QRELS ALIEN RUN --depth 1",
        "trust judges ALIEN RUN -a QRELS",
        "pool ALIEN --strategy move-to-front --qrels QRELS",
    ],
)
def test_every_command_that_compares_runs_with_qrels_warns(tmp_path: Path, qrels: Path, command: str) -> None:
    judgments = tmp_path / "judgments.tsv"
    judgments.write_text("topic\tdoc\tassessor\tgrade\n1\tFT1\tx\t1\n1\tFT1\ty\t1\n1\tFT2\tx\t0\n")
    files = {
        "QRELS": qrels,
        "RUN": run_file(tmp_path, "own", {"1": "FT1 FT2", "2": "FT3"}),
        "ALIEN": run_file(tmp_path, "alien", {"Q1": "FT1 FT2", "Q2": "FT3"}),
        "JUDGMENTS": judgments,
    }
    done = invoke(*(files.get(word, word) for word in command.split()))
    assert 'warning: run "alien" has no topic of the qrels: ids seem to differ' in done.stderr
    assert 'run "own"' not in done.stderr


def test_assessors_without_a_common_pair_are_told_why(tmp_path: Path, qrels: Path) -> None:
    other = qrels_file(tmp_path / "other", {"Q1": {"FT1": 1}})
    done = invoke("agree", qrels, other)
    assert (
        "warning: other shares no pair of topic and document with any other assessor: ids seem" in done.stderr
    )


def test_a_simulation_of_other_documents_or_topics_is_told_why(tmp_path: Path, qrels: Path) -> None:
    documents, topics = tmp_path / "docs.jsonl", tmp_path / "topics.tsv"
    documents.write_text('{"id": "ft1", "text": "cat"}\n{"id": "ft2", "text": "dog"}\n')
    topics.write_text("Q1\tcat\n")
    done = invoke("simulate", documents, qrels, topics)
    assert f"warning: no topic of {topics} is in {qrels}: ids seem to differ" in done.stderr
    assert f"warning: no relevant document of {qrels} is in {documents}: ids seem to differ" in done.stderr


@pytest.mark.parametrize(
    "command",
    [
        "score QRELS RUNS",
        "score QRELS RUNS --warnings",
        "compare QRELS RUNS",
        "pairs QRELS RUNS",
        "topics QRELS RUNS",
        "curve rank QRELS RUNS",
        "pool RUNS --depth 2",
        "analyse RUNS --depth 2",
        "trust topics QRELS RUNS",
        "trust holes QRELS RUNS",
        "trust depth QRELS RUNS --depth 2",
        "trust runs QRELS RUNS --depth 1",
        "trust judges RUNS -a QRELS",
    ],
)
def test_two_files_with_one_tag_are_refused_alike(tmp_path: Path, qrels: Path, command: str) -> None:
    one, other = (run_file(tmp_path, "A", {"1": docno}).rename(tmp_path / docno) for docno in ("FT1", "FT2"))
    words = [{"QRELS": [qrels], "RUNS": [one, other]}.get(word, [word]) for word in command.split()]
    done = invoke(*(word for some in words for word in some))
    assert isinstance(done.exception, InvalidInput)
    (finding,) = done.exception.findings
    assert finding.message == f'the tag "A" is also that of {one}'
    assert "--name-by file" in finding.remedy
    assert "one run in parts" in finding.remedy


@pytest.mark.parametrize(
    "command",
    [
        "topics QRELS WHOLE HALF",
        "trust topics QRELS WHOLE HALF",
        "trust holes QRELS HALF",
        "trust runs QRELS WHOLE HALF --depth 1",
        "trust judges WHOLE HALF -a QRELS",
    ],
)
def test_topics_that_a_run_lacks_are_named_where_they_count(
    tmp_path: Path, qrels: Path, command: str
) -> None:
    judgments = tmp_path / "judgments.tsv"
    judgments.write_text("topic\tdoc\tassessor\tgrade\n1\tFT1\tx\t1\n2\tFT1\tx\t1\n")
    files = {
        "QRELS": qrels,
        "WHOLE": run_file(tmp_path, "whole", {"1": "FT1 FT2", "2": "FT3 FT1"}),
        "HALF": run_file(tmp_path, "half", {"1": "FT2 FT1"}),
        "JUDGMENTS": judgments,
    }
    done = invoke(*(files.get(word, word) for word in command.split()))
    assert 'topics that run "half" lacks count as if it retrieved nothing: 2 (1 in all)' in done.stderr
    assert 'run "whole"' not in done.stderr
