"""Runs that were dropped to set up a campaign: checked against its topics and those to come."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import BinaryIO

from sqlalchemy.orm import Session

from workbench.errors import Conflict, Finding, NotFound
from workbench.formats.recognition import FileKind
from workbench.formats.run_report import RunReport
from workbench.workflow.runs.run_checks import RunChecker, RunUpload, check_file, read_whole, run_checker
from workbench.workflow.runs.uploads import SET_UP_RUNS, Batch, batch_of
from workbench.workflow.setup.dropped_files import dropped_files, topics_to_come

NO_TOPICS = "no-topics"

Opening = Callable[[], AbstractContextManager[Session]]


def set_up_checker(db: Session, campaign_id: int, opening: Opening) -> RunChecker | None:
    """What dropped runs are checked against; None while there are no topics at all."""
    topics = topics_to_come(db, campaign_id)
    if not topics:
        return None
    return run_checker(db, campaign_id, batch=SET_UP_RUNS, opening=opening, topics=topics)


def check_run_file(checker: RunChecker | None, name: str, stream: BinaryIO) -> RunUpload:
    """Check a dropped run; without topics it waits for them, with an error that says so."""
    if checker is not None:
        return check_file(checker, name, stream)
    content, sha256 = read_whole(name, stream)
    message = "there are no topics to check this run against"
    remedy = "drop the topics: the run is then checked"
    error = Finding(name, None, NO_TOPICS, message, remedy)
    return RunUpload(name, content, RunReport(name, None, 0, 0, sha256, 1, (error,), ()))


def dropped_runs(db: Session, campaign_id: int) -> Batch | None:
    """The dropped runs as they are now, None where there are none."""
    try:
        return batch_of(db, campaign_id, SET_UP_RUNS)
    except NotFound:
        return None


def require_topics_added(db: Session, campaign_id: int) -> None:
    """Raise Conflict while topics wait that dropped runs were checked against."""
    if any(one.kind is FileKind.TOPICS and one.ready for one in dropped_files(db, campaign_id)):
        message = "these runs were checked against topics that are not added yet"
        raise Conflict(message, remedy="add all dropped files together, on the page Set up")
