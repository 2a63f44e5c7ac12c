"""The rounds of continuous active learning: batches that grow, each ranked by what was judged before it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from workbench.learning.learners import Learner, Lesson, Lessons, order_of
from workbench.learning.vectors import Bools, Numbers, Vectors


def next_batch(size: int) -> int:
    """The size of the batch after one of this size: B + ceil(B / 10).

    Source: Cormack and Grossman 2015.

    >>> next_batch(1), next_batch(10), next_batch(11)
    (2, 11, 13)
    """
    return size + -(-size // 10)


@dataclass(frozen=True, slots=True)
class Round:
    """One batch: `documents` are rows in the order of reading, `learned` is what they were ranked by."""

    number: int
    documents: Numbers
    learned: Lessons


def read_in_rounds(
    vectors: Vectors, topic: csr_array, relevant: Bools, learner: Learner, *, seed: int
) -> Iterator[Round]:
    """The rounds in which a learner reads a whole collection of which all is known, from one document on.

    `relevant` is (documents,), in the order of the docnos; a round is told only of documents read before it.
    """
    unread = np.ones(len(vectors), dtype=np.bool_)
    read = np.empty(0, dtype=np.intp)
    size, number = 1, 0
    while unread.any():
        learned = learner.learn(Lesson(vectors, topic, read, relevant[read], seed, number))
        documents = order_of(learned.scores, unread)[:size]
        yield Round(number, documents, learned)
        unread[documents] = False
        read = np.concatenate((read, documents))
        size, number = next_batch(size), number + 1
