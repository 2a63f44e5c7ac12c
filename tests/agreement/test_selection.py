"""What enters agreement, what does not, and that it is said."""

from __future__ import annotations

import csv

import numpy as np
import pytest

from tests.agreement.made import interval_of_all_but_each
from tests.support import shared
from workbench.agreement.coefficients import COEFFICIENTS, coefficient_value
from workbench.agreement.estimates import estimates, topics_left_out
from workbench.agreement.jackknife import linearised
from workbench.agreement.options import AgreementOptions, Basis, Machines, Singles
from workbench.agreement.ratings import (
    CANNOT_JUDGE,
    MISSING,
    UNSURE,
    Answers,
    Assessor,
    Ratings,
    answers_of,
    pair_tables,
)
from workbench.agreement.selection import Selection, select_ratings
from workbench.errors import WorkbenchError

ANN, BEA, CLEO, ROBOT = 0, 1, 2, 3
VOICES = (Assessor("ann"), Assessor("bea"), Assessor("cleo"), Assessor("robot", machine=True))
# Of topic 1 d1 has two people, d2 one and a machine, d3 one; of topic 2 d1 has two people and one unsure.
SAID = (
    (BEA, "2", "d1", 0),
    (ANN, "2", "d1", 2),
    (CLEO, "2", "d1", UNSURE),
    (ANN, "1", "d1", 1),
    (BEA, "1", "d1", 2),
    (ANN, "1", "d2", 0),
    (ROBOT, "1", "d2", 2),
    (CLEO, "1", "d3", 1),
    (BEA, "1", "d3", CANNOT_JUDGE),
)
SCALE = (0, 1, 2)


@pytest.fixture
def answers() -> Answers:
    return answers_of(VOICES, SAID)


def codes(found: Selection) -> list[list[int]]:
    rows: list[list[int]] = found.by_grade.codes.tolist()
    return rows


def test_only_pairs_that_two_people_judged_enter_unless_asked_otherwise(answers: Answers) -> None:
    options = AgreementOptions(relevant_from=1, graded=True, singles=Singles.LEFT_OUT)
    found = select_ratings(answers, SCALE, options)
    assert found.pairs == (("1", "d1"), ("2", "d1"))
    assert [voice.name for voice in found.assessors] == ["ann", "bea", "cleo"]
    # The scale stands highest first: grade 2 has place 0.
    assert codes(found) == [[1, 0], [0, 2], [MISSING, MISSING]]
    assert (found.counts.unsure, found.counts.cannot_judge, found.counts.singly) == (1, 1, 2)
    assert found.topics == ("1", "2")
    assert found.sentence.startswith("2 pairs of topic and document that two or more of 3 people judged")


@pytest.mark.parametrize(
    ("names", "singles", "counted"),
    [
        (None, Singles.PUBLISHED, 2), ({"ann", "bea"}, Singles.PUBLISHED, 0),
        ({"ann", "bea"}, Singles.COUNTED, 1), (None, Singles.LEFT_OUT, 0),
    ],
)  # fmt: skip
def test_pairs_judged_once_weigh_on_chance_as_the_sources_say_or_as_chosen(
    answers: Answers, names: set[str] | None, singles: Singles, counted: int
) -> None:
    chosen = None if names is None else frozenset(names)
    options = AgreementOptions(relevant_from=1, graded=True, assessors=chosen, singles=singles)
    found = select_ratings(answers, SCALE, options)
    # Whatever becomes of the others, two pairs are compared.
    assert (found.n_pairs, found.n_topics, found.counts.expected) == (2, 2, counted)
    assert len(found.pairs) == 2 + counted
    assert ("count towards expected agreement (Gwet 2014)" in found.sentence) is (counted > 0)
    assert ("are left out" in found.sentence) is (counted == 0)
    assert found.ratings.shared().codes.shape[1] == 2


def test_a_missing_answer_becomes_the_lowest_grade_but_unsure_and_cannot_judge_do_not(
    answers: Answers,
) -> None:
    found = select_ratings(answers, SCALE, AgreementOptions(relevant_from=1, graded=True, basis=Basis.LISTED))
    assert found.pairs == (("1", "d1"), ("1", "d2"), ("1", "d3"), ("2", "d1"))
    assert codes(found) == [[1, 2, 2, 0], [0, 2, MISSING, 2], [2, 2, 1, MISSING]]
    # ann's of d3; bea's of d2; cleo's of d1 and d2.
    assert found.counts.filled == 4


def test_with_all_documents_the_rest_of_every_topic_enters_as_not_relevant(answers: Answers) -> None:
    found = select_ratings(answers, SCALE, AgreementOptions(relevant_from=1, basis=Basis.ALL, documents=10))
    # Ten documents a topic, of which 3 and 1 have an answer.
    assert found.ratings.unlisted is not None
    assert found.ratings.unlisted.tolist() == [7, 9]
    assert found.n_pairs == 20
    assert "all 20 pairs of 2 topics and 10 documents" in found.sentence
    with pytest.raises(
        WorkbenchError, match="topic 1 has judgments of 3 documents, but the collection has only 2"
    ):
        select_ratings(answers, SCALE, AgreementOptions(relevant_from=1, basis=Basis.ALL, documents=2))
    with pytest.raises(WorkbenchError, match="number of documents is not known"):
        select_ratings(answers, SCALE, AgreementOptions(relevant_from=1, basis=Basis.ALL))


def test_machines_enter_only_where_asked_for(answers: Answers) -> None:
    options = AgreementOptions(relevant_from=1, machines=Machines.AMONG, singles=Singles.LEFT_OUT)
    among = select_ratings(answers, SCALE, options)
    assert among.pairs == (("1", "d1"), ("1", "d2"), ("2", "d1"))
    named = select_ratings(
        answers, SCALE, AgreementOptions(relevant_from=1, assessors=frozenset({"ann", "robot"}))
    )
    assert (named.pairs, named.ratings.codes.tolist()) == ((("1", "d2"),), [[1], [0]])
    with pytest.raises(WorkbenchError, match="two machines"):
        select_ratings(answers, SCALE, AgreementOptions(relevant_from=1, machines=Machines.ONLY))


def test_names_and_grades_that_cannot_be_are_refused(answers: Answers) -> None:
    both = frozenset({"ann", "zoe"})
    with pytest.raises(WorkbenchError, match="zoe is not an assessor"):
        select_ratings(answers, SCALE, AgreementOptions(relevant_from=1, assessors=both))
    with pytest.raises(WorkbenchError, match="grade 2 is not on the scale"):
        select_ratings(answers, (0, 1), AgreementOptions(relevant_from=1))


def test_unlisted_pairs_count_as_if_each_had_its_column(answers: Answers) -> None:
    found = select_ratings(
        answers, SCALE, AgreementOptions(relevant_from=1, graded=True, basis=Basis.ALL, documents=8)
    ).ratings
    assert found.unlisted is not None
    rest = np.full((3, int(found.unlisted.sum())), found.lowest, dtype=np.int8)
    topics = np.repeat(np.arange(2), found.unlisted)
    whole = Ratings(
        np.concatenate([found.codes, rest], axis=1),
        found.categories,
        np.concatenate([found.topics, topics]),
        2,
    )
    for name in COEFFICIENTS:
        assert coefficient_value(found, name).value == pytest.approx(
            coefficient_value(whole, name).value, abs=1e-12
        )
    assert pair_tables(found).tolist() == pair_tables(whole).tolist()
    assert linearised(found, "gwet") == linearised(whole, "gwet")


def test_unlisted_pairs_count_in_intervals_as_if_each_had_its_column() -> None:
    # Seven topics of twelve documents, of which three assessors gave some of six a grade.
    generator = np.random.default_rng(8)
    said = [
        (who, str(topic), f"d{place}", int(generator.integers(0, 3)))
        for topic in range(7) for place in range(6) for who in range(3) if generator.random() < 0.8
    ]  # fmt: skip
    options = AgreementOptions(
        relevant_from=1, graded=True, basis=Basis.ALL, documents=12, weights="linear", level="weights"
    )
    found = select_ratings(answers_of(VOICES[:3], said), SCALE, options).ratings
    assert found.unlisted is not None
    rest = np.full((3, int(found.unlisted.sum())), found.lowest, dtype=np.int8)
    topics = np.repeat(np.arange(7), found.unlisted)
    whole = Ratings(
        np.concatenate([found.codes, rest], axis=1),
        found.categories,
        np.concatenate([found.topics, topics]),
        7,
    )
    for mine, theirs in zip(
        *(estimates(one, options, topics_left_out(one, options)) for one in (found, whole)), strict=True
    ):
        assert mine.interval is not None
        assert theirs.interval is not None
        assert (mine.interval.low, mine.interval.high) == pytest.approx(
            (theirs.interval.low, theirs.interval.high)
        )
        assert mine.interval.units == theirs.interval.units == 7
        expected = interval_of_all_but_each(whole, mine.name, weights="linear")
        assert (mine.interval.low, mine.interval.high) == pytest.approx(expected, abs=1e-9)


def test_four_assessors_of_cystic_fibrosis_enter_on_both_bases() -> None:
    with shared("data", "cf", "judgments.tsv").open(encoding="utf-8") as table:
        rows = [
            (row["assessor"], row["topic"], row["doc"], int(row["grade"]))
            for row in csv.DictReader(table, delimiter="\t")
        ]
    names = sorted({row[0] for row in rows})
    answers = answers_of(
        [Assessor(name) for name in names], [(names.index(a), t, d, g) for a, t, d, g in rows]
    )
    expected = {Basis.BOTH: ([0.06, -0.01, 0.05], 4819), Basis.ALL: ([0.45, 0.40, 0.43], 123_900)}
    for basis, (kappas, n) in expected.items():
        found = select_ratings(
            answers, SCALE, AgreementOptions(relevant_from=1, graded=True, basis=basis, documents=1239)
        )
        with_a4 = [coefficient_value(found.ratings.only([one, 3]), "unpooled") for one in range(3)]
        assert [round(one.value or 0, 2) for one in with_a4] == kappas
        assert {one.n for one in with_a4} == {n} == {found.n_pairs}


def test_a_pair_on_which_all_others_were_unsure_does_not_weigh_on_chance() -> None:
    # Ann and bea differ on d0. With ann's ten other grades among the shares the chance to agree would be near
    # 1, and the pooled kappa, which cannot be below -1, near -15.
    said = [(ANN, "1", "d0", 1), (BEA, "1", "d0", 0)]
    said += [(who, "1", f"d{at}", 0 if who == ANN else UNSURE) for at in range(1, 11) for who in (ANN, BEA)]
    answers = answers_of(VOICES[:2], [*said, (ANN, "2", "d1", 0), (BEA, "2", "d1", UNSURE)])
    listed = select_ratings(answers, SCALE, AgreementOptions(relevant_from=1, basis=Basis.LISTED))
    assert (listed.pairs, listed.topics, listed.counts.singly) == ((("1", "d0"),), ("1",), 11)
    assert coefficient_value(listed.ratings, "pooled").value == -1
    # What nobody said anything of enters as before, eleven documents of topic 2 among them.
    every = select_ratings(answers, SCALE, AgreementOptions(relevant_from=1, basis=Basis.ALL, documents=12))
    assert (every.n_pairs, every.topics) == (1 + 1 + 11, ("1", "2"))
    assert every.sentence.startswith("13 of all 24 pairs of 2 topics and 12 documents")
