"""What Alembic runs for every command; the connection comes from `workbench.storage.migrate`."""

from typing import Any, Literal

from alembic import context

from workbench.storage.tables import Base, Moment


def render(kind: str, thing: Any, _context: Any) -> str | Literal[False]:
    """Write our own types into migrations as what they are in the database, so that they never change."""
    return "sa.DateTime(timezone=True)" if kind == "type" and isinstance(thing, Moment) else False


context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    render_as_batch=True,
    render_item=render,
    compare_type=True,
)
context.run_migrations()
