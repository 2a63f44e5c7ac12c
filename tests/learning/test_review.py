"""One topic's review: which document comes next, what comes back, and what rules are told of it."""

from __future__ import annotations

import numpy as np
import pytest

from tests.learning.small_collection import small_vectors
from workbench.errors import Conflict, WorkbenchError
from workbench.learning.review import Origin, Review, ReviewRound, ReviewSettings, next_round
from workbench.learning.vectors import Numbers

ALL_RANDOM = ReviewSettings(share=1, seed=3)
NO_RANDOM = ReviewSettings(share=0, batch=2)


def ranking(number: int, *places: int, batch: int = 2) -> ReviewRound:
    """A round whose scores fall by one from place to place, from 9."""
    return ReviewRound(number, np.array(places), 9.0 - np.arange(len(places), dtype=np.float32), batch)


def take(review: Review) -> int:
    """Hand out what comes next."""
    choice = review.choice()
    assert choice is not None
    review.hand_out(choice.place, choice.origin)
    return choice.place


def numbers(values: Numbers) -> list[int]:
    return [int(one) for one in values]


@pytest.mark.parametrize("share", [-0.1, 1.5])
def test_a_share_outside_0_to_1_is_refused_with_an_example(share: float) -> None:
    with pytest.raises(WorkbenchError, match=f"a share of {share} random") as refused:
        ReviewSettings(share=share)
    assert "0.1 for every tenth" in refused.value.remedy


def test_without_a_ranking_documents_come_from_the_end_of_the_random_order() -> None:
    review = Review(5, "T1", ReviewSettings(share=0, budget=4))
    first = review.choice()
    assert first is not None
    assert (first.origin, first.rank, first.round, first.score) == (Origin.UNRANKED, 1, None, None)
    taken = [take(review) for _ in range(4)]
    assert len(set(taken)) == 4
    # The budget is used up, though a document is left.
    assert (review.left, review.choice()) == (0, None)


def test_the_random_share_is_drawn_in_one_order_and_the_other_end_of_it_is_what_is_unranked() -> None:
    review = Review(5, "T1", ALL_RANDOM)
    drawn = [take(review) for _ in range(5)]
    assert sorted(drawn) == [0, 1, 2, 3, 4]
    assert review.choice() is None
    backwards = Review(5, "T1", ReviewSettings(share=0, seed=3))
    assert [take(backwards) for _ in range(5)] == drawn[::-1]
    # Of the topic too: one order for all topics would make them one experiment.
    one, other = Review(40, "T1", ALL_RANDOM), Review(40, "T2", ALL_RANDOM)
    assert [take(one) for _ in range(40)] != [take(other) for _ in range(40)]


def test_a_ranking_is_followed_past_what_is_known_and_its_batch_says_when_it_is_over() -> None:
    review = Review(5, "T1", NO_RANDOM)
    assert (review.round, review.round_is_over, review.next_batch) == (None, True, 2)
    review.judged(4, True)  # found by searching
    review.begin(ranking(0, 4, 2, 0, 1, 3))
    choice = review.choice()
    assert choice is not None
    assert (choice.place, choice.origin, choice.rank, choice.round, choice.score) == (
        *(2, Origin.LEARNER, 2, 0),
        8.0,
    )
    review.judged(take(review), True)
    assert not review.round_is_over
    # An answer that is no grade counts as read and teaches nothing.
    review.judged(take(review), None)
    assert review.round_is_over
    places, relevant = review.lesson
    assert (numbers(places), relevant.tolist()) == ([4, 2], [True, True])
    assert review.grades == {4: True, 2: True}
    assert np.flatnonzero(review.ahead).tolist() == [1, 3]
    assert review.left == 2


def test_batches_grow_by_a_tenth_unless_their_size_is_given() -> None:
    review = Review(20, "T1", ReviewSettings(share=0))
    assert review.next_batch == 1
    review.begin(ranking(0, 3, batch=11))
    assert review.next_batch == 13  # 11 + ceil(1.1)


def test_a_document_that_comes_back_is_handed_out_again_in_its_place() -> None:
    review = Review(4, "T1", NO_RANDOM)
    review.begin(ranking(0, 3, 1, 0, 2))
    assert [take(review), take(review)] == [3, 1]
    review.judged(1, False)
    review.give_back(3)
    assert take(review) == 3
    for place in (0, 1):  # one that never went out, and one that is judged
        with pytest.raises(Conflict, match="came back that is not out"):
            review.give_back(place)
    with pytest.raises(Conflict, match="out or judged already"):
        review.hand_out(1, Origin.LEARNER)


def test_a_drawn_document_that_comes_back_is_owed_before_the_next_is_drawn() -> None:
    review = Review(4, "T1", ALL_RANDOM)
    first, second = take(review), take(review)
    review.judged(second, True)
    review.give_back(first)
    choice = review.choice()
    assert choice is not None
    assert (choice.place, choice.origin, choice.rank) == (first, Origin.RANDOM, 1)
    assert take(review) == first
    assert take(review) not in {first, second}
    review.give_back(first)
    # Judged elsewhere, it is owed no more.
    review.judged(first, False)
    assert take(review) != first
    assert review.choice() is None


def test_a_turn_whose_drawn_document_is_known_goes_to_the_learner() -> None:
    order = Review(4, "T1", ALL_RANDOM)
    drawn = [take(order) for _ in range(4)]
    review = Review(4, "T1", ALL_RANDOM)
    review.begin(ranking(0, *drawn[::-1]))
    review.judged(drawn[0], True)
    choice = review.choice()
    assert choice is not None
    assert (choice.place, choice.origin) == (drawn[3], Origin.LEARNER)
    assert take(review) == drawn[3]
    # The draw has gone on by that turn.
    after = review.choice()
    assert after is not None
    assert (after.place, after.origin, after.rank) == (drawn[1], Origin.RANDOM, 2)


def test_a_trace_has_graded_documents_only_by_the_ends_of_their_rounds() -> None:
    review = Review(6, "T1", NO_RANDOM)
    review.begin(ranking(0, 5, 0, 1, 2, 3, 4))
    for relevant in (True, None):
        review.judged(take(review), relevant)
    review.begin(ranking(1, 4, 1, 2, 3))
    for relevant in (False, True):
        review.judged(take(review), relevant)
    review.begin(ranking(2, 3, 2))
    trace = review.trace()
    assert trace.collection == 6
    # 5 in the first round, where 0 has no grade; 4 and 1 in the second.
    assert trace.relevant.tolist() == [True, False, True]
    assert trace.ends.tolist() == [1, 3]
    assert trace.drawn is not None
    assert trace.drawn.relevant.tolist() == []


def test_the_next_round_ranks_what_is_ahead_by_what_was_read() -> None:
    vectors = small_vectors()
    settings = ReviewSettings(share=0)
    review = Review(6, "T1", settings)
    topic = vectors.vector("wing lift")
    first = next_round(review, vectors, topic, settings)
    assert (first.number, first.batch, sorted(numbers(first.places))) == (0, 1, [0, 1, 2, 3, 4, 5])
    assert first.scores.dtype == np.float32
    assert first.scores.tolist() == sorted(first.scores.tolist(), reverse=True)
    review.begin(first)
    review.judged(take(review), True)
    second = next_round(review, vectors, topic, settings)
    # Batches of 1 and 2; d1 and d2, of wings and lift, are places 0 and 1.
    assert (second.number, second.batch, len(second.places)) == (1, 2, 5)
    assert {int(first.places[0]), int(second.places[0])} == {0, 1}
