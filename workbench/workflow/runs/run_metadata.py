"""What is said of a run beside its ranking: whose it is, how it was made, what the organiser thinks of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from workbench.errors import Finding, InvalidInput
from workbench.workflow.checks import storable

LONGEST_DESCRIPTION = 4000
LARGEST_PRIORITY = 1_000_000


class Kind(StrEnum):
    """How a run was made: manual is all that a person had a hand in after seeing the topics."""

    AUTOMATIC = "automatic"
    MANUAL = "manual"


@dataclass(frozen=True, slots=True)
class RunMetadata:
    """The part of a run's record that people fill in; `priority` 1 is pooled first, None is not said."""

    group_id: int | None = None
    kind: Kind | None = None
    description: str = ""
    priority: int | None = None


@dataclass(frozen=True, slots=True)
class TypedMetadata:
    """The same as texts, as a form, an option or a cell of a table brings them."""

    kind: str = ""
    description: str = ""
    priority: str = ""


def tidy_description(text: str) -> str:
    """A description as it is kept: lines ended alike, storable, no white space around it."""
    return storable(text).replace("\r\n", "\n").replace("\r", "\n").strip()


def read_metadata(
    typed: TypedMetadata, *, group_id: int | None = None, source: str = "", line: int | None = None
) -> RunMetadata:
    """What was typed about a run, as values; an empty text is nothing said.

    `source` and `line` say where it stood. Raises InvalidInput with everything that is wrong; `code` of each
    finding names the field.
    """
    findings: list[Finding] = []

    def refuse(code: str, name: str, message: str, remedy: str) -> None:
        findings.append(Finding(source or name, line, code, message, remedy))

    kind, priority = typed.kind.strip().casefold(), typed.priority.strip()
    if kind and kind not in set(Kind):
        refuse(
            "kind", "Kind", f"{typed.kind.strip()[:40]!r} is no kind of run", "automatic, manual or nothing"
        )
    number = int(priority) if priority.isascii() and priority.isdigit() and len(priority) < 10 else None
    if priority and (number is None or not 1 <= number <= LARGEST_PRIORITY):
        refuse(
            "priority", "Priority", f"{priority[:40]!r} is no priority", "a whole number: 1 is pooled first"
        )
    description = tidy_description(typed.description)
    if len(description) > LONGEST_DESCRIPTION:
        refuse(
            "description", "Description", f"the description has {len(description):,} characters",
            f"at most {LONGEST_DESCRIPTION:,}",
        )  # fmt: skip
    if findings:
        raise InvalidInput(findings)
    return RunMetadata(group_id, Kind(kind) if kind else None, description, number)
