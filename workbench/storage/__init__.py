"""The database: typed tables, engine, migrations.

`Session` and `Connection` are re-exported for web and cli, which pass them to a use-case without using SQL.

Decisions:

- Runs are stored twice: as their bytes (gzip), and packed for use, as arrays in which the tops to any
  depth come first. A packed form that is missing is made from the file. `run_files` reads its blobs in parts
  past SQLAlchemy: 2.5 ms instead of 40 for 71 runs.
- There is no secret key: sessions are rows that hold the hash of a token, so any web host serves any
  visitor, and signing out or changing the password ends them at once.
- Events are never deleted. Undo withdraws an answer by a new event; the latest event of a pair is the
  current one.
- SQLite runs in WAL mode with full synchronisation, so that what was acknowledged survives a crash.
  Writers of one process take turns before SQLite's own lock would make them poll after ever longer
  pauses.
"""

from sqlalchemy.engine import Connection
from sqlalchemy.orm import Session

__all__ = ["Connection", "Session"]
