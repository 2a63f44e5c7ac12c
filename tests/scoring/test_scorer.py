"""Scores on worked examples: textbooks, trec_eval's own output, ir_measures' own tests."""

from __future__ import annotations

import doctest
import importlib
import shutil
from typing import Any

import pytest

from tests.scoring.some_qrels import qrels, ranked, run, textbook
from tests.support import cases
from workbench.records import Qrel, Ranking, Run
from workbench.scoring.scorer import Scorer, best_first, score_run

TREC_EVAL = {
    "num_ret": "NumRet",
    "num_rel": "NumRel",
    "num_rel_ret": "NumRet(rel=1)",
    "map": "AP",
    "Rprec": "Rprec",
    "bpref": "Bpref",
    "recip_rank": "RR",
    "P_5": "P@5",
    "P_10": "P@10",
    "recall_5": "R@5",
    "recall_10": "R@10",
    "infAP": "infAP",
    "11pt_avg": "AP11pt",
    "ndcg": "nDCG",
    "ndcg_cut_5": "nDCG@5",
    "ndcg_cut_10": "nDCG@10",
    "map_cut_5": "AP@5",
    "success_1": "Success@1",
    "success_5": "Success@5",
    "set_P": "SetP",
    "set_recall": "SetR",
    "set_map": "SetAP",
    "set_F": "SetF",
    "iprec_at_recall_0.00": "IPrec@0.0",
    "iprec_at_recall_0.50": "IPrec@0.5",
    "iprec_at_recall_1.00": "IPrec@1.0",
}


def text_qrels(text: str) -> list[Qrel]:
    rows = [line.split() for line in text.splitlines()]
    return [Qrel(topic, docno, int(grade)) for topic, _, docno, grade in rows]


def text_run(text: str) -> Run:
    rankings: dict[str, dict[str, float]] = {}
    for topic, _, docno, _, score, _ in map(str.split, text.splitlines()):
        rankings.setdefault(topic, {})[docno] = float(score)
    return run(rankings)


@pytest.mark.parametrize(
    ("file", "name", "relevant", "measure", "key"),
    [
        ("01_textbook_manning.json", "manning_exercise_8_8_system1", 4, "AP", "AP"),
        ("01_textbook_manning.json", "manning_exercise_8_8_system1", 4, "Rprec", "R_precision"),
        ("01_textbook_manning.json", "manning_exercise_8_8_system2", 4, "AP", "AP"),
        ("01_textbook_manning.json", "manning_exercise_8_8_system2", 4, "Rprec", "R_precision"),
        ("01_textbook_manning.json", "manning_exercise_8_9", 8, "P@20", "precision_at_20"),
        ("01_textbook_manning.json", "manning_exercise_8_9", 8, "SetF", "F1_at_20"),
        ("01_textbook_manning.json", "manning_exercise_8_9", 8, "AP", "AP_truncated"),
        ("02_textbook_stanford.json", "stanford_precision_at_k", 3, "P@3", "P@3"),
        ("02_textbook_stanford.json", "stanford_precision_at_k", 3, "P@4", "P@4"),
        ("02_textbook_stanford.json", "stanford_precision_at_k", 3, "P@5", "P@5"),
        ("02_textbook_stanford.json", "stanford_ranking1", 6, "AP", "AP"),
        ("02_textbook_stanford.json", "stanford_map_query1", 5, "AP", "AP"),
    ],
)
def test_textbook_rankings(file: str, name: str, relevant: int, measure: str, key: str) -> None:
    case = cases(file)[name]
    assert case["input"].get("relevant_total", relevant) == relevant
    scores = score_run(*textbook(case["input"]["ranking"], relevant), measure)
    assert scores.values[measure] == pytest.approx(case["expected"][key], abs=case["tolerance"])


@pytest.fixture(scope="module")
def two_topics() -> dict[str, Any]:
    case: dict[str, Any] = cases("40_scoring.json")["ir_measures_two_topics"]
    return case


def test_the_tests_of_ir_measures_are_reproduced(two_topics: dict[str, Any]) -> None:
    expected = dict(two_topics["expected"])
    if not shutil.which("perl"):
        expected = {
            name: value for name, value in expected.items() if "exp-log2" not in name and "ERR" not in name
        }
    given = text_qrels(two_topics["input"]["qrels"]), text_run(two_topics["input"]["run"])
    scores = score_run(*given, " ".join(expected))
    for name, value in expected.items():
        assert dict(scores.per_topic[name]) == pytest.approx(
            value["per_topic"], abs=two_topics["tolerance"]
        ), name
        assert scores.values[name] == pytest.approx(value["aggregate"], abs=two_topics["tolerance"]), name
    assert (scores.topics_scored, scores.topics_in_qrels) == (2, 2)


def test_a_topic_that_the_run_lacks_counts_as_zero() -> None:
    case = cases("40_scoring.json")["missing_topic_averaging"]
    whole = cases("40_scoring.json")["ir_measures_two_topics"]
    lacking = Run("A", {"0": text_run(whole["input"]["run"]).rankings["0"]})
    scores = score_run(text_qrels(case["input"]["qrels"]), lacking, "AP")
    assert scores.values["AP"] == pytest.approx(case["expected"]["trec_eval_c_map"], abs=5e-5)
    assert dict(scores.per_topic["AP"]) == pytest.approx({"0": 0.6389, "1": 0.0}, abs=5e-5)
    assert (scores.topics_scored, scores.topics_in_qrels) == (1, 2)


@pytest.mark.parametrize("version", ["trec_eval_9.0.8", "trec_eval_10.0"])
def test_trec_eval_on_a_topic_with_unjudged_documents(version: str) -> None:
    case = cases("40_scoring.json")["trec_eval_full_topic"]
    wanted = {key: name for key, name in TREC_EVAL.items() if key in case["expected"][version]}
    if version == "trec_eval_10.0":
        # Its interpolated precision rounds the number of relevant documents, pytrec_eval's does not.
        wanted = {key: name for key, name in wanted.items() if "iprec" not in key and "11pt" not in key}
    scores = score_run(
        qrels({"1": case["input"]["qrels"]}), ranked(case["input"]["ranking"]), " ".join(wanted.values())
    )
    expected = {name: float(case["expected"][version][key]) for key, name in wanted.items()}
    assert dict(scores.values) == pytest.approx(expected, abs=5e-5)


def test_trec_eval_with_judged_documents_only() -> None:
    case = cases("40_scoring.json")["trec_eval_judged_only"]
    names = {"map": "AP(judged_only=True)", "P_5": "P(judged_only=True)@5", "ndcg": "nDCG(judged_only=True)"}
    scores = score_run(
        qrels({"1": case["input"]["qrels"]}), ranked(case["input"]["ranking"]), " ".join(names.values())
    )
    expected = {name: case["expected"][key] for key, name in names.items()}
    assert dict(scores.values) == pytest.approx(expected, abs=5e-5)


def test_judged_at_ten_divides_by_what_was_retrieved() -> None:
    scores = score_run(qrels({"1": {"a": 0}}), ranked(["a", "b", "c", "d"]), "Judged@10")
    assert scores.values["Judged@10"] == 0.25


@pytest.mark.skipif(not shutil.which("perl"), reason="gdeval needs perl")
def test_err_takes_topics_of_any_name_and_without_relevant_documents() -> None:
    # gdeval itself takes numbers only, and would read MB-1 as 1.
    case = cases("40_scoring.json")["err_definition"]
    grades = {f"d{at}": grade for at, grade in enumerate(case["input"]["grades_in_rank_order"])}
    given = qrels({"MB-1": grades, "1": {"d0": 0}, "Ünfug": {"d0": -1}})
    order = {f"d{at}": float(-at) for at in range(5)}
    scores = score_run(given, run({"MB-1": order, "1": order, "Ünfug": order}), "ERR@20")
    # gdeval prints five decimals.
    assert scores.per_topic["ERR@20"]["MB-1"] == pytest.approx(case["expected"]["ERR_max4"], abs=5e-6)
    assert scores.values["ERR@20"] == pytest.approx(case["expected"]["ERR_max4"] / 3, abs=5e-6)


def test_the_example_in_the_docstring_runs() -> None:
    outcome = doctest.testmod(importlib.import_module("workbench.scoring.scorer"))
    assert (outcome.attempted > 0, outcome.failed) == (True, 0)


@pytest.mark.parametrize("name", ["RR", "ESL(n=1)"])
def test_the_better_run_comes_first_whether_higher_or_lower_is_better(name: str) -> None:
    # By hand: the relevant d1 stands first (RR 1, nothing read before it) or second (1/2, one read).
    scorer = Scorer([Qrel("1", "d1", 1), Qrel("1", "d2", 0)], name)
    first, second = (
        scorer.score(Run(tag, {"1": Ranking(docnos, (2.0, 1.0))}))
        for tag, docnos in (("z", ("d1", "d2")), ("a", ("d2", "d1")))
    )
    assert [run.tag for run in best_first([second, first], str(scorer.measures[0]))] == ["z", "a"]
