"""The words that an assessor highlights in a topic: up to five, kept for the assessor and the topic."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime

from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from workbench.errors import Finding, InvalidInput
from workbench.storage.tables import AssessorNoteRow
from workbench.workflow.checks import storable
from workbench.workflow.judging.task import own_assignment

MOST_WORDS = 5
LONGEST_WORD = 60
_LETTER = re.compile(r"\w")


def own_words(db: Session, assignment_id: int, account_id: int) -> tuple[str, ...]:
    """The words of an assignment's assessor in its topic; raises NotFound as `own_assignment`."""
    assignment = own_assignment(db, assignment_id, account_id).assignment
    note = db.get(AssessorNoteRow, (assignment.assessor_id, assignment.topic))
    stored = note.words if note is not None else []
    return tuple(word for word in stored if isinstance(word, str))[:MOST_WORDS]


def keep_own_words(
    db: Session, assignment_id: int, account_id: int, words: Sequence[object]
) -> tuple[str, ...]:
    """Keep these words instead of those before; gives them as they are kept, each once.

    Raises NotFound as `own_assignment`, and InvalidInput for more than MOST_WORDS and for one that is too
    long or has neither letter nor digit.
    """
    assignment = own_assignment(db, assignment_id, account_id).assignment
    kept = tuple(dict.fromkeys(_checked(word) for word in words))
    if len(kept) > MOST_WORDS:
        raise InvalidInput([_finding(f"{len(kept)} words", f"at most {MOST_WORDS}")])
    insert = sqlite.insert if db.get_bind().dialect.name == "sqlite" else postgresql.insert
    changed = {"words": list(kept), "changed_at": datetime.now(UTC)}
    # Two tabs may come first at once: the later one holds, and the note beside the words stays as it is.
    db.execute(
        insert(AssessorNoteRow)
        .values(assessor_id=assignment.assessor_id, topic=assignment.topic, note="", **changed)
        .on_conflict_do_update(index_elements=["assessor_id", "topic"], set_=changed)
    )
    return kept


def _checked(word: object) -> str:
    text = storable(" ".join(word.split())) if isinstance(word, str) else ""
    if not _LETTER.search(text):
        raise InvalidInput(
            [_finding("a word without a letter", "write a word, or several that belong together")]
        )
    if len(text) > LONGEST_WORD:
        raise InvalidInput(
            [_finding(f"{text[:20]!r}… has {len(text)} characters", f"at most {LONGEST_WORD}")]
        )
    return text


def _finding(message: str, remedy: str) -> Finding:
    return Finding("My words", None, "words", message, remedy)
