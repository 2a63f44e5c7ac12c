"""Worked examples of Baeza-Yates and Ribeiro-Neto, and of Teufel, by exact values, never misprints."""

from __future__ import annotations

import numpy as np
import pytest

from tests.scoring.some_qrels import qrels, ranked, run, textbook
from tests.scoring.textbook_cases import BUCKETS, LEVELS, Given, case, curve, relevant_at, values
from workbench.records import Qrel, Run
from workbench.scoring.binary_kernels import f_measure
from workbench.scoring.scorer import COVERAGE, NOVELTY, known_documents, score_run

BAEZA_YATES, TEUFEL = "03_textbook_baeza_yates.json", "04_textbook_teufel.json"


@pytest.fixture(scope="module")
def two_queries() -> Given:
    """Baeza-Yates and Ribeiro-Neto's two queries with graded documents."""
    given = case(BAEZA_YATES, "by_gain_vectors")[0]
    rankings = {
        topic: {docno: -float(at) for at, docno in enumerate(given[f"rank{topic}"])} for topic in "12"
    }
    return qrels({"1": given["rel_q1"], "2": given["rel_q2"]}), run(rankings)


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
    shown = textbook("R" * counts[0] + "N" * counts[1], counts[0] + counts[2])
    of_all = f"SetAccuracy(docs={sum(counts)}) F(alpha=0.5) Fallout(docs={sum(counts)})"
    fallout = counts[1] / (counts[1] + counts[3])
    names = ("recall", "precision", "accuracy", "F_alpha_0.5")
    assert values(shown, f"SetR SetP {of_all}") == pytest.approx([*(expected[one] for one in names), fallout])
