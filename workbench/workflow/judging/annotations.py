"""What goes with a judgment beside its grade: passages as evidence, further questions, subtopics ticked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from workbench.errors import WorkbenchError
from workbench.storage.tables import JudgmentEventRow
from workbench.workflow.checks import LONGEST_ID, storable

MOST_PASSAGES = 20
LONGEST_QUOTE = 5_000
MOST_RATINGS = 20
LONGEST_NAME = 80
MOST_SUBTOPICS = 200
LARGEST = 2**31


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage of a document: where it begins and ends in the plain text that was shown, and what it says.

    Offsets count UTF-16 units, as browsers do; the hash of the text that was shown goes with the event.
    """

    start: int
    end: int
    quote: str


@dataclass(frozen=True, slots=True)
class Annotations:
    """Passages, answers to further questions by name (their place in the scale, from 0), ids of subtopics.

    `evidence` is None where the sender knows nothing of passages, as a form without scripts: what holds
    stays.
    """

    evidence: tuple[Passage, ...] | None = ()
    ratings: Mapping[str, int] = field(default_factory=dict)
    subtopics: tuple[str, ...] = ()

    def columns(self) -> dict[str, Any]:
        """What the table keeps of it; nothing of what was not said."""
        passages = [[one.start, one.end, one.quote] for one in self.evidence or ()]
        said = {"evidence": passages, "ratings": dict(self.ratings), "subtopics": list(self.subtopics)}
        return {name: value for name, value in said.items() if value}


NO_ANNOTATIONS = Annotations()


def read_annotations(evidence: object, ratings: object, subtopics: object) -> Annotations:
    """What a sender says goes with a judgment; None is nothing said.

    Only its shape is checked: what an organiser has taken off the list of questions or subtopics while the
    answer waited in a browser was said all the same. Raises WorkbenchError for what has another shape.
    """
    return Annotations(_passages(evidence), _ratings(ratings), _ticked(subtopics))


def stored_annotations(evidence: object, ratings: object, subtopics: object) -> Annotations:
    """What a row of the table says; nothing where something else wrote it in another shape."""
    try:
        return read_annotations(evidence, ratings, subtopics)
    except WorkbenchError:
        return NO_ANNOTATIONS


def annotations_of(db: Session, assessor_id: int, topic: str) -> dict[int, Annotations]:
    """What goes with an assessor's events of a topic, by the event's number; only where something does."""
    event = JudgmentEventRow
    rows = db.execute(
        select(event.id, event.evidence, event.ratings, event.subtopics).where(
            event.assessor_id == assessor_id,
            event.topic == topic,
            or_(event.evidence.is_not(None), event.ratings.is_not(None), event.subtopics.is_not(None)),
        )
    )
    return {row[0]: stored_annotations(*row[1:]) for row in rows}


def shown_text(db: Session, event_id: int) -> str | None:
    """The hash of the text that was shown with an event, which the offsets of its passages belong to."""
    return db.scalar(select(JudgmentEventRow.document_sha256).where(JudgmentEventRow.id == event_id))


def _passages(sent: object) -> tuple[Passage, ...]:
    if sent is None:
        return ()
    if not isinstance(sent, list) or len(sent) > MOST_PASSAGES:
        raise WorkbenchError(f"evidence is a list of at most {MOST_PASSAGES} passages")
    return tuple(map(_passage, sent))


def _passage(sent: object) -> Passage:
    if not isinstance(sent, list) or len(sent) != 3:
        raise WorkbenchError("a passage is its beginning, its end and what it says")
    start, end, quote = sent
    if not _is_number(start) or not _is_number(end) or not 0 <= start < end < LARGEST:
        raise WorkbenchError("a passage begins before it ends, within the document")
    if not isinstance(quote, str) or not quote.strip() or len(quote) > LONGEST_QUOTE:
        raise WorkbenchError(f"a passage says something, at most {LONGEST_QUOTE:,} characters")
    return Passage(start, end, storable(quote))


def _ratings(sent: object) -> Mapping[str, int]:
    if sent is None:
        return {}
    if not isinstance(sent, dict) or len(sent) > MOST_RATINGS:
        raise WorkbenchError(f"ratings answer at most {MOST_RATINGS} questions by name")
    for name, value in sent.items():
        if not isinstance(name, str) or not 0 < len(name) <= LONGEST_NAME:
            raise WorkbenchError(f"a question has a name of at most {LONGEST_NAME} characters")
        if not _is_number(value) or not 0 <= value < LARGEST:
            raise WorkbenchError(f"the answer to {name!r} is no place in its scale")
    return {storable(name): value for name, value in sent.items()}


def _ticked(sent: object) -> tuple[str, ...]:
    if sent is None:
        return ()
    if not isinstance(sent, list) or len(sent) > MOST_SUBTOPICS:
        raise WorkbenchError(f"subtopics are a list of at most {MOST_SUBTOPICS} ids")
    if not all(isinstance(one, str) and 0 < len(one) <= LONGEST_ID for one in sent):
        raise WorkbenchError("a subtopic is ticked by its id")
    return tuple(dict.fromkeys(storable(one) for one in sent))


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
