"""Errors that a user can fix: each says where, what is wrong and how to fix it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """How much a finding weighs: an error refuses the file, a warning only speaks."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing found in an input: where it is, what it is and how to mend it.

    `line` counts from 1 and is None for what concerns the whole file; `column` is the number of the field,
    from 1, None where none is meant. `code` is a stable short name.
    """

    source: str
    line: int | None
    code: str
    message: str
    remedy: str = ""
    severity: Severity = Severity.ERROR
    column: int | None = None

    def __str__(self) -> str:
        place = self.source if self.line is None else f"{self.source}:{self.line}"
        if self.column is not None:
            place += f", column {self.column}"
        return f"{place}: {self.message}" + (f" ({self.remedy})" if self.remedy else "")


class WorkbenchError(Exception):
    """A failure that its reader can mend; `remedy` says how."""

    def __init__(self, message: str, *, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.message} ({self.remedy})" if self.remedy else self.message


class InvalidInput(WorkbenchError):
    """An input was refused; `findings` holds every error in it, not only the first."""

    def __init__(self, findings: Iterable[Finding]) -> None:
        self.findings = tuple(findings)
        count = len(self.findings)
        first = str(self.findings[0]) if self.findings else "the input was refused"
        super().__init__(first if count < 2 else f"{count} errors, the first: {first}")


class NotFound(WorkbenchError):
    """What was named does not exist, or not for this person."""


class NotAllowed(WorkbenchError):
    """The person is known but may not do this."""


class Conflict(WorkbenchError):
    """The act contradicts what is already stored: a name taken, a pool closed."""


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
