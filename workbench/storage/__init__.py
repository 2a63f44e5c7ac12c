"""The database: typed tables, engine, migrations.

`Session` is re-exported for web and cli, which pass it from a transaction to a use-case without using SQL.
"""

from sqlalchemy.orm import Session

__all__ = ["Session"]
