"""Changes of a campaign's webhooks, by pages and by the API."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from workbench.storage import Session
from workbench.web.access import here
from workbench.web.context import reading, writing
from workbench.workflow.judging.finished_topics import begin_telling, finished_topics
from workbench.workflow.webhooks.outbox import EventType
from workbench.workflow.webhooks.webhooks import is_told_of


@contextmanager
def changing_webhooks() -> Iterator[Session]:
    """A transaction; who is told of topics from then on is told of those that are finished from then on."""
    with reading() as db:
        # Before the database is locked, since all answers are looked at.
        told = is_told_of(db, here().id, EventType.TOPIC_FINISHED)
        finished = frozenset() if told else finished_topics(db, here().id)
    with writing() as db:
        told = is_told_of(db, here().id, EventType.TOPIC_FINISHED)
        yield db
        if not told and is_told_of(db, here().id, EventType.TOPIC_FINISHED):
            begin_telling(db, here().id, finished)
