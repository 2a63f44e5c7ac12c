"""What is put together from topics is what one table of all assessors by pairs gives, to the last digit."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from workbench.agreement.contingency import MISSING
from workbench.agreement.export import matrix_export, report_export
from workbench.agreement.options import AgreementOptions, Machines, Singles
from workbench.agreement.pair_report import pair_export, pair_report
from workbench.agreement.ratings import NO_ANSWER, UNSURE, Answers, Assessor, Ratings
from workbench.agreement.ratings_by_topic import RatingsByTopic, part_of
from workbench.agreement.report import agreement_report, leniency, matrix
from workbench.agreement.selection import Selection, select_ratings
from workbench.agreement.selection_by_topic import Chosen, GradedTopic, select_by_topic
from workbench.agreement.topics import by_topic
from workbench.export import Export

SCALE = (3, 2, 1, 0)


def some_answers(seed: int, assessors: int, topics: int) -> Answers:
    """Assessors who judged a part of a part of the topics, each topic of another size; some were unsure."""
    random = np.random.default_rng(seed)
    sizes = random.integers(1, 14, topics)
    numbers = np.repeat(np.arange(topics), sizes)
    truth = random.choice(4, len(numbers), p=(0.5, 0.2, 0.2, 0.1))
    shape = assessors, len(numbers)
    grades = np.where(random.random(shape) < 0.6, truth, random.integers(0, 4, shape))
    judged = (random.random((assessors, topics)) < 0.6)[:, numbers]
    judged &= random.random(shape) < 0.7
    given = np.where(judged, grades, NO_ANSWER)
    given[random.random(given.shape) < 0.05] = UNSURE
    people = tuple(Assessor(f"a{number}", machine=number % 4 == 3) for number in range(assessors))
    names = tuple(f"T{number}" for number in range(topics))
    pairs = tuple((names[topic], f"d{place}") for place, topic in enumerate(numbers.tolist()))
    return Answers(people, given.astype(np.int16), pairs, numbers, names)


def from_topics(answers: Answers, whole: Selection, options: AgreementOptions) -> Selection:
    """The same selection put together: of every topic a table of those who graded anything in it."""
    rows = [answers.assessors.index(one) for one in whole.assessors]
    found = []
    for number, name in enumerate(answers.topic_names):
        given = answers.grades[rows][:, answers.topics == number]
        docnos = np.array([docno for topic, docno in answers.pairs if topic == name])
        who, columns = (np.flatnonzero((given >= 0).any(axis=axis)) for axis in (1, 0))
        if not len(who):
            continue
        given = given[who][:, columns]
        codes = np.where(given >= 0, 3 - given, MISSING).astype(np.int8)
        ratings = Ratings(codes, SCALE, np.zeros(len(columns), np.int64), 1)
        found.append(GradedTopic(name, tuple(who.tolist()), ratings, docnos[columns].tolist))
    unsure = int(np.count_nonzero(answers.grades[rows] == UNSURE))
    chosen = Chosen(whole.assessors, tuple(range(len(rows))), unsure, 0)
    return select_by_topic(found, chosen, SCALE, options)


OPTIONS: dict[str, dict[str, Any]] = {
    "as they are": {},
    "graded, with weights": {"graded": True, "weights": "linear"},
    "from another grade": {"relevant_from": 2},
    "without those judged once": {"singles": Singles.LEFT_OUT},
    "with machines": {"machines": Machines.AMONG, "singles": Singles.COUNTED},
    "at another level": {"confidence": 0.8, "level": "interval"},
    "two alone": {"assessors": frozenset({"a0", "a5"})},
}


def files(selection: Selection, options: AgreementOptions) -> tuple[Export, ...]:
    """The report, the matrix, and two assessors, of whom the second is named first."""
    first, second = (one.name for one in selection.assessors[:2])
    return (
        report_export(agreement_report(selection, options)),
        matrix_export(matrix(selection, options)),
        pair_export(pair_report(selection, options, first=second, second=first)),
    )


@pytest.mark.parametrize(
    ("assessors", "topics", "given"),
    [
        *((6, 9, given) for given in OPTIONS),
        # More than are listed in pairs, and a topic without which there is nothing.
        (33, 10, "as they are"),
        (6, 1, "with machines"),
    ],
)
def test_every_file_is_the_same(assessors: int, topics: int, given: str) -> None:
    answers = some_answers(assessors + topics, assessors, topics)
    options = AgreementOptions(**OPTIONS[given])
    whole = select_ratings(answers, SCALE, options)
    parts = from_topics(answers, whole, options)
    assert isinstance(parts.ratings, RatingsByTopic)
    assert (parts.pairs, parts.topics, parts.counts) == (whole.pairs, whole.topics, whole.counts)
    assert (parts.n_pairs, parts.n_topics, parts.sentence) == (whole.n_pairs, whole.n_topics, whole.sentence)
    for put_together, of_one in zip(files(parts, options), files(whole, options), strict=True):
        assert list(put_together.rows()) == list(of_one.rows())
        assert json.dumps(put_together.data()) == json.dumps(of_one.data())
    # Of so many topics there are intervals that could differ.
    intervals = [one.interval for one in agreement_report(parts, options).estimates]
    assert given != "as they are" or all(one is not None and one.low is not None for one in intervals)
    for one, other in zip(by_topic(parts.ratings, options), by_topic(whole.ratings, options), strict=True):
        assert (one.place, one.n, one.disputed) == (other.place, other.n, other.disputed)
        for mine, theirs in zip(one.estimates, other.estimates, strict=True):
            assert (mine.name, mine.found, mine.interval) == (theirs.name, theirs.found, theirs.interval)


def test_the_table_is_there_for_what_asks_for_it() -> None:
    answers, options = some_answers(3, 7, 5), AgreementOptions()
    whole = select_ratings(answers, SCALE, options).by_grade
    parts = from_topics(answers, select_ratings(answers, SCALE, options), options).by_grade
    assert isinstance(parts, RatingsByTopic)
    for mine, theirs in (
        (parts, whole),
        (parts.shared(), whole.shared()),
        (parts.from_grade(2), whole.from_grade(2)),
        (parts.only([3, 1]), whole.only([3, 1])),
        (parts.only([0, 2]).with_all(), whole.only([0, 2]).with_all()),
    ):
        np.testing.assert_array_equal(mine.codes, theirs.codes)
        np.testing.assert_array_equal(mine.topics, theirs.topics)
        assert mine.n_topics == theirs.n_topics
        assert mine.given_counts().tolist() == theirs.given_counts().tolist()
    for place in range(whole.n_topics):
        rows, own = part_of(whole, place)
        assert rows.tolist() == part_of(parts, place).rows.tolist()
        np.testing.assert_array_equal(own.codes, part_of(parts, place).ratings.codes)


def test_of_a_topic_that_stayed_the_sums_are_not_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    answers, options = some_answers(5, 6, 8), AgreementOptions()
    ratings = from_topics(answers, select_ratings(answers, SCALE, options), options).ratings.shared()
    assert isinstance(ratings, RatingsByTopic)
    first = leniency(ratings, options)
    again = RatingsByTopic(ratings.parts, ratings.n_assessors, ratings.categories)
    # A table that cannot be read: whatever is made anew would fail.
    monkeypatch.setattr(Ratings, "given", lambda _: pytest.fail("a topic was added up again"))
    assert leniency(again, options) == first
