"""Kernels of measures that only textbooks have: by hand, and against scikit-learn."""

from __future__ import annotations

import random

import numpy as np
import pytest

from tests.scoring.kernels.test_kernels import random_set
from tests.scoring.some_qrels import qrels, ranked, run, textbook
from tests.support import Oracle, cases
from workbench.errors import WorkbenchError
from workbench.ranking import ordered
from workbench.records import Qrel
from workbench.scoring.measures import parse_measures
from workbench.scoring.scorer import Scorer, score_run

metrics = Oracle("sklearn.metrics")


def value(judged: dict[str, int], scores: dict[str, float], name: str) -> float:
    (found,) = score_run(qrels({"1": judged}), run({"1": scores}), name).values.values()
    return found


def test_expected_search_length_without_ties_counts_what_stands_above() -> None:
    # Relevant at ranks 2, 3 and 6: one, one and three others above.
    judged = {"a": 0, "b": 1, "c": 1, "d": 0, "e": 0, "f": 1}
    scores = {docno: -float(place) for place, docno in enumerate(judged)}
    assert [value(judged, scores, f"ESL(n={n})") for n in (1, 2, 3)] == [1, 1, 3]


def test_expected_search_length_reads_tied_documents_in_any_order() -> None:
    # One other above; then four tied, two relevant (c, e): of the first is expected 1 + 2 * 1 / 3, of the
    # second 1 + 2 * 2 / 3 (Cooper 1968: j + i s / (r + 1)). Whatever the docnos are.
    judged = {"a": 0, "b": 0, "c": 1, "d": 0, "e": 1}
    scores = {"a": 9.0, "b": 5.0, "c": 5.0, "d": 5.0, "e": 5.0}
    assert value(judged, scores, "ESL") == pytest.approx(1 + 2 / 3)
    assert value(judged, scores, "ESL(n=2)") == pytest.approx(1 + 4 / 3)
    # Equal as 32-bit floats, and so tied as everywhere else.
    near = {
        docno: score if docno == "a" else 5.0 + place * 1e-9
        for place, (docno, score) in enumerate(scores.items())
    }
    assert value(judged, near, "ESL") == pytest.approx(1 + 2 / 3)


def test_expected_search_length_is_that_of_all_orders_of_the_ties() -> None:
    # The mean over random orders of the tied documents: a simulation with a seed.
    draw = random.Random(4)
    grades = [1, 0, 0, 1, 0, 1, 0, 0]
    levels = [3, 3, 3, 3, 2, 2, 2, 1]
    lengths = []
    for _ in range(20_000):
        order = sorted(range(8), key=lambda at: (-levels[at], draw.random()))
        others = 0
        found = 0
        for at in order:
            found += grades[at]
            others += 1 - grades[at]
            if found == 3:
                break
        lengths.append(others)
    judged = {f"d{at}": grade for at, grade in enumerate(grades)}
    scores = {f"d{at}": float(level) for at, level in enumerate(levels)}
    # 2 others above, 2 * 1 / (1 + 1) in the level of the third: 3.
    assert value(judged, scores, "ESL(n=3)") == 3.0
    assert np.mean(lengths) == pytest.approx(3.0, abs=0.05)


def test_what_is_not_retrieved_is_the_last_level_of_a_search() -> None:
    # Two others read; then one relevant of the rest: of judged documents 1 relevant and 3 others, of a
    # collection of 11 there are 8 others.
    judged = {"a": 0, "b": 0, "r": 1, "x": 0, "y": 0, "z": 0}
    scores = {"a": 2.0, "b": 1.0}
    assert value(judged, scores, "ESL") == pytest.approx(2 + 3 / 2)
    assert value(judged, scores, "ESL(docs=11)") == pytest.approx(2 + 8 / 2)
    # More are asked for than there are: all of them.
    assert value(judged, scores, "ESL(n=7)") == pytest.approx(2 + 3 / 2)


def test_the_area_under_the_roc_curve_is_scikit_learns() -> None:
    compared = 0
    for seed in range(15):
        judged, retrieved = random_set(seed)
        scorer = Scorer(judged, "AUC AUC(docs=40)")
        found = scorer.score(retrieved).per_topic
        for topic, graded in scorer.relevance.grades.items():
            order = ordered(retrieved.rankings[topic]) if topic in retrieved.rankings else ()
            places = {docno: -float(place) for place, docno in enumerate(order)}
            pool = {docno: grade for docno, grade in graded.items() if grade >= 0}
            others = [f"other{at}" for at in range(40 - len({*graded, *order}))]
            collection = {docno: graded.get(docno, 0) for docno in {*graded, *order, *others}}
            for name, documents in (("AUC", pool), ("AUC(docs=40)", collection)):
                truth = [grade > 0 for grade in documents.values()]
                if len(set(truth)) == 2:
                    # Below all that is retrieved everything is tied.
                    area = metrics.roc_auc_score(truth, [places.get(docno, -1000.0) for docno in documents])
                    assert found[name][topic] == pytest.approx(area), (seed, name, topic)
                    compared += 1
    assert compared > 50


def test_f_at_every_rank_is_scikit_learns() -> None:
    ranking, relevant = "RNRNNRNR", 6
    judged, retrieved = textbook(ranking, relevant)
    truth = [letter == "R" for letter in ranking] + [True] * (relevant - ranking.count("R"))
    for cutoff in range(1, len(ranking) + 1):
        chosen = [place < cutoff for place in range(len(truth))]
        for beta in (0.5, 1.0, 3.0):
            found = score_run(judged, retrieved, f"F(beta={beta})@{cutoff}").values.values()
            assert list(found) == pytest.approx([metrics.fbeta_score(truth, chosen, beta=beta)])


def test_the_residual_of_rank_biased_precision() -> None:
    case = cases("40_scoring.json")["rbp_resid_trec_eval10_quirk"]
    docnos = [f"d{at}" for at in range(3)]
    judged = qrels({"1": dict(zip(docnos, case["input"]["gains"], strict=True))})
    residual = score_run(judged, ranked(docnos), "RBPResidual(p=0.8)").values["RBPResidual"]
    assert residual == pytest.approx(case["expected"]["residual_by_definition"])


def test_unjudged_documents_are_in_the_residual() -> None:
    # Ranks 2 (not in the qrels) and 3 (a negative grade) are not judged: .2 * (.8 + .64), and .8 ** 4 behind.
    judged = [Qrel("1", "a", 1), Qrel("1", "c", -1), Qrel("1", "d", 0)]
    names = "RBPResidual RBPResidual@2 RBPResidual(p=0.5)"
    found = list(score_run(judged, ranked(["a", "b", "c", "d"]), names).values.values())
    # Behind rank 2 everything is open: .2 * .8 + .8 ** 2; with p = .5: .25 + .125 + .0625.
    assert found == pytest.approx([0.2 * (0.8 + 0.64) + 0.8**4, 0.16 + 0.64, 0.4375])


def test_gains_without_a_discount() -> None:
    judged = qrels({"1": {"a": 2, "b": 0, "c": 1, "d": 3}})
    names = "CG CG@2 CG(gains={1:5})@3 nCG@2 nCG@3 DCG@2"
    # The best first two are 3 and 2, the best three 3, 2 and 1.
    found = list(score_run(judged, ranked(["a", "b", "c"]), names).values.values())
    assert found == pytest.approx([3, 2, 7, 2 / 5, 3 / 6, 2.0])


def test_ranks_below_the_base_are_not_discounted() -> None:
    # Base 10: ranks 1 to 10 count whole, rank 100 half (Jarvelin and Kekalainen 2002, section 2).
    docnos = [f"d{rank:03}" for rank in range(1, 101)]
    judged = qrels({"1": {"d001": 1, "d009": 1, "d010": 1, "d100": 1}})
    assert list(score_run(judged, ranked(docnos), "DCG(base=10)").values.values()) == pytest.approx([3.5])


@pytest.mark.parametrize("name", ["Fallout(docs=2)", "SetAccuracy(docs=2)", "ESL(docs=2)", "AUC(docs=2)"])
def test_a_collection_smaller_than_what_is_known_of_it_is_refused(name: str) -> None:
    with pytest.raises(WorkbenchError, match="3 documents of one topic") as refused:
        value({"a": 1}, {"x": 3.0, "y": 2.0}, name)
    assert "docs" in refused.value.remedy


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("Fallout@5", "docs"),
        ("RecallEffort", "expected"),
        ("F(alpha=0.5,beta=2.0)", "alpha or beta"),
        ("F(alpha=1.5)", "from 0 to 1"),
        ("DCG(base=1)", "base"),
        ("ESL(n=0)", "n in"),
        ("AP11pt(interpolation='mean')", "interpolation"),
        ("IPrec(interpolation='bucket')@0.25", "bucket"),
    ],
)
def test_parameters_that_have_no_meaning_are_refused(name: str, place: str) -> None:
    with pytest.raises(WorkbenchError) as refused:
        parse_measures(name)
    assert place in f"{refused.value.message} {refused.value.remedy}"
