"""The metadata of all runs as one table: written for other programs, and loaded for existing runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

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
from workbench.workflow.runs.run_metadata import COST_FIELDS, RunMetadata, read_metadata
from workbench.workflow.runs.run_records import CampaignRun, change_metadata, runs_of

HEADER = (
    *COLUMNS, "verdict", "reason", "file", "topics", "lines", "warnings", "sha256", "sent_by", "sent_at",
    "verdict_by", "verdict_at", "pools",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class MetadataLoaded:
    """What loading a table did: rows, how many of them changed a run, groups created, columns ignored."""

    rows: int
    changed: int
    new_groups: tuple[str, ...]
    ignored: tuple[str, ...]


def metadata_rows(runs: Iterable[CampaignRun]) -> list[tuple[object, ...]]:
    """One row a run under `HEADER`; its first columns can be changed and loaded again."""
    return [
        (
            run.tag, run.group, run.metadata.kind, run.metadata.description, run.metadata.priority,
            run.metadata.cost.seconds_per_query, run.metadata.cost.index_bytes,
            run.verdict, run.verdict_reason, run.file_name, run.topics, run.lines, len(run.warnings),
            run.sha256, run.added_by, run.added_at.isoformat(timespec="seconds"), run.verdict_by,
            run.verdict_at.isoformat(timespec="seconds") if run.verdict_at else None,
            "; ".join(pool.name for pool in run.pools),
        )
        for run in runs
    ]  # fmt: skip


def load_metadata(
    db: Session, campaign_id: int, table: MetadataTable, *, source: str, new_groups: bool = False
) -> MetadataLoaded:
    """Set the columns of a table on the runs that it names; an empty cell clears the field.

    With `new_groups` missing groups are created. Raises InvalidInput with every error, and changes nothing:
    unknown runs and groups, and kinds and priorities that are none.
    """
    stored = {run.tag: run for run in runs_of(db, campaign_id)}
    groups = dict(group_names(db, campaign_id))
    findings: list[Finding] = []
    created: list[str] = []
    if new_groups:
        named = [row.cells["group"] for row in table.rows if row.cells.get("group", "").strip()]
        created = [name for name in missing_names(named, groups) if not group_name_findings(name)]
        groups |= {name: add_group(db, campaign_id, name) for name in created}
    read: dict[str, RunMetadata] = {}
    for row in table.rows:
        try:
            read[row.tag] = _metadata(row, stored, groups, source=source, new_groups=new_groups)
        except InvalidInput as error:
            findings.extend(error.findings)
    if findings:
        raise InvalidInput(findings)
    changes = {tag: metadata for tag, metadata in read.items() if metadata != stored[tag].metadata}
    for tag, metadata in changes.items():
        change_metadata(db, campaign_id, tag, metadata)
    return MetadataLoaded(len(table.rows), len(changes), tuple(created), table.ignored)


def _metadata(
    row: MetadataRow,
    stored: Mapping[str, CampaignRun],
    groups: Mapping[str, int],
    *,
    source: str,
    new_groups: bool,
) -> RunMetadata:
    findings: list[Finding] = []
    run = stored.get(row.tag)
    if run is None:
        message = f"there is no run {row.tag!r} in this campaign"
        findings.append(Finding(source, row.line, "unknown-run", message, "add the run first"))
    name, group_id = row.cells.get("group", "").strip(), None
    if name:
        group_id = matching(name, groups)
        if group_id is None:
            wrong = group_name_findings(name, source=source, line=row.line) if new_groups else []
            remedy = "create it first, or allow new groups"
            unknown = Finding(source, row.line, "unknown-group", f"there is no group {name!r}", remedy)
            findings.extend(wrong or [unknown])
    try:
        found = read_metadata(row.cells, group_id=group_id, source=source, line=row.line)
    except InvalidInput as error:
        raise InvalidInput([*findings, *error.findings]) from None
    if findings or run is None:
        raise InvalidInput(findings)
    # What the table has no column for stays as it is.
    fields = {"group": "group_id", "kind": "kind", "description": "description", "priority": "priority"}
    changed: dict[str, Any] = {
        field: getattr(found, field) for column, field in fields.items() if column in row.cells
    }
    costs = {column: getattr(found.cost, column) for column in COST_FIELDS if column in row.cells}
    return replace(run.metadata, **changed, cost=replace(run.metadata.cost, **costs))
