"""The records of all runs as one table: written for other programs, and loaded for runs that are there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sqlalchemy.orm import Session

from workbench.errors import Finding, InvalidInput
from workbench.formats.metadata_table import COLUMNS, MetadataRow, MetadataTable
from workbench.workflow.people.groups import (
    add_group,
    group_name_findings,
    group_names,
    matching,
    missing_names,
)
from workbench.workflow.runs.run_metadata import RunMetadata, TypedMetadata, read_metadata
from workbench.workflow.runs.run_records import CampaignRun, change_record, runs_of

HEADER = (
    *COLUMNS, "verdict", "reason", "file", "topics", "lines", "warnings", "sha256", "sent_by", "sent_at",
    "verdict_by", "verdict_at", "pools",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class RecordsLoaded:
    """What loading a table did: rows, those of them that changed a record, and the groups that it made."""

    rows: int
    changed: int
    new_groups: tuple[str, ...]
    passed_over: tuple[str, ...]


def record_rows(runs: Iterable[CampaignRun]) -> list[tuple[object, ...]]:
    """One row a run under `HEADER`; its first columns can be changed and loaded again."""
    return [
        (
            run.tag, run.group, run.about.kind, run.about.description, run.about.priority, run.verdict,
            run.verdict_reason, run.file_name, run.topics, run.lines, len(run.warnings), run.sha256,
            run.added_by, run.added_at.isoformat(timespec="seconds"), run.verdict_by,
            run.verdict_at.isoformat(timespec="seconds") if run.verdict_at else None,
            "; ".join((*run.pools, *run.earlier_pools)),
        )
        for run in runs
    ]  # fmt: skip


def load_records(
    db: Session, campaign_id: int, table: MetadataTable, *, source: str, new_groups: bool = False
) -> RecordsLoaded:
    """Set the columns of a table on the runs that it names; an empty cell says nothing of its run.

    With `new_groups` groups that are not there are made. Raises InvalidInput with every error, and leaves all
    as it was: a run that is not there, a group that is not, a kind or priority that is none.
    """
    held = {line.tag: line for line in runs_of(db, campaign_id)}
    groups = dict(group_names(db, campaign_id))
    findings: list[Finding] = []
    made: list[str] = []
    if new_groups:
        named = [row.cells["group"] for row in table.rows if row.cells.get("group", "").strip()]
        made = [name for name in missing_names(named, groups) if not group_name_findings(name)]
        groups |= {name: add_group(db, campaign_id, name) for name in made}
    said: dict[str, RunMetadata] = {}
    for row in table.rows:
        try:
            said[row.tag] = _about(row, held, groups, source=source, new_groups=new_groups)
        except InvalidInput as error:
            findings.extend(error.findings)
    if findings:
        raise InvalidInput(findings)
    changes = {tag: about for tag, about in said.items() if about != held[tag].about}
    for tag, about in changes.items():
        change_record(db, campaign_id, tag, about)
    return RecordsLoaded(len(table.rows), len(changes), tuple(made), table.passed_over)


def _about(
    row: MetadataRow,
    held: Mapping[str, CampaignRun],
    groups: Mapping[str, int],
    *,
    source: str,
    new_groups: bool,
) -> RunMetadata:
    findings: list[Finding] = []
    line = held.get(row.tag)
    if line is None:
        message = f"there is no run {row.tag!r} in this campaign"
        findings.append(Finding(source, row.line, "unknown-run", message, "add the run first"))
    name, group_id = row.cells.get("group", "").strip(), None
    if name:
        group_id = matching(name, groups)
        if group_id is None:
            wrong = group_name_findings(name, source=source, line=row.line) if new_groups else []
            remedy = "make it first, or let new groups be made"
            unknown = Finding(source, row.line, "unknown-group", f"there is no group {name!r}", remedy)
            findings.extend(wrong or [unknown])
    typed = TypedMetadata(*(row.cells.get(column, "") for column in ("kind", "description", "priority")))
    try:
        about = read_metadata(typed, group_id=group_id, source=source, line=row.line)
    except InvalidInput as error:
        raise InvalidInput([*findings, *error.findings]) from None
    if findings or line is None:
        raise InvalidInput(findings)
    # What the table has no column for stays as it is.
    return RunMetadata(
        group_id=about.group_id if "group" in row.cells else line.about.group_id,
        kind=about.kind if "kind" in row.cells else line.about.kind,
        description=about.description if "description" in row.cells else line.about.description,
        priority=about.priority if "priority" in row.cells else line.about.priority,
    )
