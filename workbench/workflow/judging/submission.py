"""Submissions: what an assessor says of one document, read in one place whatever way it came.

The desk sends JSON, a page without scripts a form, and what could not be recorded is stored as it was sent.
Each becomes a `Submission`, with one set of limits; `record` appends it to the judgment events.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from workbench.errors import WorkbenchError, rejected
from workbench.formats.identifiers import LONGEST_ID, id_finding, storable
from workbench.frozen import frozen_dataclass
from workbench.records import Answer
from workbench.storage.events import LATER, WITHDRAWN
from workbench.workflow.clock import parse_client_time

LONGEST_REASON = 2000
LONGEST_COMMENT = 4000
LONGEST_ACTIVE_MS = 24 * 3600 * 1000
MOST_PASSAGES = 20
LONGEST_QUOTE = 5_000
MOST_RATINGS = 20
LONGEST_NAME = 80
MOST_SUBTOPICS = 200
LARGEST = 2**31
RATING = "rating:"
"""Before the name of a question: a field of the form."""


_SHA256 = re.compile(r"[0-9a-f]{64}")
_CLIENT_ID = re.compile(r"[A-Za-z0-9-]{8,64}")


def checked_client_id(client_id: str) -> str:
    """The client id that makes recording idempotent; raises WorkbenchError if it is missing or malformed."""
    if not _CLIENT_ID.fullmatch(client_id):
        raise WorkbenchError("missing or malformed client id", remedy="load the page again")
    return client_id


def checked_sha256(digest: str | None) -> str | None:
    """The hash of the shown text, as the client sent it; raises WorkbenchError if it is not a SHA-256."""
    if digest is not None and not _SHA256.fullmatch(digest):
        raise WorkbenchError("the hash of the shown text is not a SHA-256")
    return digest


@frozen_dataclass
class Passage:
    """A passage of a document: where it begins and ends in the plain text that was shown, and what it says.

    Offsets count UTF-16 units, as browsers do; the hash of the text that was shown goes with the event.
    """

    start: int
    end: int
    quote: str


@frozen_dataclass
class Annotations:
    """Passages, answers to further questions by name (their place in the scale, from 0), ids of subtopics.

    `evidence` is None where the sender knows nothing of passages, as a form without scripts: those of
    the current answer stay.
    """

    evidence: tuple[Passage, ...] | None = ()
    ratings: Mapping[str, int] = field(default_factory=dict)
    subtopics: tuple[str, ...] = ()

    def columns(self) -> dict[str, Any]:
        """The columns of the table, without those that are empty."""
        passages = [[one.start, one.end, one.quote] for one in self.evidence or ()]
        columns = {"evidence": passages, "ratings": dict(self.ratings), "subtopics": list(self.subtopics)}
        return {name: value for name, value in columns.items() if value}


NO_ANNOTATIONS = Annotations()


class SubmissionKind(StrEnum):
    """What an assessor does to a document; the values are those of the desk's events."""

    ANSWER = "answer"
    LATER = "later"
    UNDO = "undo"
    COMMENT = "comment"
    ANNOTATIONS = "extras"


@frozen_dataclass
class Submission:
    """What an assessor says of one document; raises WorkbenchError for what nobody can say.

    `docno` is what the desk calls the document, a key where a campaign has quality checks. `client_id` is the
    sender's own id, by which it is recorded once; `before` that of the answer which the sender believed to be
    the current one, `instructions` the version of guidelines and scale that was shown. `said_at` is the
    moment by the sender's clock: kept, and never ordered by.

    A comment or annotations repeat the current answer; `annotations` of None leave those that it has.
    """

    docno: str
    client_id: str
    kind: SubmissionKind = SubmissionKind.ANSWER
    answer: Answer | None = None
    grade: int | None = None
    reason: str = ""
    comment: str = ""
    annotations: Annotations | None = NO_ANNOTATIONS
    active_ms: int | None = None
    shown_sha256: str | None = None
    said_at: datetime | None = None
    before: str = ""
    instructions: int | None = None

    def __post_init__(self) -> None:
        checked_client_id(self.client_id)
        checked_sha256(self.shown_sha256)
        if id_finding(self.docno, what="docno", source="answer"):
            raise WorkbenchError("no document has this docno", remedy="load the page again")
        if self.kind is not SubmissionKind.ANSWER:
            return
        if self.answer is None:
            raise WorkbenchError("the answer is missing", remedy="give a grade, unsure or cannot judge")
        if self.answer is Answer.GRADE and self.grade is None:
            raise WorkbenchError("the answer is a grade, but no grade was given")
        if self.answer is not Answer.GRADE and self.grade is not None:
            raise WorkbenchError(f"{self.answer} has no grade")

    @property
    def stored_answer(self) -> str:
        """What the event of it has as its answer."""
        answers = {SubmissionKind.LATER: LATER, SubmissionKind.UNDO: WITHDRAWN}
        return answers.get(self.kind) or str(self.answer)

    @property
    def amends(self) -> bool:
        """Whether it repeats the current answer with something else beside it."""
        return self.kind in {SubmissionKind.COMMENT, SubmissionKind.ANNOTATIONS}

    def as_event(self) -> dict[str, Any]:
        """The event of the desk that says the same, from which `read_submission` makes it again."""
        beside = self.annotations or NO_ANNOTATIONS
        return {
            "kind": str(self.kind),
            "docno": self.docno,
            "client_id": self.client_id,
            "answer": None if self.answer is None else str(self.answer),
            "grade": self.grade,
            "reason": self.reason,
            "comment": self.comment,
            "active_ms": self.active_ms,
            "shown_sha256": self.shown_sha256,
            "instructions": self.instructions,
            **beside.columns(),
        }

    def columns(self) -> dict[str, Any]:
        """What the table of events stores of it, within the limits."""
        active_ms = self.active_ms
        return {
            "answer": self.stored_answer,
            "grade": self.grade,
            "reason": storable(self.reason.strip())[:LONGEST_REASON],
            "comment": storable(self.comment.strip())[:LONGEST_COMMENT],
            "client_id": self.client_id,
            "document_sha256": self.shown_sha256,
            "active_ms": None if active_ms is None else max(0, min(active_ms, LONGEST_ACTIVE_MS)),
            "said_at": self.said_at,
            "instructions": self.instructions,
            **(self.annotations or NO_ANNOTATIONS).columns(),
        }


def read_submission(sent: Mapping[str, Any], *, strict: bool = True) -> Submission:
    """A submission from an event of the desk; a field of the wrong type counts as absent.

    Raises WorkbenchError for what is no answer. Without `strict` the answer is worth more than what goes with
    it: annotations and a hash of the wrong shape are dropped, and the document must be named.
    """
    kind, docno, answer = (sent_text(sent, name) for name in ("kind", "docno", "answer"))
    if kind not in set(SubmissionKind):
        raise WorkbenchError(f"unknown kind of event: {kind[:40]!r}")
    if kind == SubmissionKind.ANSWER and answer not in set(Answer):
        raise WorkbenchError(f"unknown answer: {answer[:40]!r}")
    if not strict and (not docno or id_finding(docno, what="docno", source="answer")):
        raise WorkbenchError("it names no document", remedy="dismiss it")
    says = Answer(answer) if kind == SubmissionKind.ANSWER else None
    version = sent_number(sent, "instructions")
    grade, shown = sent_number(sent, "grade"), sent_text(sent, "shown_sha256") or None
    return Submission(
        docno=docno,
        client_id=sent_text(sent, "client_id"),
        kind=SubmissionKind(kind),
        answer=says,
        grade=None if says is None or (not strict and says is not Answer.GRADE) else grade,
        reason=sent_text(sent, "reason"),
        comment=sent_text(sent, "comment"),
        annotations=_sent_annotations(sent, SubmissionKind(kind), strict),
        active_ms=sent_number(sent, "active_ms"),
        shown_sha256=shown if strict or _is_sha256(shown) else None,
        said_at=parse_client_time(sent_text(sent, "said_at")),
        before=sent_text(sent, "before"),
        instructions=version if version is not None and 0 < version < LARGEST else None,
    )


def read_form(
    fields: Mapping[str, str],
    subtopics: Sequence[str],
    *,
    docno: str,
    kind: SubmissionKind = SubmissionKind.ANSWER,
) -> Submission:
    """A submission from the fields of a form: a grade, unsure, cannot judge or later; or a comment.

    Forms know nothing of passages, so those stay. Raises InvalidInput where there is no answer.
    """
    given, active = fields.get("answer", ""), fields.get("active_ms", "")
    answer: Answer | None = None
    if kind is SubmissionKind.ANSWER and given.isascii() and given.isdigit() and len(given) < 6:
        answer = Answer.GRADE
    elif kind is SubmissionKind.ANSWER and given in {Answer.UNSURE, Answer.CANNOT_JUDGE}:
        answer = Answer(given)
    elif kind is SubmissionKind.ANSWER and given != LATER:
        raise rejected("Answer", None, "answer", "the form has no answer", "use its buttons")
    if kind is SubmissionKind.ANSWER and answer is None:
        kind = SubmissionKind.LATER
    ratings = {
        name.removeprefix(RATING): int(value) if value.isascii() and value.isdigit() else None
        for name, value in fields.items()
        if name.startswith(RATING) and value
    }
    return Submission(
        docno=docno,
        client_id=fields.get("client_id", ""),
        kind=kind,
        answer=answer,
        grade=int(given) if answer is Answer.GRADE else None,
        reason=fields.get("reason", "").strip() or ("other" if answer is Answer.CANNOT_JUDGE else ""),
        comment=fields.get("comment", ""),
        annotations=replace(read_annotations(None, ratings or None, list(subtopics) or None), evidence=None),
        active_ms=int(active) if active.isascii() and active.isdigit() and len(active) < 12 else None,
        shown_sha256=fields.get("shown_sha256") or None,
        instructions=_version(fields.get("instructions", "")),
    )


def _version(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 9 else None


def read_annotations(evidence: object, ratings: object, subtopics: object) -> Annotations:
    """Annotations as somebody sent them; None is none.

    Only its shape is checked: what an organiser has removed from the list of questions or subtopics while the
    answer waited in a browser is kept all the same. Raises WorkbenchError for what has another shape.
    """
    return Annotations(_passages(evidence), _ratings(ratings), _ticked(subtopics))


def stored_annotations(evidence: object, ratings: object, subtopics: object) -> Annotations:
    """What a row of the table says; nothing where something else wrote it in another shape."""
    try:
        return read_annotations(evidence, ratings, subtopics)
    except WorkbenchError:
        return NO_ANNOTATIONS


def sent_text(sent: Mapping[str, Any], name: str) -> str:
    """A text of JSON that somebody sent; empty where there is none."""
    found = sent.get(name)
    return found if isinstance(found, str) else ""


def sent_number(sent: Mapping[str, Any], name: str) -> int | None:
    """A whole number of JSON that somebody sent, None where there is none or it is too large."""
    found = sent.get(name)
    if not isinstance(found, int) or isinstance(found, bool):
        return None
    return found if abs(found) < LARGEST else None


def _sent_annotations(sent: Mapping[str, Any], kind: SubmissionKind, strict: bool) -> Annotations | None:
    if kind in {SubmissionKind.LATER, SubmissionKind.UNDO}:
        return NO_ANNOTATIONS
    if kind is SubmissionKind.COMMENT:
        return None
    read = read_annotations if strict else stored_annotations
    return read(sent.get("evidence"), sent.get("ratings"), sent.get("subtopics"))


def _is_sha256(digest: str | None) -> bool:
    try:
        return checked_sha256(digest) is not None
    except WorkbenchError:
        return False


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
            raise WorkbenchError(f"the answer to {name!r} is out of its range")
    return {storable(name): value for name, value in sent.items()}


def _ticked(sent: object) -> tuple[str, ...]:
    if sent is None:
        return ()
    if not isinstance(sent, list) or len(sent) > MOST_SUBTOPICS:
        raise WorkbenchError(f"subtopics are a list of at most {MOST_SUBTOPICS} ids")
    if not all(isinstance(one, str) and 0 < len(one) <= LONGEST_ID for one in sent):
        raise WorkbenchError("a subtopic is ticked by its id")
    return tuple(dict.fromkeys(storable(one) for one in sent))


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
