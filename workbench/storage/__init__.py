"""Rows: typed tables, engine, migrations.

`Session` is what the doors pass on from a transaction to a use-case, without looking inside.
"""

from sqlalchemy.orm import Session

__all__ = ["Session"]
