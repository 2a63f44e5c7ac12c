"""`workbench score`."""

from __future__ import annotations

import gzip
import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import ir_measures
import pytest
from click.testing import CliRunner, Result

from tests.cli.executable import qrels_file, run_file, workbench
from tests.support import shared
from workbench.cli.score import score
from workbench.errors import WorkbenchError


@pytest.fixture
def qrels(tmp_path: Path) -> Path:
    return qrels_file(tmp_path / "qrels.txt", {"1": {"a": 1, "b": 1, "c": 0}, "2": {"a": 1}})


@pytest.fixture
def runs(tmp_path: Path) -> list[Path]:
    """By hand: AP of `good` is (1 + 2/3) / 2 = 5/6 and 1/2, in the mean 2/3; of `half` 1/2 and 0, so 1/4."""
    return [
        run_file(tmp_path, "good", {"1": "a c b", "2": "x a"}),
        run_file(tmp_path, "half", {"1": "a x y"}),
    ]


def invoke(*arguments: str | Path) -> Result:
    return CliRunner().invoke(score, [str(argument) for argument in arguments])


def said(*arguments: str | Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(invoke(*arguments, "--json").stdout)
    return rows


def test_json_has_a_row_for_every_run_and_measure(qrels: Path, runs: list[Path]) -> None:
    done = workbench("score", qrels, *runs, "-m", "AP P@2", "--json")
    assert (done.returncode, done.stderr) == (0, b"")
    counts = {"topics_scored": 2, "topics_in_qrels": 2}
    fewer = {"topics_scored": 1, "topics_in_qrels": 2}
    assert json.loads(done.stdout) == [
        {"run": "good", "measure": "AP", "value": pytest.approx(2 / 3, abs=1e-15), **counts},
        {"run": "good", "measure": "P@2", "value": 0.5, **counts},
        {"run": "half", "measure": "AP", "value": 0.25, **fewer},
        {"run": "half", "measure": "P@2", "value": 0.25, **fewer},
    ]


def test_people_get_four_decimals_and_how_many_topics_were_scored(qrels: Path, runs: list[Path]) -> None:
    assert invoke(qrels, *runs, "-m", "AP P@2").stdout.splitlines() == [
        "run\tAP\tP@2\ttopics",
        "good\t0.6667\t0.5000\t2 of 2",
        "half\t0.2500\t0.2500\t1 of 2",
    ]


def test_every_topic_may_be_printed(qrels: Path, runs: list[Path]) -> None:
    assert invoke(qrels, *runs, "-m", "AP", "--per-topic").stdout.splitlines() == [
        "run\ttopic\tAP\ttopics",
        "good\t1\t0.8333\t",
        "good\t2\t0.5000\t",
        "good\tall\t0.6667\t2 of 2",
        "half\t1\t0.5000\t",
        "half\t2\t0.0000\t",
        "half\tall\t0.2500\t1 of 2",
    ]
    rows = said(qrels, runs[1], "-m", "AP", "--per-topic")
    assert [row["per_topic"] for row in rows] == [{"1": 0.5, "2": 0.0}]


def test_there_are_measures_for_those_who_name_none(qrels: Path, runs: list[Path]) -> None:
    assert [row["measure"] for row in said(qrels, runs[0])] == ["AP", "nDCG@10", "P@10"]


def test_measures_may_be_named_together_and_one_by_one(qrels: Path, runs: list[Path]) -> None:
    rows = said(qrels, runs[0], "-m", "AP,P@5", "-m", "P(rel=2)@5", "-m", "RR AP")
    assert [row["measure"] for row in rows] == ["AP", "P@5", "P(rel=2)@5", "RR"]


def test_an_unknown_measure_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    result = invoke(tmp_path / "absent.qrels", tmp_path / "absent.run", "-m", "mapp")
    assert isinstance(result.exception, WorkbenchError)
    assert 'there is no measure "mapp"' in str(result.exception)


def test_the_standard_input_is_one_file_only(qrels: Path) -> None:
    assert invoke("-", "-").exit_code == 2
    assert invoke(qrels, "-", "-").exit_code == 2


@pytest.mark.parametrize(
    ("ties", "value"), [([], 0.0), (["--ties=docno-ascending"], 1.0), (["--ties=file"], 0.0)]
)
def test_the_tie_rule_can_be_chosen(ties: list[str], value: float, tmp_path: Path) -> None:
    qrels = qrels_file(tmp_path / "qrels.txt", {"1": {"a": 1}})
    tied = tmp_path / "tied.run"
    tied.write_text("1 Q0 b 1 5.0 tied\n1 Q0 a 2 5.0 tied\n")
    assert said(qrels, tied, "-m", "P@1", *ties)[0]["value"] == value


def test_near_ties_may_be_scored_as_trec_eval_does_since_2023_and_are_noted(tmp_path: Path) -> None:
    qrels = qrels_file(tmp_path / "qrels.txt", {"1": {"a": 1}})
    near = tmp_path / "near.run"
    near.write_text("1 Q0 a 1 1.00000001 near\n1 Q0 z 2 1.0 near\n")
    assert said(qrels, near, "-m", "RR")[0]["value"] == 0.5
    assert said(qrels, near, "-m", "RR", "--double-precision")[0]["value"] == 1.0
    assert invoke(qrels, near).stderr.count("\n") == 1
    assert "in 1 of 1 runs" in invoke(qrels, near).stderr
    assert "in 1 topic of near" in invoke(qrels, near, "--warnings").stderr


def test_ids_that_are_no_utf8_survive_in_json(tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_bytes(b"T\xff 0 d\x80 1\n")
    (tmp_path / "run.txt").write_bytes(b"T\xff Q0 d\x80 1 1.0 tag\xfe\n")
    done = workbench(
        "score", tmp_path / "qrels.txt", tmp_path / "run.txt", "-m", "AP", "--per-topic", "--json"
    )
    (row,) = json.loads(done.stdout)
    assert row["run"].encode("utf-8", "surrogateescape") == b"tag\xfe"
    (topic,) = row["per_topic"]
    assert topic.encode("utf-8", "surrogateescape") == b"T\xff"
    assert row["value"] == 1.0


def test_published_figures_come_out_of_the_program() -> None:
    folder = shared("data", "robust03")
    done = workbench("score", folder / "qrels.txt", folder / "runs" / "rutcor03100.gz", "-m", "AP")
    # published_map.csv: .0737, in a run whose lines are nearly all ties.
    assert done.stdout == b"run\tAP\ttopics\nrutcor03100\t0.0737\t100 of 100\n"


def test_means_may_be_over_the_topics_that_a_run_has(qrels: Path, runs: list[Path]) -> None:
    # `half` has topic 1 alone, with AP 1/2.
    rows = said(qrels, runs[1], "-m", "AP", "--average-over", "run", "--per-topic")
    assert [(row["value"], row["per_topic"]) for row in rows] == [(0.5, {"1": 0.5})]


def test_runs_that_share_a_tag_are_named_by_file(qrels: Path, runs: list[Path], tmp_path: Path) -> None:
    again = tmp_path / "second" / "good.run.gz"
    again.parent.mkdir()
    again.write_bytes(gzip.compress(runs[0].read_bytes()))
    rows = said(qrels, *runs, again, "-m", "AP", "--name-by", "file")
    assert [row["run"] for row in rows] == [str(runs[0]), "half.run", str(again.with_suffix(""))]
    assert workbench("pool", runs[0], again).returncode == 1
    assert workbench("pool", runs[0], again, "--name-by", "file").returncode == 0


def test_topics_without_a_grade_are_noted(tmp_path: Path) -> None:
    qrels = qrels_file(tmp_path / "qrels.txt", {"1": {"a": 1}, "7": {"a": -1}})
    result = invoke(qrels, run_file(tmp_path, "A", {"1": "a", "7": "a"}))
    assert "count as 0: 7 (1 in all)" in result.stderr


TREC_EVALS_OWN = ("trec_eval-tests", "raw")


@pytest.mark.parametrize(
    ("arguments", "expected", "run"),
    [
        (["-m", "official", "--average-over", "run"], "out.test", "results.test"),
        (["-m", "all_trec", "--average-over", "run"], "out.test.a", "results.test"),
        (["-m", "all_trec", "--average-over", "run", "--per-topic"], "out.test.aq", "results.test"),
        (["-m", "all_trec", "--per-topic"], "out.test.aqc", "results.trunc"),
    ],
)
def test_trec_evals_own_tests_come_out_line_by_line(
    arguments: list[str], expected: str, run: str, tmp_path: Path
) -> None:
    folder = shared("data", *TREC_EVALS_OWN)
    # Behind the six columns of one file stand words that trec_eval does not read and Workbench refuses.
    plain = tmp_path / "plain.run"
    lines = [line.split()[:6] for line in (folder / run).read_text().split("\n")]
    plain.write_text("".join(f"{' '.join(columns)}\n" for columns in lines if columns))
    wanted = (folder / expected).read_text().splitlines()
    # These files are of trec_eval 10, which interpolates precision otherwise than 9 (whose code this is), and
    # has measures that 9 has not; `relstring` is a string of letters and no measure.
    others = ("iprec_at_recall", "11pt_avg", "rbp", "unj_", "relstring")
    done = invoke(folder / "qrels.test", plain, *arguments, "--format", "trec_eval")
    found = done.stdout.splitlines()
    assert [line for line in found if not line.startswith(others)] == [
        line for line in wanted if not line.startswith(others)
    ]
    assert any(line.startswith("iprec_at_recall_0.70") for line in found)


def test_ir_measures_prints_the_same_bytes() -> None:
    folder = shared("data", *TREC_EVALS_OWN)
    given = [str(folder / "qrels.test"), str(folder / "results.test")]
    names = ["AP", "nDCG@10", "P(rel=1)@5", "IPrec@0.6", "SetF(beta=2.0)", "RR", "Judged@10"]
    program = [sys.executable, "-m", "ir_measures", *given, *names]
    ours = ["score", *given, "-m", " ".join(names), "--format", "ir_measures"]
    assert workbench(*ours).stdout == subprocess.check_output(program)
    # Of each topic it prints the measures in the order of the scorers that it asks.
    topics = subprocess.check_output([*program, "-q"])
    assert sorted(workbench(*ours, "--per-topic").stdout.splitlines()) == sorted(topics.splitlines())


def test_trec_evals_names_and_ir_measures_names_are_one(qrels: Path, runs: list[Path]) -> None:
    rows = said(qrels, runs[0], "-m", "map ndcg_cut_10 P.5,10 recip_rank set_F")
    assert [row["measure"] for row in rows] == ["AP", "nDCG@10", "P@5", "P@10", "RR", "SetF"]
    lines = invoke(qrels, runs[0], "-m", "nDCG@10 AP P(rel=1)@5", "--format", "trec_eval").stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["map", "P_5", "ndcg_cut_10"]
    refused = invoke(qrels, runs[0], "-m", "AP(rel=2) RR", "--format", "trec_eval").exception
    assert "one relevance level" in str(refused)


def test_ids_outside_utf8_do_not_end_trec_evals_code(tmp_path: Path) -> None:
    # A lone surrogate ends the process of pytrec_eval without a word.
    qrels, run = tmp_path / "qrels.txt", tmp_path / "one.run"
    qrels.write_bytes(b"t\xff 0 d\x80 1\nt\xff 0 d\xc3\xa9 0\n")
    run.write_bytes(b"t\xff Q0 d\xc3\xa9 1 2 A\nt\xff Q0 d\x80 2 1 A\n")
    done = workbench("score", qrels, run, "-m", "map", "--format", "trec_eval")
    assert done.stdout == b"map                   \tall\t0.5000\n"


@pytest.mark.parametrize("others", [["--json"], ["--double-precision"], ["--warnings"]])
def test_what_trec_evals_lines_cannot_have_is_refused(
    others: list[str], qrels: Path, runs: list[Path]
) -> None:
    assert invoke(qrels, runs[0], "--format", "trec_eval", *others).exit_code == 2


@pytest.mark.parametrize("form", ["trec_eval", "ir_measures"])
def test_lines_without_a_tag_are_printed_of_one_run_alone(form: str, qrels: Path, runs: list[Path]) -> None:
    done = invoke(qrels, *runs, "--format", form)
    assert done.exit_code == 2
    assert "does not say of which run a line is: give one RUN" in done.stderr


def test_facts_of_the_qrels_do_not_depend_on_the_run(qrels: Path, runs: list[Path]) -> None:
    """NumRel is num_rel of trec_eval -c: 2 + 1 relevant documents in 2 topics, whatever a run has."""
    values = {(row["run"], row["measure"]): row["value"] for row in said(qrels, *runs, "-m", "NumRel NumQ")}
    assert set(values.values()) == {3.0, 2.0}
    assert values["half", "NumRel"] == values["good", "NumRel"] == 3.0
    done = invoke(qrels, runs[1], "-m", "num_rel", "--format", "trec_eval")
    assert done.stdout.split() == ["num_rel", "all", "3"]


def test_the_two_measures_that_are_called_accuracy_are_told_apart(tmp_path: Path) -> None:
    """By hand: of ten documents two are relevant and a run has one of them and one other: 8 of 10 are right.

    The pair in the run stands in the right order, so that the Accuracy of ir_measures is 1.
    """
    qrels = qrels_file(tmp_path / "qrels", {"1": {"a": 1, "b": 1, "c": 0}})
    run = run_file(tmp_path, "A", {"1": "a c"})
    done = invoke(qrels, run, "-m", "Accuracy SetAccuracy(docs=10)")
    assert done.stdout.splitlines()[1].split("\t")[1:3] == ["1.0000", "0.8000"]
    assert "the accuracy of textbooks" in done.stderr
    assert "SetAccuracy(docs=N)" in done.stderr


@pytest.mark.parametrize("measure", ["SetAccuracy", "Fallout", "Fallout@10"])
def test_what_needs_the_size_of_the_collection_says_how_to_write_it(
    qrels: Path, runs: list[Path], measure: str
) -> None:
    error = invoke(qrels, *runs, "-m", measure).exception
    assert isinstance(error, WorkbenchError)
    assert "needs docs, the number of documents in the collection" in error.message
    assert error.remedy.startswith(f"such as {measure.partition('@')[0]}(docs=")


@pytest.mark.parametrize(
    "words", ["score QRELS RUN -m AUC", "topics QRELS RUN -m AUC", "curve roc QRELS RUN"]
)
def test_a_share_of_documents_that_are_not_relevant_needs_some(tmp_path: Path, words: str) -> None:
    """Two relevant documents and no other are judged; a collection of four has two others."""
    qrels = qrels_file(tmp_path / "qrels", {"1": {"a": 1, "b": 1}})
    run = run_file(tmp_path, "A", {"1": "a c b"})
    refused = workbench(*({"QRELS": qrels, "RUN": run}.get(word, word) for word in words.split()))
    assert refused.returncode == 1
    assert b"undefined: the qrels have no document that is not relevant" in refused.stderr
    assert b"docs" in refused.stderr
    # By hand: a is above both others, b above the one that is not retrieved: 3 of 4 pairs.
    assert "0.7500" in invoke(qrels, run, "-m", "AUC(docs=4)").stdout


def test_the_format_ir_measures_has_the_values_of_that_program(tmp_path: Path) -> None:
    """On ties in every order, holes, topics that the run or the qrels lack."""
    draw = random.Random(7)
    qrels = qrels_file(
        tmp_path / "qrels",
        {str(topic): {f"d{at}": draw.choice([0, 0, 1, 2]) for at in range(9)} for topic in range(1, 9)},
    )
    run = tmp_path / "ties.run"
    lines = [
        f"{topic} Q0 {docno} {rank} {draw.choice([1, 2, 3])} ties\n"
        for topic in range(2, 11)
        for rank, docno in enumerate(draw.sample([f"d{at}" for at in range(14)], 10), 1)
    ]
    run.write_text("".join(lines))
    names = "RR@10 RR AP nDCG@5 P@5 R@5 Judged@10 Compat Accuracy NumRel NumRet NumQ Bpref ERR@10 SetP infAP"
    wanted = [ir_measures.parse_measure(name) for name in names.split()]
    readers: list[Any] = [ir_measures.read_trec_qrels, ir_measures.read_trec_run]
    read = [list(reader(str(file))) for reader, file in zip(readers, (qrels, run), strict=True)]
    theirs = {str(one): value for one, value in ir_measures.calc_aggregate(wanted, *read).items()}
    done = invoke(qrels, run, "-m", names, "--format", "ir_measures")
    ours = dict(line.split("\t") for line in done.stdout.splitlines())
    assert ours == {name: f"{value:.4f}" for name, value in theirs.items()}
    per_topic = invoke(qrels, run, "-m", names, "--format", "ir_measures", "--per-topic")
    expected = {
        (one.query_id, str(one.measure)): f"{one.value:.4f}" for one in ir_measures.iter_calc(wanted, *read)
    }
    printed = {tuple(line.split("\t")[:2]): line.split("\t")[2] for line in per_topic.stdout.splitlines()}
    assert {key: value for key, value in printed.items() if key[0] != "all"} == {
        key: value for key, value in expected.items() if key[0] in {str(topic) for topic in range(1, 9)}
    }
    named = ["-m", "RR@10 AP Judged@10", "--ties", "docno-ascending"]
    in_one_order = dict(
        line.split("\t") for line in invoke(qrels, run, *named, "--format=ir_measures").stdout.splitlines()
    )
    assert in_one_order == {row["measure"]: f"{row['value']:.4f}" for row in said(qrels, run, *named)}


def test_an_empty_run_has_the_values_of_ir_measures(tmp_path: Path, qrels: Path) -> None:
    alien = run_file(tmp_path, "alien", {"9": "a b"})
    done = invoke(qrels, alien, "-m", "AP RR@10 NumRel", "--format", "ir_measures")
    assert done.stdout.splitlines() == ["AP\t0.0000", "RR@10\t0.0000", "NumRel\t0.0000"]


def test_topics_without_a_relevant_document_are_named_and_can_be_left_out(tmp_path: Path) -> None:
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("1 0 a 1\n1 0 b 0\n2 0 a 0\n")
    run = tmp_path / "run.txt"
    run.write_text("1 Q0 b 1 2 r\n1 Q0 a 2 1 r\n2 Q0 a 1 1 r\n")

    def ap(*options: str) -> tuple[float, str]:
        done = CliRunner().invoke(score, [str(qrels), str(run), "-m", "AP", "--json", *options])
        return json.loads(done.stdout)[0]["value"], done.stderr

    # AP of topic 1 is 1/2, its relevant document is second; topic 2 has none.
    value, said = ap()
    assert (value, "topics without a relevant document" in said) == (0.25, True)
    assert ap("--average-over", "relevant")[0] == 0.5
