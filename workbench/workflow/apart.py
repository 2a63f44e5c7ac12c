"""Long computing in a process of its own, so that saving never waits for Python.

`python -m workbench.workflow.apart SOCKET` does what the server asks through the socket that it inherits, at
a lower priority than the server has.
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

from workbench.errors import Conflict, Finding, InvalidInput, NotFound, Unavailable, WorkbenchError
from workbench.storage.engine import Database

SMALL = 200_000
"""Lines of runs that are read in the process that was asked: sooner than starting another one."""
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


def apart(database: Database, work: Work[P, T], *given: P.args, **named: P.kwargs) -> T:
    """What `work` returns of the database, computed in a process of its own; raises what it raises.

    A database in memory, which no other process can reach, is computed of here.
    """
    if database.engine.url.database in {None, "", ":memory:"}:
        return work(database, *given, **named)
    with _ONE_AT_A_TIME:
        ours, theirs = socket.socketpair()
        command = [sys.executable, "-m", "workbench.workflow.apart", str(theirs.fileno())]
        # No part of the command comes from a user. The address of the database may hold a password, so it
        # is sent.
        process = subprocess.Popen(command, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL)  # noqa: S603
        theirs.close()
        try:
            with Connection(ours.detach()) as channel:
                channel.send((database.url, work, given, named))
                if not channel.poll(SECONDS):
                    raise TimeoutError
                result, error = channel.recv()
        except (EOFError, OSError):
            process.kill()
            raise WorkbenchError(
                "the process that computed it has ended",
                remedy="try again; if this happens again, the server may have too little memory",
            ) from None
        finally:
            process.wait()
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
