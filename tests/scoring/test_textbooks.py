"""Every worked example of the field's textbooks that concerns scores; exact values, never misprints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from tests.scoring.some_qrels import qrels, ranked, run, textbook
from tests.support import cases
from workbench.errors import WorkbenchError
from workbench.records import Qrel, Run
from workbench.scoring.contingency import Contingency, f_measure
from workbench.scoring.curves import CURVES, Curve, CurveOptions
from workbench.scoring.known_documents import COVERAGE, NOVELTY, known_documents
from workbench.scoring.questions import confidence_weighted_score, list_question, without_answer
from workbench.scoring.scorer import Scorer, score_run

MANNING, STANFORD = "01_textbook_manning.json", "02_textbook_stanford.json"
BAEZA_YATES, TEUFEL = "03_textbook_baeza_yates.json", "04_textbook_teufel.json"
LEVELS = " ".join(f"IPrec@{level / 10}" for level in range(11))
BUCKETS = " ".join(f"IPrec(interpolation='bucket')@{level / 10}" for level in range(11))

Given = tuple[list[Qrel], Run]


def case(file: str, name: str) -> tuple[dict[str, Any], dict[str, Any], float]:
    """Input, expected values and tolerance of a case, a small one for floats where it is 0."""
    found = cases(file)[name]
    return found["input"], found["expected"], max(found["tolerance"], 1e-12)


def values(given: Given, names: str) -> list[float]:
    return list(score_run(*given, names).values.values())


def curve(kind: str, given: Given, **options: Any) -> Curve:
    judged, retrieved = given
    return CURVES[kind](Scorer(judged, "AP").judged(retrieved), CurveOptions(**options))


def relevant_at(ranks: Sequence[int], relevant: int, length: int) -> Given:
    return textbook("".join("R" if rank in ranks else "N" for rank in range(1, length + 1)), relevant)


def graded(gains: Sequence[int]) -> Given:
    """A ranking with these grades, and qrels that have no other documents."""
    docnos = [f"d{place:02}" for place in range(len(gains))]
    return qrels({"1": dict(zip(docnos, gains, strict=True))}), ranked(docnos)


@pytest.fixture(scope="module")
def two_queries() -> Given:
    """Baeza-Yates and Ribeiro-Neto's two queries with graded documents."""
    given = case(BAEZA_YATES, "by_gain_vectors")[0]
    rankings = {
        topic: {docno: -float(at) for at, docno in enumerate(given[f"rank{topic}"])} for topic in "12"
    }
    return qrels({"1": given["rel_q1"], "2": given["rel_q2"]}), run(rankings)


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


@pytest.mark.parametrize("system", ["1", "2"])
def test_manning_exercise_8_8(system: str) -> None:
    given, expected, _ = case(MANNING, f"manning_exercise_8_8_system{system}")
    scored = values(textbook(given["ranking"], given["relevant_total"]), "AP Rprec")
    assert scored == pytest.approx([expected["AP"], expected["R_precision"]])


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


def test_stanford_precision_at_k() -> None:
    given, expected, _ = case(STANFORD, "stanford_precision_at_k")
    assert values(textbook(given["ranking"], 3), "P@3 P@4 P@5") == pytest.approx(list(expected.values()))


@pytest.mark.parametrize("name", ["stanford_ranking1", "stanford_map_query1", "stanford_map_query2"])
def test_stanford_rankings(name: str) -> None:
    given, expected, _ = case(STANFORD, name)
    shown = textbook(given["ranking"], given["relevant_total"])
    points = curve("rank", shown, depth=len(given["ranking"])).of_topic(0)
    assert points["precision"] == pytest.approx(expected["precision"])
    assert points["recall"] == pytest.approx(expected["recall"])
    assert values(shown, "AP") == pytest.approx([expected["AP"]])


def test_stanford_map_of_two_queries() -> None:
    expected = case(STANFORD, "stanford_map")[1]
    both = [case(STANFORD, f"stanford_map_query{number}")[0] for number in (1, 2)]
    found = [values(textbook(one["ranking"], one["relevant_total"]), "AP")[0] for one in both]
    assert np.mean(found) == pytest.approx(expected["MAP"])


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
    counts = Contingency(
        *(
            np.array([float(number)])
            for number in (given["rel_ret"], 0, given["relevant"] - given["rel_ret"], 0)
        )
    )
    assert counts.recall == pytest.approx(expected["recall_set"])


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


def test_baeza_yates_query_1() -> None:
    given, expected, _ = case(BAEZA_YATES, "by_q1_precision_recall")
    shown = qrels({"1": dict.fromkeys(given["relevant"], 1)}), ranked(given["ranking"])
    points = curve("rank", shown, depth=15).of_topic(0)
    at = [rank for rank, docno in enumerate(given["ranking"]) if docno in given["relevant"]]
    assert points["precision"][at] == pytest.approx(expected["precision_at_relevant"])
    assert points["recall"][at] == pytest.approx(expected["recall_at_relevant"])
    average = case(BAEZA_YATES, "by_map_q1")[1]["AP"]
    wanted = [expected["P@5"], expected["P@10"], expected["R_precision"], average]
    assert values(shown, "P@5 P@10 Rprec AP") == pytest.approx(wanted)


def test_baeza_yates_eleven_points() -> None:
    given, expected, _ = case(BAEZA_YATES, "by_11pt_interpolation_q1")
    relevant = case(BAEZA_YATES, "by_q1_precision_recall")[0]["relevant"]
    first = qrels({"1": dict.fromkeys(relevant, 1)}), ranked(given["ranking"])
    assert values(first, LEVELS) == pytest.approx(expected["interpolated_max_rule"])
    assert values(first, BUCKETS) == pytest.approx(expected["interpolated_bucket_rule"])


def test_baeza_yates_average_of_two_queries() -> None:
    given, expected, _ = case(BAEZA_YATES, "by_avg_11pt_q1_q2")
    # The relevant documents of the second query stand at ranks 3, 8 and 15, and there are no others.
    ranks = {"1": ([1, 3, 6, 10, 15], 10), "2": ([3, 8, 15], 3)}
    judged: list[Qrel] = []
    rankings = {}
    for topic, (at, relevant) in ranks.items():
        graded_pairs, one = relevant_at(at, relevant, 15)
        judged += [Qrel(topic, pair.docno, pair.grade) for pair in graded_pairs]
        rankings[topic] = one.rankings["1"]
    found = curve("recall-precision", (judged, Run("A", rankings)))
    assert found.columns["precision"] == pytest.approx(np.array([given["q1"], given["q2"]]))
    assert found.mean()["precision"] == pytest.approx(expected["average"])


def test_baeza_yates_gains(two_queries: Given) -> None:
    expected = case(BAEZA_YATES, "by_gain_vectors")[1]
    points = curve("gain", two_queries, depth=15).columns
    for row, number in enumerate("12"):
        assert np.diff(points["CG"][row], prepend=0).tolist() == expected[f"G{number}"]
        assert np.diff(points["ICG"][row], prepend=0).tolist() == expected[f"IG{number}"]


def test_baeza_yates_cumulated_and_ideal_gains(two_queries: Given) -> None:
    found = curve("gain", two_queries, depth=15, base=2.0)
    for name, columns in (
        ("by_cg", {"CG": "CG"}),
        ("by_dcg", {"DCG": "DCG"}),
        ("by_ideal", {"ICG": "ICG", "IDCG": "IDCG"}),
    ):
        expected = case(BAEZA_YATES, name)[1]
        for printed, column in columns.items():
            for row in (0, 1):
                assert found.columns[column][row] == pytest.approx(expected[f"{printed}{row + 1}"])
            assert found.mean()[column] == pytest.approx(expected[f"{printed}_avg"])


def test_baeza_yates_normalise_averages_and_trec_averages_what_is_normalised(two_queries: Given) -> None:
    expected = case(BAEZA_YATES, "by_ncg_ndcg")[1]
    means = curve("gain", two_queries, depth=15, base=2.0).mean()
    assert means["CG/ICG"] == pytest.approx(expected["NCG"])
    assert means["DCG/IDCG"] == pytest.approx(expected["NDCG"])
    both = case(BAEZA_YATES, "by_ndcg_ratio_of_averages_vs_average_of_ratios")[1]
    assert means["DCG/IDCG"][-1] == pytest.approx(both["ratio_of_averages"])
    assert means["nDCG"][-1] == pytest.approx(both["mean_of_ratios"])
    by_topic = score_run(*two_queries, "nDCG(base=2)@15").per_topic["nDCG(base=2.0)@15"]
    assert [by_topic["1"], by_topic["2"]] == pytest.approx([both["q1"], both["q2"]])


def test_the_e_measure_and_its_limits() -> None:
    given, expected, _ = case(BAEZA_YATES, "by_e_measure_limits")
    p, r = given["P"], given["R"]
    weights = (("E_b1", 1.0), ("E_b2", 2.0), ("E_b0.5", 0.5), ("E_b0", 0.0), ("E_b_inf", 1e9))
    for name, beta in weights:
        assert 1 - float(f_measure(p, r, beta=beta)) == pytest.approx(expected[name]), name
    # P = .4 and R = .8 are 8 relevant among 20, of 10.
    shown = textbook("R" * 8 + "N" * 12, 10)
    assert values(shown, "E E(beta=2) E(beta=0.5) E(alpha=1.0) E(alpha=0.0)") == pytest.approx(
        [expected[name] for name, _ in weights[:4]] + [expected["E_b_inf"]]
    )


def test_what_the_user_expects_and_what_it_costs() -> None:
    given, expected, _ = case(BAEZA_YATES, "by_user_oriented_measures")
    found, read, wanted = given["relevant_found"], given["docs_examined"], given["expected_relevant"]
    shown = textbook("R" * found + "N" * (read - found), wanted)
    names = f"RelativeRecall(expected={wanted}) RecallEffort(expected={wanted})"
    assert values(shown, names) == pytest.approx([expected["relative_recall"], expected["recall_effort"]])
    # Who expects 5 stops at rank 5.
    assert values(shown, "RelativeRecall(expected=5) RecallEffort(expected=5)") == [1.0, 1.0]


def test_coverage_and_novelty_against_what_users_know() -> None:
    given, expected, _ = case(BAEZA_YATES, "by_user_oriented_measures")
    known, retrieved_known = given["U_known_relevant"], given["Rk_known_retrieved"]
    new = given["Ru_unknown_relevant_retrieved"]
    names = [f"k{at}" for at in range(known)] + [f"u{at}" for at in range(new)]
    judged = qrels({"1": dict.fromkeys(names, 1) | {"n": 0}})
    shown = ranked([*names[:retrieved_known], *names[known:], "n"])
    users = known_documents(judged, [Qrel("1", docno, 1) for docno in [*names[:known], "n"]])
    scores = users.score(shown, score_run(judged, shown, "P@5"))
    assert list(scores.values) == ["P@5", COVERAGE, NOVELTY]
    assert scores.values[COVERAGE] == pytest.approx(expected["coverage"])
    assert scores.values[NOVELTY] == pytest.approx(expected["novelty"])


def test_baeza_yates_histogram_of_r_precision() -> None:
    given, expected, _ = case(BAEZA_YATES, "by_precision_histogram")
    per_topic = []
    for name in ("RP_A", "RP_B"):
        judged, rankings = [], {}
        for number, share in enumerate(given[name]):
            found = round(share * 10)
            pairs, one = textbook("R" * found + "N" * (10 - found), 10)
            judged += [Qrel(f"{number:02}", pair.docno, pair.grade) for pair in pairs]
            rankings[f"{number:02}"] = one.rankings["1"]
        per_topic.append(list(score_run(judged, Run(name, rankings), "Rprec").per_topic["Rprec"].values()))
    difference = np.subtract(per_topic[0], per_topic[1])
    assert difference == pytest.approx(expected["difference"])
    assert int((difference > 0).sum()) == expected["A_better"]
    assert (np.flatnonzero(difference < 0) + 1).tolist() == expected["B_better_queries"]


def test_reciprocal_rank_up_to_a_threshold() -> None:
    given, expected, _ = case(BAEZA_YATES, "by_mrr_definition")
    judged = [Qrel(str(at), "r", 1) for at in range(len(given["first_correct_ranks"]))]
    rankings = {
        str(at): {("r" if place == rank else f"n{place}"): -float(place) for place in range(1, 13)}
        for at, rank in enumerate(given["first_correct_ranks"])
    }
    name = f"RR@{given['threshold']}"
    scores = score_run(judged, run(rankings), name)
    assert list(scores.per_topic[name].values()) == pytest.approx(expected["RR"])
    assert scores.values[name] == pytest.approx(expected["MRR"])


def test_teufel_contingency_table() -> None:
    given, expected, _ = case(TEUFEL, "teufel_system2")
    counts = [given[name] for name in ("A_tp", "B_fp", "C_fn", "D_tn")]
    table = Contingency(*(np.array([float(count)]) for count in counts))
    assert float(table.recall[0]) == pytest.approx(expected["recall"])
    assert float(table.precision[0]) == pytest.approx(expected["precision"])
    assert float(table.accuracy[0]) == pytest.approx(expected["accuracy"])
    shown = textbook("R" * counts[0] + "N" * counts[1], counts[0] + counts[2])
    scored = values(shown, f"SetAccuracy(docs={sum(counts)}) F(alpha=0.5) Fallout(docs={sum(counts)})")
    fallout = counts[1] / (counts[1] + counts[3])
    assert scored == pytest.approx([expected["accuracy"], expected["F_alpha_0.5"], fallout])


def test_teufel_map() -> None:
    given, expected, _ = case(TEUFEL, "teufel_map")
    found = [
        values(relevant_at(given[f"query{number}_relevant_ranks"], given[f"query{number}_R"], 20), "AP")[0]
        for number in (1, 2)
    ]
    assert found == pytest.approx([expected["AP1"], expected["AP2"]])
    assert np.mean(found) == pytest.approx(expected["MAP"])


def test_teufel_reciprocal_ranks_of_five_answers() -> None:
    given, expected, _ = case(TEUFEL, "teufel_rr_values")
    found = [values(relevant_at([rank or 99], 1, 5), "RR@5")[0] for rank in given["first_correct_rank"]]
    assert found == pytest.approx(expected["RR"])


def test_teufel_list_question() -> None:
    given, expected, _ = case(TEUFEL, "teufel_list_question")
    scores = list_question(
        known=given["S_known_answers"], correct=given["D_distinct_correct"], returned=given["N_returned"]
    )
    assert (scores.precision, scores.recall, scores.f) == pytest.approx(
        (expected["IP"], expected["IR"], expected["F"])
    )
    assert list_question(known=0, correct=0, returned=0).f == 0.0
    with pytest.raises(WorkbenchError):
        list_question(known=3, correct=4, returned=9)


def test_teufel_confidence_weighted_score() -> None:
    given, expected, _ = case(TEUFEL, "teufel_confidence_weighted_score")
    for order in ("best_first", "worst_first"):
        found = confidence_weighted_score([bool(one) for one in given[f"correct_{order}"]])
        assert found == pytest.approx(expected[f"CWS_{order}"])
    with pytest.raises(WorkbenchError):
        confidence_weighted_score([])


def test_teufel_questions_without_an_answer() -> None:
    given, expected, _ = case(TEUFEL, "teufel_nil_precision_recall")
    scores = without_answer(
        returned=given["nil_returned"],
        correct=given["nil_returned_and_correct"],
        existing=given["nil_is_correct_total"],
    )
    assert (scores.precision, scores.recall) == pytest.approx(
        (expected["NIL_precision"], expected["NIL_recall"])
    )
