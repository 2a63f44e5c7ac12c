"""Errors that a user can fix: each says where, what is wrong and how to fix it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from enum import StrEnum

from workbench.frozen import frozen_dataclass


class Severity(StrEnum):
    """The severity of a finding: an error rejects the file, a warning does not."""

    ERROR = "error"
    WARNING = "warning"


@frozen_dataclass
class Finding:
    """An error or warning about an input: where it is, what is wrong and how to fix it.

    `source` names the file or form field. `line` counts from 1 and is None for the whole file; `column` is
    the number of the field in the line, from 1, or None. `code` is a stable identifier for programs and
    tests.
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
    """An error that the user can fix; `remedy` says how."""

    def __init__(self, message: str, *, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.message} ({self.remedy})" if self.remedy else self.message


class Unavailable(Exception):
    """The database does not respond, or another change holds it for too long: the same may succeed later."""


class Damaged(Unavailable):
    """The file of the database is no longer what SQLite wrote: a browser keeps what it could not send."""


class DiskFull(Unavailable):
    """The disk of the database is full: nothing is saved until somebody makes room."""


class InvalidInput(WorkbenchError):
    """An input was rejected; `findings` has all of its errors, not only the first."""

    def __init__(self, findings: Iterable[Finding]) -> None:
        self.findings = tuple(findings)
        count = len(self.findings)
        first = str(self.findings[0]) if self.findings else "the input was rejected"
        super().__init__(first if count < 2 else f"{count} errors, the first: {first}")


def rejected(source: str, line: int | None, code: str, message: str, remedy: str = "") -> InvalidInput:
    """An input that was rejected for one error."""
    return InvalidInput([Finding(source, line, code, message, remedy)])


class NotFound(WorkbenchError):
    """The named thing does not exist, or not for this person."""


class NotAllowed(WorkbenchError):
    """The person is signed in but does not have permission."""


class Conflict(WorkbenchError):
    """The action conflicts with the stored state, such as a name that is taken or a pool that is closed."""


class NotYet(Conflict):
    """The same is being done at this moment: whoever asks again in a while gets what it came to."""


class NoRoom(WorkbenchError):
    """A disk has no room, or cannot be written to."""


class TooLate(Conflict):
    """An answer to what can no longer be answered; `cause` is for the organiser, who sees everybody."""

    def __init__(self, message: str, *, remedy: str = "", cause: str = "") -> None:
        super().__init__(message, remedy=remedy)
        self.cause = cause or message


class ChangedAtOnce(Conflict):
    """Somebody else stored or removed the same at the same moment, or it was sent twice."""

    def __init__(self) -> None:
        super().__init__(
            "somebody else changed this at the same moment, or it was sent twice: nothing was saved",
            remedy="load the page again and check what is there",
        )


class Ended(TooLate):
    """As TooLate, where nothing else can be answered there either."""


def finding_to_json(finding: Finding) -> dict[str, object]:
    """A finding as a JSON object."""
    return asdict(finding) | {"severity": str(finding.severity)}


def finding_from_json(data: dict[str, object]) -> Finding:
    """A finding from `finding_to_json`."""
    line, column = data["line"], data["column"]
    return Finding(
        source=str(data["source"]),
        line=line if isinstance(line, int) else None,
        code=str(data["code"]),
        message=str(data["message"]),
        remedy=str(data["remedy"]),
        severity=Severity(str(data["severity"])),
        column=column if isinstance(column, int) else None,
    )
