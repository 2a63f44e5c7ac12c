"""Simulated judgments: two people who differ as people do, and a machine that counts words.

Every choice is a SHA-256 of seed, purpose, assessor, topic and docno, so that a judgment depends on its own
pair alone: it is the same in every pool, however much of the pool is judged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from itertools import accumulate

from workbench.demo.content import demo_documents, demo_topics, demo_truth
from workbench.demo.runs import terms
from workbench.errors import NotFound, WorkbenchError
from workbench.records import Answer, Judgment, id_bytes, sorted_ids

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class DemoAssessor:
    """An assessor of the demo; `pace` is the share done of a topic that is under way, 0 to 1."""

    name: str
    machine: bool = False
    pace: float = 1.0


MARLOW = DemoAssessor("A. Marlow")
QUIST = DemoAssessor("R. Quist", pace=0.8)
OVERLAP_JUDGE = DemoAssessor("overlap-judge", machine=True)
DEMO_ASSESSORS = (MARLOW, QUIST, OVERLAP_JUDGE)

# The probabilities of grades 0, 1, 2, 3 by the true grade; None is a pair that is plainly off the topic.
# A. Marlow is lenient, R. Quist follows the narrative strictly.
_HABITS: Mapping[str, Mapping[int | None, tuple[float, ...]]] = {
    MARLOW.name: {
        None: (0.98, 0.02, 0.0, 0.0),
        0: (0.64, 0.26, 0.1, 0.0),
        1: (0.06, 0.66, 0.28, 0.0),
        2: (0.0, 0.06, 0.74, 0.2),
        3: (0.0, 0.0, 0.12, 0.88),
    },
    QUIST.name: {
        None: (1.0, 0.0, 0.0, 0.0),
        0: (0.88, 0.12, 0.0, 0.0),
        1: (0.24, 0.68, 0.08, 0.0),
        2: (0.02, 0.24, 0.68, 0.06),
        3: (0.0, 0.05, 0.2, 0.75),
    },
}
# The share of doubtful pairs that leave a person unsure; no pair plainly off the topic does.
_UNSURE = 1 / 12
# The share of a topic's words that a document must have to be given grade 1, 2, 3.
_THRESHOLDS = (0.3, 0.45, 0.6)
# A campaign is judged topic after topic, with this many of them under way at a time.
_UNDER_WAY = 4


def demo_judgments(pairs: Iterable[Pair], *, seed: int = 1, share: float = 0.4) -> tuple[Judgment, ...]:
    """The judgments of the three assessors on these (topic, docno) pairs, when about `share` is done.

    Topics are judged in the order of their ids. At the default share both people have completed the first of
    eight, begun four, and not begun three; at 1 everything is judged. R. Quist reads no Arabic and answers
    `cannot_judge`; the machine always grades, and only in topics that people have begun. The judgments are
    ordered by assessor, then as `pairs` are. Raises NotFound for a topic or docno that
    the demo does not have, WorkbenchError for a share outside 0 to 1.
    """
    if not 0 <= share <= 1:
        raise WorkbenchError(f"a share of {share} is not between 0 and 1")
    given = tuple(dict.fromkeys(pairs))
    _require_known(given)
    return tuple(
        _judgment(assessor, pair, seed)
        for assessor in DEMO_ASSESSORS
        for pair in _done(given, assessor, share, seed)
    )


def _require_known(pairs: Sequence[Pair]) -> None:
    docnos = {document.docno for document in demo_documents()}
    for topic, docno in pairs:
        if topic not in _topic_terms() or docno not in docnos:
            raise NotFound(f"the demo has no pair {topic} {docno}", remedy="build the pool from demo_runs()")


def _done(pairs: Sequence[Pair], assessor: DemoAssessor, share: float, seed: int) -> list[Pair]:
    topics = sorted_ids({topic for topic, _ in pairs})
    begun = share * (len(topics) + _UNDER_WAY - 1)
    done: set[Pair] = set()
    for place, topic in enumerate(topics):
        coverage = min(1.0, max(0.0, (begun - place) / _UNDER_WAY))
        if assessor.machine:
            coverage = float(coverage > 0)
        elif coverage < 1:
            coverage *= assessor.pace
        own = sorted(
            (pair for pair in pairs if pair[0] == topic), key=lambda pair: _draw(seed, "part", *pair)
        )
        done.update(own[: round(coverage * len(own))])
    return [pair for pair in pairs if pair in done]


def _judgment(assessor: DemoAssessor, pair: Pair, seed: int) -> Judgment:
    topic, docno = pair
    if assessor.machine:
        return Judgment(assessor.name, topic, docno, _overlap_grade(topic, docno))
    truth = demo_truth().get(pair)
    if assessor is QUIST and docno in _arabic():
        return Judgment(assessor.name, topic, docno, None, Answer.CANNOT_JUDGE)
    if truth is not None and _draw(seed, "unsure", assessor.name, *pair) < _UNSURE:
        return Judgment(assessor.name, topic, docno, None, Answer.UNSURE)
    thresholds = accumulate(_HABITS[assessor.name][truth][:-1])
    draw = _draw(seed, "grade", assessor.name, *pair)
    return Judgment(assessor.name, topic, docno, sum(draw >= threshold for threshold in thresholds))


def _overlap_grade(topic: str, docno: str) -> int:
    terms = _topic_terms()[topic]
    overlap = len(terms & _document_terms()[docno]) / len(terms)
    return sum(overlap >= threshold for threshold in _THRESHOLDS)


@cache
def _topic_terms() -> Mapping[str, frozenset[str]]:
    return {topic.id: frozenset(terms(f"{topic.title} {topic.description}")) for topic in demo_topics()}


@cache
def _document_terms() -> Mapping[str, frozenset[str]]:
    return {doc.docno: frozenset(terms(f"{doc.title} {doc.text}")) for doc in demo_documents()}


@cache
def _arabic() -> frozenset[str]:
    def letters(text: str) -> int:
        return sum("\u0600" <= character <= "\u06ff" for character in text)

    return frozenset(doc.docno for doc in demo_documents() if letters(doc.text) > len(doc.text) / 2)


def _draw(*key: object) -> float:
    """A number in [0, 1) that depends on the key alone."""
    digest = sha256(id_bytes("\t".join(map(str, key)))).digest()
    return int.from_bytes(digest[:6], "big") / 2**48
