"""Verification: every invariant of the database is recounted, and what breaks one is named."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice

from sqlalchemy.engine import Connection
from sqlalchemy.orm import Session

from workbench.errors import Finding, Severity
from workbench.frozen import frozen_dataclass
from workbench.storage.engine import Database
from workbench.storage.integrity import (
    check_constraints,
    check_counters,
    check_file,
    check_references,
    check_schema,
    require_latest,
)
from workbench.storage.rows import Contents, Progress, contents_of, no_progress
from workbench.workflow.people.trail import check_trail
from workbench.workflow.upkeep.checks import (
    check_clock,
    check_current,
    check_decisions,
    check_document_counts,
    check_documents,
    check_events,
    check_grades,
    check_lists,
    check_originals,
    check_pool_events,
    check_pools,
    check_releases,
    check_runs,
    check_shown_texts,
)

Check = Callable[[Session], Iterator[Finding]]
MOST_FINDINGS = 100
"""Findings of one check; what is damaged throughout need not be listed row by row."""


def _of_connection(check: Callable[[Connection], Iterator[Finding]], db: Session) -> Iterator[Finding]:
    return check(db.connection())


CHECKS: dict[str, Check] = {
    "file of SQLite": partial(_of_connection, check_file),
    "schema": partial(_of_connection, check_schema),
    "constraints": partial(_of_connection, check_constraints),
    "references": partial(_of_connection, check_references),
    "counters": partial(_of_connection, check_counters),
    "numbers of documents": check_document_counts,
    "hashes of documents": check_documents,
    "hashes of originals": check_originals,
    "texts shown": check_shown_texts,
    "hashes of runs": check_runs,
    "hashes of lists and checked files": check_lists,
    "hashes of releases": check_releases,
    "places of judgments": check_events,
    "grades": check_grades,
    "current judgments": check_current,
    "times of judgments": check_clock,
    "pools": check_pools,
    "events of adaptive pools": check_pool_events,
    "decisions and preferences": check_decisions,
    "chain of the trail": check_trail,
}
"""Every check by what it looks at."""


@frozen_dataclass
class Verification:
    """What a database holds, what was checked, and what was found."""

    contents: Contents
    checks: tuple[str, ...]
    findings: tuple[Finding, ...]

    @property
    def sound(self) -> bool:
        """Whether there is no error; a warning is about what a person did."""
        return not any(finding.severity is Severity.ERROR for finding in self.findings)


def verify(database: Database, progress: Progress = no_progress) -> Verification:
    """Recount everything, as it is at one moment, while others read and write.

    Raises WorkbenchError unless the schema is the one of this version.
    """
    with database.reading() as db:
        require_latest(db.connection())
        contents = contents_of(db.connection(), progress)
        findings: list[Finding] = []
        for name, check in CHECKS.items():
            progress(f"Checking {name}", 0)
            findings += islice(check(db), MOST_FINDINGS)
    return Verification(contents, tuple(CHECKS), tuple(findings))
