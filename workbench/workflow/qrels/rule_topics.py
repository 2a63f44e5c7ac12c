"""What a rule makes of a topic, in small arrays: kept as long as the topic's answers are.

Of a million pairs a rule takes some megabytes, so that a dozen of them can be kept, and a save settles one
topic anew.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise

import numpy as np
from numpy.typing import NDArray

from workbench.consensus.models.votes import Floats, Numbers
from workbench.consensus.settle import Consensus, Label, TableConsensus
from workbench.consensus.summary import Summary, TopicSummary, summed
from workbench.workflow.qrels.topic_votes import PairDocnos

Smallest = NDArray[np.signedinteger]
_LARGEST_BYTE = 255


@dataclass(frozen=True, slots=True, eq=False)
class Shares:
    """Confidence as `given` of `voters`, a byte each; where it is no such share, as it is."""

    given: NDArray[np.uint8]
    voters: NDArray[np.uint8]
    other: Floats | None = None

    @classmethod
    def of(cls, confidence: Floats, voters: Numbers) -> Shares:
        """The same, to the last bit."""
        given, least = np.rint(confidence * voters), np.maximum(voters, 1)
        if voters.max(initial=0) > _LARGEST_BYTE or not np.array_equal(given / least, confidence):
            return cls(np.zeros(0, np.uint8), np.zeros(0, np.uint8), confidence)
        return cls(given.astype(np.uint8), least.astype(np.uint8))

    def numbers(self) -> Floats:
        """The confidence of each settled pair."""
        return self.given / self.voters if self.other is None else self.other


@dataclass(frozen=True, slots=True, eq=False)
class RuleTopic:
    """What a rule gave of the `pairs` of a topic: the settled `rows`, or None for all, and their `grades`.

    `left` counts the judged pairs without a grade by reason; `judged` says whether there are judgments that
    count. `digest` is that of the lines, the same for all rules that make the same of a topic.
    """

    pairs: PairDocnos
    rows: NDArray[np.int32] | None
    grades: Smallest
    shares: Shares
    adjudicated: int
    left: Mapping[str, int]
    by_grade: Mapping[int, int]
    judged: bool
    digest: str

    @property
    def summary(self) -> TopicSummary:
        """What the summary of all topics adds up."""
        sure = self.shares.numbers()
        return TopicSummary(self.pairs.topic, self.adjudicated, self.left, self.by_grade, sure)

    def lines(self, starts: Sequence[bytes]) -> bytes:
        """The lines of qrels, of which these are all starts."""
        grades = self.grades.tolist()
        ends = {grade: b"%d\n" % grade for grade in self.by_grade}
        chosen = starts if self.rows is None else map(starts.__getitem__, self.rows.tolist())
        parts = zip(chosen, map(ends.__getitem__, grades), strict=True)
        return b"".join(chain.from_iterable(parts))

    @classmethod
    def of(
        cls,
        pairs: PairDocnos,
        settled: SettledRows,
        *,
        adjudicated: int,
        reasons: Iterable[str],
        judged: bool,
    ) -> RuleTopic:
        """What a rule gave of these pairs."""
        values, counts = np.unique(settled.grades, return_counts=True)
        small = np.min_scalar_type(-1 - int(np.abs(values).max(initial=0)))
        whole = len(settled.rows) == pairs.count
        sha = hashlib.sha256(pairs.digest)
        sha.update(b"all" if whole else settled.rows.astype("<i4").tobytes())
        sha.update(settled.grades.astype("<i8").tobytes())
        return cls(
            pairs,
            None if whole else settled.rows.astype(np.int32),
            settled.grades.astype(small),
            Shares.of(settled.confidence, settled.n),
            adjudicated,
            Counter(reasons),
            dict(zip(values.tolist(), counts.tolist(), strict=True)),
            judged,
            sha.hexdigest(),
        )


@dataclass(frozen=True, slots=True, eq=False)
class SettledRows:
    """The rows of settled pairs, their grades, confidence, and how many assessors graded them."""

    rows: Numbers
    grades: Numbers
    confidence: Floats
    n: Numbers


def topics_of_table(found: TableConsensus, pairs: Sequence[PairDocnos]) -> Iterator[RuleTopic]:
    """What a rule gave of a table, topic by topic; the pairs of these topics are its rows.

    Adjudicated grades are counted where there is one topic, and nothing of several.
    """
    starts = np.cumsum([0, *(one.count for one in pairs)])
    rows, left, judged = (
        np.searchsorted(places, starts).tolist()
        for places in (found.rows, found.left, np.flatnonzero(found.table.judged))
    )
    n = found.table.n[found.rows]
    several = zip(pairs, starts.tolist(), pairwise(rows), pairwise(left), pairwise(judged), strict=False)
    for own, start, (begin, end), (first, last), (before, after) in several:
        yield RuleTopic.of(
            own,
            SettledRows(
                found.rows[begin:end] - start,
                found.grades[begin:end],
                found.confidence[begin:end],
                n[begin:end],
            ),
            adjudicated=found.adjudicated if len(pairs) == 1 else 0,
            reasons=found.reasons[first:last],
            judged=after > before,
        )


def topics_of_records(found: Consensus, pairs: Sequence[PairDocnos]) -> Iterator[RuleTopic]:
    """The same of what a rule gave as records; a topic is judged where the rule settles or leaves a pair."""
    labels: dict[str, list[Label]] = {}
    for label in found.labels:
        labels.setdefault(label.topic, []).append(label)
    reasons: dict[str, list[str]] = {}
    for one in found.unsettled:
        reasons.setdefault(one.topic, []).append(one.reason)
    for own in pairs:
        theirs, left = labels.get(own.topic, []), reasons.get(own.topic, [])
        row = {docno: at for at, docno in enumerate(own.docnos)}
        numbers = np.array([(row[one.docno], one.grade, one.n) for one in theirs], np.int64).reshape(-1, 3)
        confidence = np.array([one.confidence for one in theirs], np.float64)
        yield RuleTopic.of(
            own,
            SettledRows(numbers[:, 0], numbers[:, 1], confidence, numbers[:, 2]),
            adjudicated=sum(one.adjudicated for one in theirs),
            reasons=left,
            judged=bool(theirs or left),
        )


def summary_of_topics(parts: Sequence[RuleTopic], *, relevant_from: int) -> Summary:
    """The summary of what a rule gave that settles topic by topic."""
    judged = [one.pairs.topic for one in parts if one.judged]
    return summed([one.summary for one in parts], relevant_from=relevant_from, topics=judged)


def file_hashes(rules: Mapping[str, Sequence[RuleTopic]]) -> dict[str, str]:
    """The hash of the file of qrels of each rule, by name; all have the same topics.

    Raises WorkbenchError for ids that would not survive in a file.
    """
    hashes = {name: hashlib.sha256() for name in rules}
    for several in zip(*rules.values(), strict=True):
        starts = several[0].pairs.line_starts()
        for sha, one in zip(hashes.values(), several, strict=True):
            sha.update(one.lines(starts))
    return {name: sha.hexdigest() for name, sha in hashes.items()}
