"""What all views share: the database with its two kinds of transaction, passwords, settings."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import field
from typing import Concatenate, ParamSpec, TypeVar

from flask import Flask, current_app, g

from workbench.errors import Conflict, NotFound, Unavailable
from workbench.frozen import frozen_dataclass
from workbench.settings import Settings
from workbench.storage import Connection, Session, locks
from workbench.storage.engine import ROWS_GONE, Database
from workbench.web.logs import Observed, Repeats
from workbench.workflow.campaigns.campaigns import ARCHIVED, RESTORE, campaign_of
from workbench.workflow.judging.adaptive_states import AdaptiveStates
from workbench.workflow.openid.provider import OpenIdProvider
from workbench.workflow.people.accounts import Passwords
from workbench.workflow.people.sessions import note_session_use

LOG = logging.getLogger(__name__)
Given = ParamSpec("Given")
Result = TypeVar("Result")


class LastUses:
    """Notes uses; a session whose use is about to be noted is not noted twice."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="last-uses")
        self._lock = threading.Lock()
        self._waiting: dict[str, Future[None]] = {}

    def note(self, database: Database, token: str) -> None:
        """Have it noted that the session with this token is used now."""
        with self._lock:
            if token not in self._waiting:
                self._waiting[token] = self._thread.submit(self._store, database, token)

    def wait(self) -> None:
        """Wait until everything is noted."""
        with self._lock:
            waiting = list(self._waiting.values())
        for one in waiting:
            one.result()

    def _store(self, database: Database, token: str) -> None:
        try:
            with database.writing() as db:
                note_session_use(db, token)
        except Unavailable as error:
            # The next request asks for it again.
            LOG.warning("the last use of a session is not noted: %s", error)
        finally:
            with self._lock:
                self._waiting.pop(token, None)


KEY = "workbench"


@frozen_dataclass
class Context:
    """The parts that `create_app` received."""

    settings: Settings
    database: Database
    passwords: Passwords
    states: AdaptiveStates = field(default_factory=AdaptiveStates)
    repeats: Repeats = field(default_factory=Repeats)
    uses: LastUses = field(default_factory=LastUses)
    observed: Observed = field(default_factory=Observed)
    provider: OpenIdProvider | None = None


def init_app(app: Flask, context: Context) -> None:
    """Attach the context to the application."""
    app.extensions[KEY] = context


def app_context() -> Context:
    """The context of the application that handles this request."""
    return context_of(current_app)


def context_of(app: Flask) -> Context:
    """The context of an application."""
    found = app.extensions[KEY]
    if not isinstance(found, Context):
        raise TypeError("the application was not made by create_app")
    return found


def reading() -> AbstractContextManager[Session]:
    """A transaction that reads one snapshot."""
    return app_context().database.reading()


@contextmanager
def reading_here() -> Iterator[tuple[Session, int]]:
    """A transaction that reads one snapshot, and the number of the campaign of this page."""
    with reading() as db:
        yield db, g.campaign.id


@contextmanager
def writing_here() -> Iterator[tuple[Session, int]]:
    """The same for a transaction that changes the campaign; raises as `writing`."""
    with writing() as db:
        yield db, g.campaign.id


def read_here(
    function: Callable[Concatenate[Session, int, Given], Result], *given: Given.args, **named: Given.kwargs
) -> Result:
    """What a function makes of the campaign of this page, in one transaction that reads it."""
    with reading_here() as (db, campaign_id):
        return function(db, campaign_id, *given, **named)


def write_here(
    function: Callable[Concatenate[Session, int, Given], Result], *given: Given.args, **named: Given.kwargs
) -> Result:
    """The same in one transaction that changes it; raises as `writing`."""
    with writing_here() as (db, campaign_id):
        return function(db, campaign_id, *given, **named)


def read_own(
    function: Callable[Concatenate[Session, int, Given], Result], *given: Given.args, **named: Given.kwargs
) -> Result:
    """What a function makes of the account that is signed in, in one transaction that reads it."""
    with reading() as db:
        return function(db, g.viewer.id, *given, **named)


def write_own(
    function: Callable[Concatenate[Session, int, Given], Result], *given: Given.args, **named: Given.kwargs
) -> Result:
    """The same in one transaction that changes it; raises as `writing`."""
    with writing() as db:
        return function(db, g.viewer.id, *given, **named)


def asking() -> AbstractContextManager[Connection]:
    """A connection for a single statement that reads."""
    return app_context().database.asking()


def sends_mail() -> bool:
    """Whether this site sends mail."""
    return app_context().settings.mail is not None


def require_mail(remedy: str = "") -> None:
    """Raise NotFound on a site that sends none."""
    if not sends_mail():
        raise NotFound("this site sends no e-mail", remedy=remedy)


def _wait_for_turn(db: Session) -> None:
    campaign = g.get("campaign")
    if campaign is None:
        return
    if g.judges:
        locks.judge(db, campaign.id, g.viewer.id)
    else:
        locks.change(db, campaign.id)


def adaptive_states() -> AdaptiveStates:
    """The adaptive pools that this process has in use."""
    return app_context().states


@contextmanager
def writing() -> Iterator[Session]:
    """A transaction that is committed at its end, or rolled back by an exception.

    On pages of a campaign it waits its turn (`storage.locks`). On pages whose acts are recorded
    (`web.trail`), what it changes is stored in the trail. Raises Conflict on the pages of an archived
    campaign, which the guard has marked as read only, and NotFound where the campaign was deleted meanwhile.
    """
    if g.get("read_only"):
        raise Conflict(ARCHIVED, remedy=RESTORE)
    try:
        recording = g.get("recording", nullcontext)
        with app_context().database.writing() as session:
            _wait_for_turn(session)
            with recording(session):
                yield session
    except ROWS_GONE:
        campaign = g.get("campaign")
        if campaign is not None:
            with reading() as db:
                campaign_of(db, campaign.id)
        raise
