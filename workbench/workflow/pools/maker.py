"""Pools of many runs are made in a process of their own, so that saving never waits for Python.

`python -m workbench.workflow.pools.maker SOCKET` makes one pool, as the server asks through the socket that
it inherits, at a lower priority than the server has.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from multiprocessing.connection import Connection

from sqlalchemy import func, select

from workbench.errors import Conflict, InvalidInput, NotFound, Unavailable, WorkbenchError
from workbench.storage.engine import Database
from workbench.storage.tables import RunRow
from workbench.workflow.pools.listing import PoolReport
from workbench.workflow.pools.making import NewPool
from workbench.workflow.pools.portions import make_in_portions

SMALL = 200_000
"""Lines of all runs that are pooled in the process that was asked: faster than starting another one."""
SECONDS = 600.0
"""How long the process may take; then it is ended, whether it computes or hangs."""
NICENESS = 5
KINDS: tuple[type[WorkbenchError], ...] = (NotFound, Conflict)
_ONE_AT_A_TIME = threading.Lock()
"""Each takes a processor and some hundred megabytes."""


def make_apart(database: Database, new: NewPool) -> PoolReport:
    """Make a pool as `make_in_portions`, in a process of its own where that takes long; raises as it does."""
    with database.reading() as db:
        lines = select(func.sum(RunRow.lines)).where(
            RunRow.campaign_id == new.campaign_id, RunRow.replaced_at.is_(None)
        )
        is_small = (db.scalar(lines) or 0) <= SMALL
    if is_small or database.engine.url.database in {None, "", ":memory:"}:
        return make_in_portions(database, new)
    with _ONE_AT_A_TIME:
        return _made_by_a_process(database.url, new)


def _made_by_a_process(url: str, new: NewPool) -> PoolReport:
    ours, theirs = socket.socketpair()
    command = [sys.executable, "-m", "workbench.workflow.pools.maker", str(theirs.fileno())]
    # No part of the command comes from a user. The address of the database may have a password: not in it.
    process = subprocess.Popen(command, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL)  # noqa: S603
    theirs.close()
    try:
        with Connection(ours.detach()) as channel:
            channel.send((url, new))
            if not channel.poll(SECONDS):
                raise TimeoutError
            answer = channel.recv()
    except (EOFError, OSError):
        process.kill()
        raise WorkbenchError(
            "the process that made the pool has ended",
            remedy="make the pool again; if this happens again, the server may have too little memory",
        ) from None
    finally:
        process.wait()
    if isinstance(answer, PoolReport):
        return answer
    if isinstance(answer, Unavailable):
        raise answer
    kind, message, remedy, findings = answer
    if findings:
        raise InvalidInput(findings)
    raise kind(message, remedy=remedy)


def main(descriptor: int) -> None:
    """Make the pool that is asked for through the socket, and send its report, or what is wrong."""
    os.nice(NICENESS)
    with Connection(descriptor) as channel:
        url, new = channel.recv()
        database = Database(url)
        try:
            channel.send(make_in_portions(database, new))
        except WorkbenchError as error:
            kind = next((one for one in KINDS if isinstance(error, one)), WorkbenchError)
            findings = error.findings if isinstance(error, InvalidInput) else ()
            channel.send((kind, error.message, error.remedy, findings))
        except Unavailable as error:
            channel.send(Unavailable(*error.args))
        finally:
            database.close()


if __name__ == "__main__":
    main(int(sys.argv[1]))
