"""Made ready before a desk is shown: the next documents are handed out, sketches are stored."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from workbench.storage import Session
from workbench.web.access import here, viewer
from workbench.web.context import adaptive_states, reading, writing
from workbench.web.jobs import begin_learning
from workbench.workflow.judging.near_duplicates import keep_sketches, missing_sketches
from workbench.workflow.judging.task import hand_out_next, prepare_next
from workbench.workflow.people.membership import require_assignment


@contextmanager
def reading_of(assignment_id: int) -> Iterator[Session]:
    """A transaction that reads, for an assignment of this campaign; raises NotFound for any other."""
    with reading() as db:
        require_assignment(db, here().id, assignment_id)
        yield db


@contextmanager
def writing_of(assignment_id: int) -> Iterator[Session]:
    """The same that writes."""
    with writing() as db:
        require_assignment(db, here().id, assignment_id)
        yield db


def prepare_desk(assignment_id: int) -> None:
    """See to it that the viewer has the next document of an assignment, if there is one to be had.

    Raises NotFound where the assignment is none of this campaign's, is not the viewer's or was taken back.
    """
    with reading_of(assignment_id) as db:
        waits = prepare_next(db, adaptive_states(), assignment_id, viewer().id)
    for campaign_id in adaptive_states().learners.take_due():
        begin_learning(campaign_id)
    if waits and here().archived_at is None:
        with writing() as db:
            hand_out_next(db, adaptive_states(), assignment_id, viewer().id)


def make_sketches(assignment_id: int, *, first: Iterable[str] = ()) -> None:
    """Have the sketches of the viewer's part made and kept where they are lacking, some at a time.

    Those of the documents that are asked for come `first`. Raises NotFound for an assignment that is not the
    viewer's.
    """
    with reading_of(assignment_id) as db:
        if here().archived_at is not None:
            return
        made = missing_sketches(db, assignment_id, viewer().id, first=first)
    if made:
        with writing() as db:
            keep_sketches(db, assignment_id, viewer().id, made)
