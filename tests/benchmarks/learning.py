"""A learner at work, in processor seconds: training on a large collection, and following what people judge.

`python -m tests.benchmarks.learning` makes documents of random words, ranks all of them twelve times as a
topic is judged, and prints the slowest ranking; then what a look at a topic of 2,000 judgments costs from its
first event on, and from the last one that was seen.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator

import numpy as np

from workbench.learning.review import Origin, Review, ReviewRound, ReviewSettings, next_round
from workbench.learning.vectors import vectors_of
from workbench.records import Document

DOCUMENTS, WORDS, LENGTH, RANKINGS, A_RANKING = 100_000, 50_000, 100, 12, 40
POOL, JUDGED, CHOICES = 20_000, 2_000, 200
Happened = tuple[int, Origin, bool] | ReviewRound


def main() -> None:
    """Measure, and print one line for each step."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--documents", type=int, default=DOCUMENTS)
    given = parser.parse_args()
    train(given.documents)
    follow()


def train(documents: int) -> None:
    """Rank a collection again and again as its documents are judged."""
    began = time.process_time()
    vectors = vectors_of(_made(documents, np.random.default_rng(1)))
    began = _say(f"{documents} documents as vectors", began)
    settings = ReviewSettings(budget=RANKINGS * A_RANKING)
    review = Review(documents, "T1", settings)
    slowest = 0.0
    for _ in range(RANKINGS):
        began = time.process_time()
        ranked = next_round(review, vectors, vectors.vector("w5 w40 w900"), settings)
        slowest = max(slowest, time.process_time() - began)
        review.begin(ranked)
        for number in range(A_RANKING):
            _judge(review, number % 3 == 0)
    print(f"{slowest:8.3f} s  slowest of {RANKINGS} rankings")


def follow() -> None:
    """Go through a long topic from its beginning, and choose at its end."""
    settings = ReviewSettings(budget=JUDGED + 1)
    happened = list(_judged(Review(POOL, "T1", settings)))
    began = time.process_time()
    review = Review(POOL, "T1", settings)
    for one in happened:
        _again(review, one)
    _say(f"{JUDGED} judgments of {POOL} documents gone through again", began)
    last = Review(POOL, "T1", settings)
    for one in happened[:-1]:
        _again(last, one)
    began = time.process_time()
    _again(last, happened[-1])
    _say("the last of them alone", began)
    began = time.process_time()
    for _ in range(CHOICES):
        review.choice()
    _say(f"{CHOICES} choices", began)


def _judged(review: Review) -> Iterator[Happened]:
    generator = np.random.default_rng(2)
    for number in range(JUDGED):
        if review.round_is_over:
            places = generator.permutation(np.flatnonzero(review.ahead))[:1000]
            scores = np.zeros(len(places), dtype=np.float32)
            ranked = ReviewRound(number, places, scores, review.next_batch)
            review.begin(ranked)
            yield ranked
        yield _judge(review, bool(generator.random() < 0.2))


def _judge(review: Review, relevant: bool) -> tuple[int, Origin, bool]:
    choice = review.choice()
    assert choice is not None
    review.hand_out(choice.place, choice.origin)
    review.judged(choice.place, relevant)
    return choice.place, choice.origin, relevant


def _again(review: Review, happened: Happened) -> None:
    if isinstance(happened, ReviewRound):
        review.begin(happened)
        return
    place, origin, relevant = happened
    review.hand_out(place, origin)
    review.judged(place, relevant)


def _made(documents: int, generator: np.random.Generator) -> Iterator[Document]:
    """Documents whose words are as frequent as Zipf's law has it."""
    chances = 1 / np.arange(1, WORDS + 1)
    chances /= chances.sum()
    for number in range(documents):
        words = generator.choice(WORDS, LENGTH, p=chances)
        yield Document(f"d{number:06d}", text=" ".join(f"w{word}" for word in words))


def _say(step: str, began: float) -> float:
    print(f"{time.process_time() - began:8.3f} s  {step}")
    return time.process_time()


if __name__ == "__main__":
    main()
