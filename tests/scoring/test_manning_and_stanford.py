"""Worked examples of Manning, Raghavan and Schuetze, and of Stanford, by exact values, never misprints."""

from __future__ import annotations

import numpy as np
import pytest

from tests.scoring.some_qrels import qrels, ranked, textbook
from tests.scoring.textbook_cases import BUCKETS, LEVELS, case, curve, graded, relevant_at, values
from workbench.scoring.binary_kernels import f_measure
from workbench.scoring.scorer import Scorer, score_run

MANNING, STANFORD = "01_textbook_manning.json", "02_textbook_stanford.json"


def test_manning_exercise_8_1() -> None:
    given, expected, _ = case(MANNING, "manning_exercise_8_1")
    found, others = given["relevant_retrieved"], given["nonrelevant_retrieved"]
    scored = values(textbook("R" * found + "N" * others, given["relevant_total"]), "SetP SetR")
    assert scored == pytest.approx([expected["precision"], expected["recall"]])


def test_manning_exercise_8_10_of_either_and_both_judges() -> None:
    given, expected, _ = case(MANNING, "manning_exercise_8_10")
    retrieved = ranked([str(docno) for docno in given["retrieved"]])
    for which in ("both", "either"):
        relevant = {str(docno): 1 for docno in expected[f"relevant_if_{which}"]}
        scored = values((qrels({"1": relevant}), retrieved), "SetP SetR F")
        assert scored == pytest.approx(
            [expected[f"prf_{which}"][name] for name in ("precision", "recall", "F1")]
        )


def test_mannings_harmonic_mean_of_precision_and_recall() -> None:
    given, expected, _ = case(MANNING, "manning_harmonic_mean_remark")
    assert float(f_measure(given["precision"], given["recall"])) == pytest.approx(expected["F1"], rel=1e-12)


def test_manning_exercise_8_9() -> None:
    given, expected, _ = case(MANNING, "manning_exercise_8_9")
    ranking, relevant, size = given["ranking"], given["relevant_total"], given["collection_size"]
    shown = textbook(ranking, relevant)
    assert values(shown, "P@20 F@20 IPrec@0.33 AP") == pytest.approx(
        [
            expected["precision_at_20"],
            expected["F1_at_20"],
            expected["interpolated_precision_at_33pct_recall"],
            expected["AP_truncated"],
        ]
    )
    # The second relevant document of eight is recall .25.
    assert (
        curve("rank", shown).columns["precision"][0, 1]
        == expected["uninterpolated_precision_at_25pct_recall"]
    )
    largest = textbook(ranking + "RR", relevant)
    assert values(largest, "AP") == pytest.approx([expected["AP_max"]])
    smallest = textbook(ranking + "N" * (size - 22) + "RR", relevant)
    assert values(smallest, "AP") == pytest.approx([expected["AP_min"]], abs=1e-12)


def test_the_two_interpolation_rules_differ_on_exercise_8_9() -> None:
    given, expected, _ = case(MANNING, "interpolation_rules_differ_on_exercise_8_9")
    shown = textbook(given["ranking"], given["relevant_total"])
    by_maximum, by_bucket = expected["rule_max_over_all_higher_recall"], expected["rule_bucket_rj_to_rj1"]
    assert values(shown, LEVELS) == pytest.approx(by_maximum)
    assert values(shown, BUCKETS) == pytest.approx(by_bucket)
    assert values(shown, "AP11pt AP11pt(interpolation='bucket')") == pytest.approx(
        [np.mean(by_maximum), np.mean(by_bucket)]
    )
    assert curve("recall-precision", shown, interpolation="bucket").columns["precision"][0] == (
        pytest.approx(by_bucket)
    )


def test_exercise_8_9_by_the_textbooks_rule_and_by_trec_eval() -> None:
    given, expected, tolerance = case(MANNING, "trec_eval_iprec_versions_on_exercise_8_9")
    judged, retrieved = textbook(given["ranking"], given["relevant_total"])
    ours = Scorer(judged, LEVELS).score(retrieved).values.values()
    assert list(ours) == pytest.approx(expected["textbook_rule"], abs=tolerance)
    theirs = Scorer(judged, LEVELS, field=True).score(retrieved).values.values()
    assert list(theirs) == pytest.approx(expected["trec_eval_9.0.8"], abs=tolerance)


def test_manning_table_8_1_is_averaged_over_eleven_points() -> None:
    given, expected, _ = case(MANNING, "manning_table_8_1_mean")
    points = given["interpolated_precision_at_11_levels"]
    assert np.mean(points) == pytest.approx(expected["mean_11pt"])
    assert len(points) == curve("recall-precision", textbook("R", 1)).columns["precision"].shape[1]


def test_f_of_several_weights_as_scikit_learn_has_it() -> None:
    given, expected, _ = case(MANNING, "f_beta_sklearn")
    shown = textbook("R" * given["tp"] + "N" * given["fp"], given["tp"] + given["fn"])
    scored = values(shown, "F(beta=0.5) F(beta=1) F(beta=2) F(beta=3)")
    assert scored == pytest.approx([expected[f"F{weight}"] for weight in ("0.5", "1", "2", "3")])


@pytest.mark.parametrize(("alpha", "beta"), [(0.5, 1.0), (0.8, 0.5), (0.2, 2.0), (0.1, 3.0)])
def test_the_two_weights_of_f_are_one(alpha: float, beta: float) -> None:
    # beta squared is (1 - alpha) / alpha: Manning et al., equation 8.5.
    shown = textbook("RNRNN", 3)
    by_alpha, by_beta = values(shown, f"F(alpha={alpha})@4 F(beta={beta})@4")
    assert by_alpha == pytest.approx(by_beta)
    assert values(shown, "F(alpha=1.0)@4 F(alpha=0.0)@4 P@4 R@4") == pytest.approx([0.5, 2 / 3, 0.5, 2 / 3])


@pytest.mark.parametrize("name", ["stanford_ranking1", "stanford_map_query1", "stanford_map_query2"])
def test_stanford_rankings(name: str) -> None:
    given, expected, _ = case(STANFORD, name)
    shown = textbook(given["ranking"], given["relevant_total"])
    points = curve("rank", shown, depth=len(given["ranking"])).of_topic(0)
    assert points["precision"] == pytest.approx(expected["precision"])
    assert points["recall"] == pytest.approx(expected["recall"])
    assert values(shown, "AP") == pytest.approx([expected["AP"]])


def test_stanford_dcg() -> None:
    given, expected, _ = case(STANFORD, "stanford_dcg_example")
    points = curve("gain", graded(given["gains"]), depth=10, base=2.0).of_topic(0)
    assert points["DCG"] == pytest.approx(expected["DCG"])
    assert np.diff(points["DCG"], prepend=0.0) == pytest.approx(expected["discounted"])


def test_three_formulations_of_dcg() -> None:
    given, expected, _ = case(STANFORD, "dcg_three_formulations_on_stanford_gains")
    for name, parameters in (
        ("jarvelin_kekalainen_b2", "(base=2)"),
        ("trec_eval_linear_log2(i+1)", ""),
        ("burges_exp_log2(i+1)", "(dcg='exp-log2')"),
    ):
        scored = values(graded(given["gains"]), f"DCG{parameters} nDCG{parameters}")
        assert scored == pytest.approx([expected[name]["DCG"], expected[name]["nDCG"]]), name
    ideal = curve("gain", graded(given["gains"]), depth=10, base=2.0).columns["IDCG"]
    assert ideal[0, -1] == pytest.approx(expected["jarvelin_kekalainen_b2"]["IDCG"])


def test_stanford_ndcg() -> None:
    given, expected, _ = case(STANFORD, "stanford_ndcg_example")
    for name in ("rf1", "rf2"):
        scored = values(graded(given[name]), "DCG(base=2)@4 nDCG(base=2)@4")
        assert scored == pytest.approx([expected[f"DCG_{name.upper()}"], expected[f"NDCG_{name.upper()}"]])
    best = curve("gain", graded(given["ground_truth_gains"]), depth=4, base=2.0).columns["IDCG"][0, -1]
    assert best == pytest.approx(expected["DCG_GT"])


def test_the_official_summary_table_of_a_trec_8_run() -> None:
    given, expected, _ = case(STANFORD, "trec8_ok8amxc_summary_table")
    assert np.mean(given["iprec"]) == pytest.approx(expected["mean_of_11_iprec"])
    shown = textbook("R" * given["rel_ret"], given["relevant"])
    assert values(shown, "SetR") == pytest.approx([expected["recall_set"]])


def test_recall_levels_in_whole_numbers_as_in_the_published_table_of_trec_8() -> None:
    # Topic 420 has 33 relevant documents: recall .7 needs the 24th, for which trec_eval 9 takes the 23rd.
    # Here the 23rd stands at rank 23 and the 24th at rank 48.
    given, expected, _ = case(STANFORD, "trec8_ok8amxc_iprec_by_implementation")
    relevant = given["topic_that_differs"]["num_rel"]
    judged, retrieved = relevant_at([*range(1, 24), 48], relevant, 48)
    assert score_run(judged, retrieved, "IPrec@0.7").values["IPrec@0.7"] == pytest.approx(24 / 48)
    theirs = Scorer(judged, "IPrec@0.7", field=True).score(retrieved).values["IPrec@0.7"]
    assert theirs == pytest.approx(1.0)
    published = expected["topic_420_iprec_0.70"]
    assert published["trec_eval_9.0.8"] > published["published"]
