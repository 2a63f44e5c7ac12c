"""The files of stored runs, put together for tests."""

from __future__ import annotations

from sqlalchemy.orm import Session

from workbench.workflow.runs.store import run_file


def whole_run(db: Session, campaign_id: int, tag: str, *, sha256: str | None = None) -> tuple[str, bytes]:
    """A run's file name and all of its plain file."""
    name, parts = run_file(db, campaign_id, tag, sha256=sha256)
    return name, b"".join(parts)
