"""A review at work: rounds, the random share, documents that come back, and choices made again."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.learning.small_collection import small_vectors
from workbench.errors import Conflict, NotFound, WorkbenchError
from workbench.learning.recall import RandomShare
from workbench.learning.review import Origin, Review, ReviewEvent, ReviewHappening, ReviewSettings

LEARNING = ReviewSettings(share=0.0)
DRAWING = ReviewSettings(share=1.0, seed=2)
RELEVANT = {"d1", "d2"}


def a_review(settings: ReviewSettings) -> Review:
    return Review(small_vectors(), "wing lift", settings)


def read_everything(review: Review) -> list[str]:
    read = []
    while (docno := review.next()) is not None:
        read.append(docno)
        review.judged(docno, docno in RELEVANT)
        if review.round_is_over:
            review.rank()
    return read


def handed_out(review: Review) -> list[tuple[str, Origin | None]]:
    return [
        (event.docno, event.origin)
        for event in review.events
        if event.happening is ReviewHappening.HANDED_OUT
    ]


def test_the_learner_finds_what_the_topic_is_about_first() -> None:
    review = a_review(LEARNING)
    read = read_everything(review)
    assert set(read[:2]) == RELEVANT
    assert len(read) == len(set(read)) == 6
    assert (review.found, review.read) == (2, 6)


def test_a_batch_of_one_then_two_then_three() -> None:
    review = a_review(LEARNING)
    read_everything(review)
    rankings = [event.known for event in review.events if event.happening is ReviewHappening.RANKED]
    # Each document is two events, handed out and judged, each ranking one: 0, then after 1 + 2 * 1, after 4 +
    # 2 * 2, and once more when everything is read.
    assert rankings == [0, 3, 8, 15]


def test_without_a_new_ranking_the_present_one_goes_on() -> None:
    review = a_review(LEARNING)
    first = [review.next() for _ in range(6)]
    assert None not in first
    assert len(set(first)) == 6
    assert review.round_is_over
    assert review.next() is None


@pytest.mark.parametrize("settings", [LEARNING, DRAWING, ReviewSettings(share=0.4, seed=5)])
def test_every_choice_is_made_again_from_the_events(settings: ReviewSettings) -> None:
    review = a_review(settings)
    read_everything(review)
    again = a_review(settings)
    again.replay(review.events)
    assert again.events == review.events
    assert again.share == review.share


def test_a_ranking_that_was_made_meanwhile_knows_the_events_that_it_learned_from() -> None:
    review = a_review(LEARNING)
    first = review.next()
    known = len(review.events)
    assert first is not None
    review.judged(first, True)
    review.rank(known)
    assert review.events[-1].known == known
    again = a_review(LEARNING)
    again.replay(review.events)
    assert again.next() == review.next()


def test_other_events_are_noticed() -> None:
    review = a_review(LEARNING)
    read_everything(review)
    events = list(review.events)
    last = max(at for at, event in enumerate(events) if event.happening is ReviewHappening.HANDED_OUT)
    first = next(event for event in events if event.happening is ReviewHappening.HANDED_OUT)
    events[last] = replace(events[last], docno=first.docno)
    with pytest.raises(Conflict, match="again chooses"):
        a_review(LEARNING).replay(events)
    with pytest.raises(Conflict, match="knows 5 events of 0"):
        a_review(LEARNING).replay([ReviewEvent(ReviewHappening.RANKED, known=5)])
    with pytest.raises(Conflict, match="again chooses"):
        a_review(DRAWING).replay(review.events)


def test_all_at_random_is_a_sample_in_the_order_of_the_seed() -> None:
    review = a_review(DRAWING)
    for _ in range(4):
        docno = review.next()
        assert docno is not None
        review.judged(docno, docno in RELEVANT)
    assert {origin for _, origin in handed_out(review)} == {Origin.RANDOM}
    found = sum(docno in RELEVANT for docno, _ in handed_out(review))
    assert review.share == RandomShare(6, 4, 4, found)


def test_what_was_read_already_is_drawn_without_being_read_twice() -> None:
    free = a_review(DRAWING)
    first = free.next()
    assert first is not None
    review = a_review(DRAWING)
    review.judged(first, True)
    review.next()
    # The draw met a judged document, which counts; the turn then was the learner's.
    assert [event.happening for event in review.events[-2:]] == [
        ReviewHappening.DRAWN,
        ReviewHappening.HANDED_OUT,
    ]
    assert review.events[-1].origin is Origin.LEARNER
    assert review.share == RandomShare(6, 1, 1, 1)
    again = a_review(DRAWING)
    again.replay(review.events)
    assert again.events == review.events


def test_a_drawn_document_that_comes_back_is_handed_out_again() -> None:
    review = a_review(DRAWING)
    first = review.next()
    assert first is not None
    review.give_back(first)
    assert review.share == RandomShare(6, 1, 0, 0)
    assert review.next() == first
    assert review.share.drawn == 1
    again = a_review(DRAWING)
    again.replay(review.events)
    assert again.events == review.events


def test_an_answer_that_is_no_grade_teaches_nothing_and_a_later_one_replaces_it() -> None:
    review = a_review(LEARNING)
    review.judged("d3", None)
    assert (review.read, review.found) == (1, 0)
    review.judged("d3", True)
    assert (review.read, review.found) == (1, 1)
    assert review.next() != "d3"


def test_what_is_impossible_is_refused() -> None:
    review = a_review(LEARNING)
    with pytest.raises(NotFound):
        review.judged("d9", True)
    with pytest.raises(Conflict):
        review.give_back("d1")
    with pytest.raises(Conflict):
        review.replay([ReviewEvent(ReviewHappening.GIVEN_BACK, "d1")])
    for wrong in ({"share": 1.5}, {"seed": -1}, {"learner": "magic"}):
        with pytest.raises(WorkbenchError):
            ReviewSettings(**wrong)
