"""Changes of a campaign's webhooks, by pages and by the API."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from workbench.storage import Session
from workbench.web.access import here
from workbench.web.context import reading, writing
from workbench.workflow.judging.finished_topics import begin_announcing, finished_topics
from workbench.workflow.webhooks.outbox import EventType
from workbench.workflow.webhooks.webhooks import has_listener


@contextmanager
def changing_webhooks() -> Iterator[Session]:
    """A transaction; who is told of topics from then on is told of those that are finished from then on."""
    with reading() as db:
        # Before the database is locked, since all answers are looked at.
        heard = has_listener(db, here().id, EventType.TOPIC_FINISHED)
        finished = frozenset() if heard else finished_topics(db, here().id)
    with writing() as db:
        heard = has_listener(db, here().id, EventType.TOPIC_FINISHED)
        yield db
        if not heard and has_listener(db, here().id, EventType.TOPIC_FINISHED):
            begin_announcing(db, here().id, finished)
