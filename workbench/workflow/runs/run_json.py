"""Runs as JSON."""

from __future__ import annotations

from datetime import datetime

from workbench.json_forms.collecting import RunFinding, RunJson, RunRecordJson
from workbench.json_forms.filling import filled
from workbench.workflow.runs.run_records import CampaignRun, RunPool, RunRecord


def run_json(run: CampaignRun) -> RunJson:
    """A run with what is said of it and what was found in it."""
    about = run.metadata
    return filled(
        RunJson,
        run,
        group=run.group or None,
        kind=about.kind,
        description=about.description,
        priority=about.priority,
        seconds_per_query=about.cost.seconds_per_query,
        index_bytes=about.cost.index_bytes,
        reason=run.verdict_reason,
        verdict_by=run.verdict_by or None,
        verdict_at=moment(run.verdict_at),
        file=run.file_name,
        sent_by=run.added_by or None,
        sent_at=moment(run.added_at),
        warnings=[filled(RunFinding, warning) for warning in run.warnings],
    )


def run_record_json(record: RunRecord) -> RunRecordJson:
    """Everything about a run, with its pools and earlier versions."""
    return {
        **run_json(record.run),
        "bytes": record.size,
        "pools": [
            {"name": p.name, "sha256": p.sha256, "earlier_version": p.earlier} for p in by_number(record.run)
        ],
        "earlier_versions": [
            {
                "sha256": one.sha256,
                "file": one.file_name,
                "group": one.group or None,
                "topics": one.topics,
                "lines": one.lines,
                "sent_by": one.added_by or None,
                "sent_at": moment(one.added_at),
                "replaced_at": moment(one.replaced_at),
                "pools": [pool.name for pool in one.pools],
            }
            for one in record.versions
        ],
    }


def by_number(run: CampaignRun) -> list[RunPool]:
    """The pools of a run in the order of their making."""
    return sorted(run.pools, key=lambda pool: pool.id)


def moment(when: datetime | None) -> str | None:
    """A moment for programs: ISO 8601, in UTC."""
    return None if when is None else when.isoformat(timespec="seconds")
