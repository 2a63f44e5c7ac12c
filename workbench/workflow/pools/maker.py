"""Pools of many runs are made, rebuilt and opened in a process of their own: saving never waits for Python.

`python -m workbench.workflow.pools.maker SOCKET` does what the server asks through the socket that it
inherits, for one pool, at a lower priority than the server has.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Concatenate, ParamSpec, TypeVar

from sqlalchemy import func, select

from workbench.errors import Conflict, Finding, InvalidInput, NotFound, Unavailable, WorkbenchError
from workbench.storage.engine import Database
from workbench.storage.tables import RunRow
from workbench.workflow.pools.drafts import Rebuilt
from workbench.workflow.pools.listing import PoolReport
from workbench.workflow.pools.making import NewPool, asks_for_the_rest
from workbench.workflow.pools.pool_rows import pool_row
from workbench.workflow.pools.portions import make_in_portions, open_in_portions, rebuild_in_portions

SMALL = 200_000
"""Lines of all runs that are pooled in the process that was asked: faster than starting another one."""
SECONDS = 600.0
"""How long the process may take; then it is ended, whether it computes or hangs."""
NICENESS = 5
KINDS: tuple[type[WorkbenchError], ...] = (NotFound, Conflict)
_ONE_AT_A_TIME = threading.Lock()
"""Each takes a processor and some hundred megabytes."""


P = ParamSpec("P")
T = TypeVar("T")
Work = Callable[Concatenate[Database, P], T]
"""What the process does: a function of a module, which it finds by its name."""


def make_apart(database: Database, new: NewPool) -> PoolReport:
    """Make a pool as `make_in_portions`, in a process of its own where that takes long; raises as it does."""
    if _is_small(database, new.campaign_id):
        return make_in_portions(database, new)
    return _apart(database, make_in_portions, new)


def rebuild_apart(database: Database, campaign_id: int, name: str) -> Rebuilt:
    """Rebuild a draft as `rebuild_in_portions`; as `make_apart`."""
    if _is_small(database, campaign_id):
        return rebuild_in_portions(database, campaign_id, name)
    return _apart(database, rebuild_in_portions, campaign_id, name)


def open_apart(database: Database, campaign_id: int, name: str, *, seen: str | None = None) -> bool:
    """Open a draft as `open_in_portions`; as `make_apart`."""
    with database.reading() as db:
        is_short = not asks_for_the_rest(pool_row(db, campaign_id, name))
    if is_short or _is_small(database, campaign_id):
        return open_in_portions(database, campaign_id, name, seen=seen)
    return _apart(database, open_in_portions, campaign_id, name, seen=seen)


def _is_small(database: Database, campaign_id: int) -> bool:
    """Whether the process that was asked does it sooner, or nobody else can reach the database."""
    if database.engine.url.database in {None, "", ":memory:"}:
        return True
    with database.reading() as db:
        lines = select(func.sum(RunRow.lines)).where(
            RunRow.campaign_id == campaign_id, RunRow.replaced_at.is_(None)
        )
        return (db.scalar(lines) or 0) <= SMALL


def _apart(database: Database, work: Work[P, T], *given: P.args, **named: P.kwargs) -> T:
    with _ONE_AT_A_TIME:
        ours, theirs = socket.socketpair()
        command = [sys.executable, "-m", "workbench.workflow.pools.maker", str(theirs.fileno())]
        # No part of the command comes from a user. The address of the database may hold a password, so it
        # is sent.
        process = subprocess.Popen(command, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL)  # noqa: S603
        theirs.close()
        try:
            with Connection(ours.detach()) as channel:
                channel.send((database.url, work, given, named))
                if not channel.poll(SECONDS):
                    raise TimeoutError
                answer = channel.recv()
        except (EOFError, OSError):
            process.kill()
            raise WorkbenchError(
                "the process that computed the pool has ended",
                remedy="try again; if this happens again, the server may have too little memory",
            ) from None
        finally:
            process.wait()
    result, error = answer
    if error is not None:
        raise _error(*error)
    done: T = result
    return done


def _error(
    kind: type[WorkbenchError] | type[Unavailable], message: str, remedy: str, findings: tuple[Finding, ...]
) -> Exception:
    if findings:
        return InvalidInput(findings)
    return kind(message, remedy=remedy) if issubclass(kind, WorkbenchError) else kind(message)


def main(descriptor: int) -> None:
    """Do what is asked through the socket, and send its result, or what is wrong."""
    os.nice(NICENESS)
    with Connection(descriptor) as channel:
        url, work, given, named = channel.recv()
        database = Database(url)
        try:
            channel.send((work(database, *given, **named), None))
        except WorkbenchError as error:
            # Taken apart, since exceptions with keywords do not travel.
            kind = next((one for one in KINDS if isinstance(error, one)), WorkbenchError)
            findings = error.findings if isinstance(error, InvalidInput) else ()
            channel.send((None, (kind, error.message, error.remedy, findings)))
        except Unavailable as error:
            channel.send((None, (Unavailable, str(error), "", ())))
        finally:
            database.close()


if __name__ == "__main__":
    main(int(sys.argv[1]))
