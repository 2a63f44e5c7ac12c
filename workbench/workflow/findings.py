"""Findings as they are kept in rows."""

from __future__ import annotations

from workbench.errors import Finding, Severity


def finding_to_json(finding: Finding) -> dict[str, object]:
    """A finding as JSON has it."""
    return {
        "source": finding.source,
        "line": finding.line,
        "code": finding.code,
        "message": finding.message,
        "remedy": finding.remedy,
        "severity": str(finding.severity),
        "column": finding.column,
    }


def finding_from_json(data: dict[str, object]) -> Finding:
    """A finding from what `finding_to_json` wrote, or an older version, which knew no columns."""
    line, column = data["line"], data.get("column")
    return Finding(
        source=str(data["source"]),
        line=line if isinstance(line, int) else None,
        code=str(data["code"]),
        message=str(data["message"]),
        remedy=str(data["remedy"]),
        severity=Severity(str(data["severity"])),
        column=column if isinstance(column, int) else None,
    )
