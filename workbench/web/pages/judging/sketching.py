"""Sketches of documents, made and kept before they are looked at, where nobody waits for the database."""

from __future__ import annotations

from collections.abc import Iterable

from workbench.web.access import here, viewer
from workbench.web.context import reading, writing
from workbench.workflow.judging.sketches import keep_sketches, missing_sketches
from workbench.workflow.people.membership import require_assignment


def make_sketches(assignment_id: int, *, first: Iterable[str] = ()) -> None:
    """Have the sketches of the viewer's part made and kept where they are lacking, some at a time.

    Those of the documents that are asked for come `first`. Raises NotFound for an assignment that is not the
    viewer's.
    """
    with reading() as db:
        require_assignment(db, here().id, assignment_id)
        made = missing_sketches(db, assignment_id, viewer().id, first=first)
    if made:
        with writing() as db:
            keep_sketches(db, assignment_id, viewer().id, made)
