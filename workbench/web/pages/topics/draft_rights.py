"""Who may see, change and decide drafts of topics: asked by their pages and by the API."""

from __future__ import annotations

from workbench.errors import NotFound
from workbench.storage import Session
from workbench.storage.tables import TopicDraftRow
from workbench.web.access import here, viewer
from workbench.workflow.people.roles import Role
from workbench.workflow.searching.searches import Searcher
from workbench.workflow.searching.topic_drafts import (
    TopicDraft,
    draft_row,
    may_develop,
    own_open_draft,
    require_developing,
    topic_draft,
    topic_drafts,
)


def is_organiser() -> bool:
    """Whether the viewer organises this campaign."""
    return Role.ORGANISER in here().roles


def require_developer(db: Session) -> None:
    """Raise Conflict where the viewer develops no topics: searching is off, or only organisers do."""
    require_developing(db, here().id, organiser=is_organiser())


def develops(db: Session) -> bool:
    """Whether `require_developer` lets the viewer develop topics."""
    return may_develop(db, here().id, organiser=is_organiser())


def seen_drafts(db: Session) -> tuple[TopicDraft, ...]:
    """The drafts that the viewer may look at, latest first: an organiser all, others their own."""
    return topic_drafts(db, here().id, author_id=None if is_organiser() else viewer().id)


def seen_draft(db: Session, number: int) -> TopicDraft:
    """A draft that the viewer may look at; raises NotFound."""
    draft = topic_draft(db, here().id, number)
    if not is_organiser() and draft.author_id != viewer().id:
        raise NotFound(f"there is no draft {number} of yours", remedy="see the list of drafts")
    return draft


def draft_to_decide(db: Session, number: int) -> TopicDraftRow:
    """A draft that the viewer may put aside or take up again, locked; raises NotFound."""
    row = draft_row(db, here().id, number, writing=True)
    if not is_organiser() and row.author_id != viewer().id:
        raise NotFound(f"there is no draft {number} of yours", remedy="see the list of drafts")
    return row


def draft_searcher(db: Session, number: int, *, writing: bool = True) -> Searcher:
    """Who searches for an open draft of their own, locked for `writing`; raises NotFound, Conflict."""
    require_developer(db)
    row = own_open_draft(db, here().id, number, viewer().id, writing=writing)
    return Searcher(here().id, "", viewer().id, draft_id=row.id)
