"""Jobs: what takes longer than a page may, done by a worker (`workflow.worker`) and shown by pages.

A page asks for a job by its kind and arguments, and says by `depends_on` what else the result depends on.
The result stays with the job, so that the next page has it at once, and an older one until there is a newer.
A job whose process has ended without a word is taken up by another.

Results that are records are stored as compressed JSON and read by the types that their dataclasses declare:
unlike with pickle nothing else is ever made of them, and numbers come back to the last bit.
"""

from __future__ import annotations

import base64
import json
import logging
import os
import threading
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import astuple, fields, is_dataclass
from datetime import date, datetime, timedelta
from enum import Enum, StrEnum
from functools import cache
from types import UnionType
from typing import Any, Protocol, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np
from sqlalchemy import ColumnElement, delete, select, update
from sqlalchemy.orm import Session

from workbench.errors import Conflict, Finding, InvalidInput, NotFound, Unavailable, WorkbenchError
from workbench.frozen import frozen_dataclass, record_of
from workbench.settings import Settings
from workbench.storage.engine import Database
from workbench.storage.tables import JobRow
from workbench.workflow.clock import shared_now

BEAT_SECONDS = 1.0
ABANDONED = timedelta(seconds=15)
"""A running job that was not noted for so long belongs to a process that has ended."""
MOST_ATTEMPTS = 3
MOST_OF_A_KIND = 40
"""Jobs of one campaign and kind that are kept: one for each choice of arguments."""
ERRORS: tuple[type[WorkbenchError], ...] = (NotFound, Conflict)
LOG = logging.getLogger(__name__)
Item = TypeVar("Item")


class Steps(Protocol):
    """Passes on the items of a step of a computation one by one, and may show how many are done."""

    def __call__(self, items: Sequence[Item], label: str) -> Iterable[Item]:
        """The items; `label` says what is done with them."""


def quietly(items: Sequence[Item], label: str) -> Iterable[Item]:  # noqa: ARG001  # as `Steps` calls it
    """The items, with nothing shown."""
    return items


class JobState(StrEnum):
    """What becomes of a job; `FAILED` where its process ended again and again, or the program has a fault."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    REFUSED = "refused"
    FAILED = "failed"
    CANCELLED = "cancelled"


@frozen_dataclass
class Job:
    """A job: of `total` `done` are done; `message` and `remedy` say why it was refused or failed."""

    id: int
    campaign_id: int | None
    kind: str
    arguments: Mapping[str, Any]
    depends_on: str
    state: JobState
    label: str
    done: int
    total: int
    message: str
    remedy: str
    kind_of_error: str
    asked_at: datetime
    ended_at: datetime | None
    result: bytes | None

    @property
    def active(self) -> bool:
        """Whether it waits or runs."""
        return self.state in {JobState.WAITING, JobState.RUNNING}

    @property
    def text(self) -> str:
        """The result of a job that has words for one."""
        return (self.result or b"").decode()

    @property
    def error(self) -> WorkbenchError:
        """Why there is no result, of the kind that its work raised, with all findings of an input."""
        if self.kind_of_error == InvalidInput.__name__:
            return InvalidInput(Finding(*one) for one in json.loads(self.result or b"[]"))
        kind = next((one for one in ERRORS if one.__name__ == self.kind_of_error), WorkbenchError)
        return kind(self.message, remedy=self.remedy)


def ask(
    db: Session,
    campaign_id: int | None,
    kind: str,
    arguments: Mapping[str, Any] | None = None,
    *,
    depends_on: str = "",
    host: str = "",
) -> Job:
    """Have a job done, unless one of these arguments waits or runs already; returns whichever it is."""
    found = latest(db, campaign_id, kind, arguments)
    if found is not None and found.active:
        return found
    row = JobRow(
        campaign_id=campaign_id,
        kind=kind,
        arguments=_text(arguments or {}),
        depends_on=depends_on,
        host=host,
        state=JobState.WAITING,
        asked_at=shared_now(db),
    )
    db.add(row)
    db.flush()
    return _job(row)


def latest(
    db: Session,
    campaign_id: int | None,
    kind: str,
    arguments: Mapping[str, Any] | None = None,
    *,
    state: JobState | None = None,
) -> Job | None:
    """The newest job of a kind: of these arguments, of any without; in this state, in any without."""
    chosen = select(JobRow).where(JobRow.campaign_id == campaign_id, JobRow.kind == kind)
    if arguments is not None:
        chosen = chosen.where(JobRow.arguments == _text(arguments))
    if state is not None:
        chosen = chosen.where(JobRow.state == state)
    row = db.scalars(chosen.order_by(JobRow.id.desc()).limit(1)).one_or_none()
    return None if row is None else _job(row)


def job_of(db: Session, job_id: int) -> Job | None:
    """A job by its number; None where it was deleted."""
    row = db.get(JobRow, job_id)
    return None if row is None else _job(row)


def cancel(db: Session, job_id: int) -> None:
    """Have a job ended: its process notices within a second or two."""
    active = JobRow.state.in_((JobState.WAITING, JobState.RUNNING))
    ended = {"state": JobState.CANCELLED, "ended_at": shared_now(db)}
    db.execute(update(JobRow).where(JobRow.id == job_id, active).values(ended))


def waits(db: Session, host: str, without: Iterable[str] = ()) -> Job | None:
    """The job that is next for a worker of a host: one that waits, or one whose process has ended."""
    ended = (JobRow.state == JobState.RUNNING) & (JobRow.beat_at < shared_now(db) - ABANDONED)
    chosen = select(JobRow).where((JobRow.state == JobState.WAITING) | ended)
    chosen = chosen.where(JobRow.host.in_(("", host)), JobRow.kind.not_in(tuple(without)))
    row = db.scalars(chosen.order_by(JobRow.id).limit(1)).one_or_none()
    return None if row is None else _job(row)


def take(db: Session, job: Job) -> int:
    """Begin a job that `waits`: which attempt this is, 0 where somebody else has taken it."""
    row = db.scalars(select(JobRow).where(JobRow.id == job.id).with_for_update()).one_or_none()
    if row is None or row.state not in {JobState.WAITING, JobState.RUNNING}:
        return 0
    now = shared_now(db)
    if row.state == JobState.RUNNING and row.beat_at is not None and row.beat_at >= now - ABANDONED:
        return 0
    if row.attempts >= MOST_ATTEMPTS:
        row.state, row.ended_at = JobState.FAILED, now
        row.message, row.remedy = (
            "its process ended several times",
            "check whether the server has run out of memory",
        )
        return 0
    row.attempts += 1
    row.state, row.beat_at, row.done, row.total = JobState.RUNNING, now, 0, 0
    return row.attempts


class Doing:
    """A job that is being done, as its work sees it: what there is to work with, and how far it is."""

    def __init__(self, settings: Settings, database: Database, job: Job, attempt: int) -> None:
        self.settings, self.database, self.job = settings, database, job
        self._attempt = attempt
        self._far: dict[str, Any] = {}

    @property
    def campaign_id(self) -> int:
        """The campaign of a job that is of one."""
        if self.job.campaign_id is None:
            raise ValueError(f"{self.job.kind} is of no campaign")
        return self.job.campaign_id

    def tell(self, label: str, done: int, total: int) -> None:
        """Say how far it is; shown within a second."""
        self._far = {"label": label, "done": done, "total": total}

    def steps(self, items: Sequence[Item], label: str) -> Iterator[Item]:
        """Items of a step, told one by one; of a range each of its numbers counts. As `Steps`."""
        done, total = 0, sum(map(_size, items))
        for item in items:
            self.tell(label, done, total)
            yield item
            done += _size(item)
        if total:
            self.tell(label, total, total)

    @contextmanager
    def beating(self) -> Iterator[None]:
        """Note every second that it goes on; the process ends where the job is no longer its own."""
        ended = threading.Event()

        def beat() -> None:
            while not ended.wait(BEAT_SECONDS):
                if not self._note():
                    os._exit(1)

        thread = threading.Thread(target=beat, daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()

    def end(self, state: JobState, result: bytes | None = None, **why: str) -> None:
        """Store the result, or why there is none, and delete what it replaces."""
        job = self.job
        with self.database.writing() as db:
            values = {"state": state, "result": result, "ended_at": shared_now(db), **why, **self._far}
            if not db.connection().execute(update(JobRow).where(*self._own()).values(values)).rowcount:
                return
            others = [JobRow.campaign_id == job.campaign_id, JobRow.kind == job.kind, JobRow.id < job.id]
            same = [*others, JobRow.arguments == _text(job.arguments)]
            if state not in {JobState.DONE, JobState.REFUSED}:
                same.append(JobRow.state != JobState.DONE)
            db.execute(delete(JobRow).where(*same))
            newest = select(JobRow.id).where(*others).order_by(JobRow.id.desc())
            beyond = db.scalars(newest.offset(MOST_OF_A_KIND).limit(1)).one_or_none()
            if beyond is not None:
                db.execute(delete(JobRow).where(*others, JobRow.id <= beyond))

    def _note(self) -> bool:
        try:
            with self.database.writing() as db:
                values = {"beat_at": shared_now(db)} | self._far
                found = db.connection().execute(update(JobRow).where(*self._own()).values(values))
                return bool(found.rowcount)
        except Unavailable as error:
            LOG.warning("job %s: %s", self.job.kind, error)
            return True

    def _own(self) -> list[ColumnElement[bool]]:
        own = (JobRow.id == self.job.id, JobRow.state == JobState.RUNNING, JobRow.attempts == self._attempt)
        return list(own)


Work = Callable[[Doing], bytes | None]
"""What a kind of job does: raises WorkbenchError where it refuses, and returns its result."""


def do(doing: Doing, work: Work) -> None:
    """Do a job, and store what became of it."""
    try:
        result = work(doing)
    except (WorkbenchError, Unavailable) as error:
        findings = error.findings if isinstance(error, InvalidInput) else ()
        message, remedy = getattr(error, "message", str(error)), getattr(error, "remedy", "")
        listed = json.dumps([astuple(one) for one in findings]).encode() if findings else None
        doing.end(JobState.REFUSED, listed, error=type(error).__name__, message=message, remedy=remedy)
    except Exception:
        LOG.exception("job %s", doing.job.kind)
        doing.end(
            JobState.FAILED, message="an error in the program ended it", remedy="see the log of the server"
        )
    else:
        doing.end(JobState.DONE, result)


def _text(arguments: Mapping[str, Any]) -> str:
    return json.dumps(arguments, sort_keys=True, separators=(",", ":"))


def _size(item: object) -> int:
    return len(item) if isinstance(item, range) else 1


def _job(row: JobRow) -> Job:
    return record_of(
        Job,
        row,
        arguments=json.loads(row.arguments),
        state=JobState(row.state),
        label=row.label or "",
        done=row.done or 0,
        total=row.total or 0,
        message=row.message or "",
        remedy=row.remedy or "",
        kind_of_error=row.error or "",
    )


Value = TypeVar("Value")
PLAIN = frozenset({str, int, float, bool})
FASTEST = 1
"""The level of compression: what repeats most are the names of topics, which every level finds."""


def result_bytes(result: object) -> bytes:
    """A dataclass of numbers, texts, enums, moments, arrays, tuples, mappings by text of these, as bytes."""
    return zlib.compress(json.dumps(_packed(result), separators=(",", ":")).encode("ascii"), FASTEST)


def result_from(kind: type[Value], content: bytes) -> Value:
    """The result of a kind that these bytes are; raises ValueError for any others."""
    try:
        found: Value = _unpacked(kind, json.loads(zlib.decompress(content)))
    except (zlib.error, TypeError, AttributeError) as error:
        raise ValueError(f"this is no {kind.__name__}: {error}") from error
    return found


def _packed(value: Any) -> Any:
    # Most are numbers and dataclasses of numbers.
    kind: Any = type(value)
    if value is None or kind in PLAIN:
        return value
    names = _names_of(kind)
    if names is not None:
        return [_packed(getattr(value, name)) for name in names]
    if isinstance(value, np.ndarray):
        content = base64.b64encode(np.ascontiguousarray(value).tobytes()).decode("ascii")
        return [value.dtype.str, list(value.shape), content]
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {key: _packed(one) for key, one in value.items()}
    if isinstance(value, tuple):
        return [_packed(one) for one in value]
    return value


def _unpacked(kind: Any, value: Any) -> Any:
    if kind in PLAIN or value is None:
        return value
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        (only,) = (one for one in inner if one is not type(None))
        return _unpacked(only, value)
    if origin is np.ndarray:
        dtype, shape, content = value
        return np.frombuffer(base64.b64decode(content), dtype).reshape(shape)
    if origin is tuple:
        return _tuple(inner, value)
    if origin is not None and issubclass(origin, Mapping):
        of = inner[1]
        return value if of in PLAIN else {key: _unpacked(of, one) for key, one in value.items()}
    if isinstance(kind, type) and is_dataclass(kind):
        types = _types_of(kind)
        return kind(*(_unpacked(of, one) for of, one in zip(types, value, strict=True)))
    # A moment is a day, too, but reads itself.
    return kind.fromisoformat(value) if kind in (date, datetime) else kind(value)


def _tuple(inner: Sequence[Any], value: Sequence[Any]) -> tuple[Any, ...]:
    if inner[-1] is Ellipsis:
        return tuple(value) if inner[0] in PLAIN else tuple(_unpacked(inner[0], one) for one in value)
    return tuple(_unpacked(of, one) for of, one in zip(inner, value, strict=True))


@cache
def _names_of(kind: type) -> tuple[str, ...] | None:
    """The names of the fields of a dataclass, None for any other type."""
    return tuple(field.name for field in fields(kind)) if is_dataclass(kind) else None


@cache
def _types_of(kind: type) -> tuple[Any, ...]:
    hints = get_type_hints(kind)
    return tuple(hints[field.name] for field in fields(kind))
