"""Runs and their records as JSON."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from workbench.errors import Finding
from workbench.workflow.runs.run_lines import RunLine
from workbench.workflow.runs.run_records import RunRecord


def line_json(run: RunLine) -> dict[str, Any]:
    """A run with what is said of it and what was found in it."""
    return {
        "tag": run.tag,
        "group": run.group or None,
        "kind": run.about.kind,
        "description": run.about.description,
        "priority": run.about.priority,
        "verdict": run.verdict,
        "reason": run.verdict_reason,
        "verdict_by": run.verdict_by or None,
        "verdict_at": moment(run.verdict_at) if run.verdict_at else None,
        "file": run.file_name,
        "topics": run.topics,
        "lines": run.lines,
        "sha256": run.sha256,
        "sent_by": run.added_by or None,
        "sent_at": moment(run.added_at),
        "warnings": [_finding_json(warning) for warning in run.warnings],
    }


def record_json(record: RunRecord) -> dict[str, Any]:
    """Everything about a run, with its pools and earlier versions."""
    return {
        **line_json(record.run),
        "bytes": record.size,
        "pools": [{"name": p.name, "sha256": p.sha256, "earlier_version": p.earlier} for p in record.pools],
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
                "pools": list(one.pools),
            }
            for one in record.versions
        ],
    }


def _finding_json(finding: Finding) -> dict[str, Any]:
    return {"line": finding.line, "code": finding.code, "message": finding.message, "remedy": finding.remedy}


def moment(when: datetime) -> str:
    """A moment for programs: ISO 8601, in UTC."""
    return when.isoformat(timespec="seconds")
