"""Kernels against trec_eval's own code and gdeval, on random sets and on real runs."""

from __future__ import annotations

import random
import shutil
from collections.abc import Sequence

import numpy as np
import pytest

from tests.scoring.kernels.test_diversity import DIVERSITY
from tests.scoring.some_qrels import qrels, ranked, run
from tests.support import shared
from workbench.docnos import Words, hashes
from workbench.formats.packed_form import as_arrays
from workbench.formats.qrels import read_qrels
from workbench.formats.runs import read_run_top
from workbench.records import Qrel, Run, TieRule
from workbench.scoring.kernels import KERNELS
from workbench.scoring.measures import in_the_field, parse_measures
from workbench.scoring.own_measures import OWN
from workbench.scoring.relevance import ABSENT, Relevance
from workbench.scoring.scorer import RunScores, Scorer, score_run

# Measures of which the field has a scorer in a plain install, with parameters of every kind. IPrec and SetF
# stand here where the published definition and trec_eval's code are the same.
IN_THE_FIELD = (
    "AP AP(rel=2) AP@5 AP(judged_only=True) nDCG nDCG@3 nDCG(judged_only=True)@5 nDCG(gains={1:5,2:1})@5 P@5 "
    "P(rel=2)@3 P(judged_only=True)@5 R@5 R(rel=2)@5 Rprec Rprec(rel=2) RR RR(rel=2) Bpref Bpref(rel=2) "
    "infAP Success@1 Success(rel=2)@5 SetP SetP(relative=True) SetR SetF SetF(rel=2) IPrec@0.0 NumQ NumRet "
    "NumRet(rel=2) NumRel Judged@5"
)


def random_set(seed: int) -> tuple[list[Qrel], Run]:
    """A few topics with grades from -1 to 3, unjudged documents and scores of which some are tied."""
    draw = random.Random(seed)
    judged = {
        topic: {f"d{number}": draw.choice([-1, 0, 0, 1, 2, 3]) for number in range(draw.randint(1, 12))}
        | {"x": 0}
        for topic in "123"
    }
    ranking = {
        topic: {
            f"d{number}": float(draw.randint(0, 8)) for number in draw.sample(range(16), draw.randint(1, 14))
        }
        for topic in draw.sample("1234", draw.randint(1, 4))
    }
    return qrels(judged), run(ranking)


def _but_facts(scores: RunScores, name: str) -> dict[str, float]:
    """What a run scores by topic; facts of the qrels of its own topics only, as the field has them."""
    facts = name in {"NumQ", "NumRel"}
    return {
        topic: value for topic, value in scores.per_topic[name].items() if not facts or topic in scores.scored
    }


@pytest.mark.parametrize("block", range(4))
def test_kernels_are_equal_to_the_fields_scorers_on_random_sets(block: int) -> None:
    measures = parse_measures(IN_THE_FIELD)
    for seed in range(block * 60, block * 60 + 60):
        judged, retrieved = random_set(seed)
        ours = Scorer(judged, measures).score(retrieved)
        theirs = Scorer(judged, measures, field=True).score(retrieved)
        for name in theirs.per_topic:
            assert _but_facts(ours, name) == pytest.approx(_but_facts(theirs, name), abs=1e-12), (seed, name)


@pytest.mark.skipif(not shutil.which("perl"), reason="gdeval is a Perl script")
def test_graded_kernels_are_equal_to_gdeval() -> None:
    measures = parse_measures("ERR@5 ERR@20 nDCG(dcg='exp-log2')@5")
    for seed in range(6):
        judged, retrieved = random_set(seed)
        ours = Scorer(judged, measures).score(retrieved)
        theirs = Scorer(judged, measures, field=True).score(retrieved)
        for name, column in theirs.per_topic.items():
            # gdeval prints five decimals.
            assert dict(ours.per_topic[name]) == pytest.approx(dict(column), abs=6e-6), (seed, name)


def test_every_kernel_is_compared_with_a_scorer_or_calculated_by_hand() -> None:
    by_hand = {"RBP", "ERR"}  # below, and against gdeval
    elsewhere = {measure.NAME for measure in parse_measures(DIVERSITY)}
    # In test_textbook_kernels and the tests of textbooks.
    elsewhere |= {str(measure.NAME) for measure in OWN}
    assert {measure.NAME for measure in parse_measures(IN_THE_FIELD)} | by_hand | elsewhere == set(KERNELS)


def test_interpolated_precision_takes_recall_in_whole_numbers() -> None:
    # Relevant at 1, 3 and 15, R = 3: recall .7 needs ceil(2.1) = 3 documents, the third at 15: 3/15.
    # trec_eval takes int(.7 * 3 + .9) = 2 documents, the second at rank 3: 2/3.
    relevant = {f"d{rank}": 1 for rank in (1, 3, 15)}
    ranking = ranked([f"d{rank}" for rank in range(1, 21)])
    names = "IPrec@0.0 IPrec@0.3 IPrec@0.33 IPrec@0.34 IPrec@0.7 IPrec@1.0"
    values = score_run(qrels({"1": relevant}), ranking, names).values
    # Recall .3 needs 1 document (P 1), .33 needs 1, .34 needs 2 (2/3).
    assert list(values.values()) == pytest.approx([1.0, 1.0, 1.0, 2 / 3, 0.2, 0.2])
    assert Scorer(qrels({"1": relevant}), "IPrec@0.7", field=True).score(ranking).values["IPrec@0.7"] == (
        pytest.approx(2 / 3)
    )


def test_rank_biased_precision() -> None:
    # Relevant at ranks 1 and 3 with p = .8: .2 * (1 + .64) = .328; graded 2 at rank 3 alone: .2 * .64 = .128.
    judged = qrels({"1": {"a": 1, "b": 0, "c": 2}})
    values = score_run(judged, ranked(["a", "b", "c"]), "RBP RBP(rel=2) RBP(p=0.5) RBP@2").values
    assert list(values.values()) == pytest.approx([0.328, 0.128, 0.625, 0.2])


def test_err_by_hand() -> None:
    # Grades 3 and 1 of at most 4: 7/16 + 1/2 * 9/16 * 1/16 (Chapelle et al. 2009, equation 4).
    judged = qrels({"1": {"a": 3, "b": 1}})
    assert score_run(judged, ranked(["a", "b"]), "ERR").values["ERR"] == pytest.approx(7 / 16 + 9 / 512)


@pytest.mark.parametrize("ties", TieRule)
def test_near_ties_in_arrays_are_those_of_strings(ties: TieRule) -> None:
    # Single precision tells 1 from 2 only; ids and their order in the file are drawn.
    values = (1.0, 1.0 + 1e-9, 1.0 + 2e-9, 2.0)
    counted: set[int] = set()
    for seed in range(40):
        drawn = random.Random(seed)
        names = drawn.sample("abcdefgh", 8)
        scored = run(
            {str(topic): {name: drawn.choice(values) for name in names[: topic + 1]} for topic in range(6)}
        )
        arrays = as_arrays(scored)
        assert arrays is not None
        judged = qrels({str(topic): {name: drawn.randrange(3) for name in "abcd"} for topic in range(1, 6)})
        scorer = Scorer(judged, "AP nDCG ESL(n=1)")
        for double in (False, True):
            expected = scorer.score(scored, ties=ties, double_precision=double)
            assert scorer.score(arrays, ties=ties, double_precision=double) == expected, seed
        counted.add(expected.topics_near_tied)
    assert len(counted) > 2


def test_the_order_of_tied_documents_is_whole_for_whoever_asks_for_docnos() -> None:
    # a and b are not judged, so that no measure asks which of them comes first.
    arrays = as_arrays(run({"1": {"a": 1.0, "c": 1.0, "b": 1.0, "d": 2.0}}))
    assert arrays is not None
    read = Scorer(qrels({"1": {"d": 1}}), "RR").read(arrays)
    assert list(read.orders()["1"]) == ["d", "c", "b", "a"]


def test_gains_for_grades_below_one_count() -> None:
    # Gains 2, 1 for grades 1, 0 at ranks 2, 1: 1 + 2 / log2(3) of 2 + 1 / log2(3).
    judged = qrels({"1": {"a": 0, "b": 1}})
    value = score_run(judged, ranked(["a", "b"]), "nDCG(gains={0:1,1:2})").values
    assert list(value.values()) == pytest.approx([(1 + 2 / np.log2(3)) / (2 + 1 / np.log2(3))])


@pytest.mark.parametrize("bits", [0, 2, 64])
def test_docnos_whose_hashes_are_equal_are_still_told_apart(
    monkeypatch: pytest.MonkeyPatch, bits: int
) -> None:
    # Hashes of so few bits that all docnos of a topic, most of them, or none have the same.
    honest = hashes

    def poor(words: Sequence[Words]) -> Words:
        return honest(words) & np.uint64(2**bits - 1 << 64 - bits)

    monkeypatch.setattr("workbench.scoring.relevance.hashes", poor)
    names = [f"d{number}" for number in range(60)]
    arrays = as_arrays(run({topic: dict.fromkeys([*names, "x", "y"], 1.0) for topic in ("1", "2", "3")}))
    assert arrays is not None
    judged = qrels(
        {topic: {name: at + add for at, name in enumerate(names)} for topic, add in (("1", 0), ("3", 7))}
    )
    relevance = Relevance(judged)
    numbers = np.repeat([0, 2, 1], len(names) + 2)
    expected = [*range(60), ABSENT, ABSENT, *[ABSENT] * 62, *range(7, 67), ABSENT, ABSENT]
    assert relevance.grades_in_arrays(arrays.docnos, numbers).tolist() == expected


def test_real_runs_have_trec_evals_values() -> None:
    folder = shared("data", "trec-covid", "round1")
    with (folder / "qrels.txt").open("rb") as stream:
        judged = read_qrels(stream, source="qrels.txt")
    measures = [measure for measure in parse_measures(IN_THE_FIELD) if in_the_field(measure)]
    ours, theirs = Scorer(judged, measures), Scorer(judged, measures, field=True)
    for path in sorted((folder / "runs").iterdir())[::48]:
        with path.open("rb") as stream:
            read = read_run_top(stream, source=path.name, depth=None).run
        assert dict(ours.score(read).values) == pytest.approx(dict(theirs.score(read).values), abs=1e-12)


@pytest.mark.slow
def test_kernels_are_equal_to_the_fields_scorers_on_thousands_of_random_sets() -> None:
    measures = parse_measures(IN_THE_FIELD)
    for seed in range(1000, 6000):
        judged, retrieved = random_set(seed)
        ours = Scorer(judged, measures).score(retrieved)
        theirs = Scorer(judged, measures, field=True).score(retrieved)
        for name in theirs.per_topic:
            assert _but_facts(ours, name) == pytest.approx(_but_facts(theirs, name), abs=1e-12), (seed, name)
