"""The drafts of a campaign as files have them, a line each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from functools import partial

from workbench.export import Export
from workbench.workflow.searching.topic_drafts import TopicDraft


@dataclass(frozen=True, slots=True)
class DraftLine:
    """A draft as files have it: the statement, the state, and what was judged."""

    number: int
    author: str
    state: str
    topic: str | None
    title: str
    description: str
    narrative: str
    reason: str
    judged: int
    relevant: int
    counted: int
    counted_relevant: int
    verdict: str
    begun_at: str
    decided_at: str | None


def drafts_export(drafts: Sequence[TopicDraft]) -> Export:
    """The drafts as CSV or JSON, the earliest first."""
    columns = tuple(one.name for one in fields(DraftLine))
    lines = [_line(one) for one in sorted(drafts, key=lambda one: one.number)]
    return Export(
        columns,
        lambda: ([getattr(line, name) for name in columns] for line in lines),
        partial(list, map(asdict, lines)),
    )


def _line(draft: TopicDraft) -> DraftLine:
    statement, progress = draft.statement, draft.progress
    return DraftLine(
        number=draft.number,
        author=draft.author,
        state=str(draft.state),
        topic=draft.topic,
        title=statement.title,
        description=statement.description,
        narrative=statement.narrative,
        reason=draft.reason,
        judged=progress.judged,
        relevant=progress.relevant,
        counted=progress.counted,
        counted_relevant=progress.counted_relevant,
        verdict=str(progress.fitness),
        begun_at=draft.begun_at.isoformat(),
        decided_at=draft.decided_at.isoformat() if draft.decided_at else None,
    )
