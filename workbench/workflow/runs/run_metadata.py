"""The metadata of a run: its group, how it was made, and its priority among the group's runs."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from workbench.errors import Finding, InvalidInput
from workbench.formats.identifiers import storable
from workbench.frozen import frozen_dataclass

LONGEST_DESCRIPTION = 4000
LARGEST_PRIORITY = 1_000_000
LONGEST_QUERY = 1_000_000.0
LARGEST_INDEX = 10**18


class RunKind(StrEnum):
    """How a run was made: manual if a person had a hand in it after seeing the topics."""

    AUTOMATIC = "automatic"
    MANUAL = "manual"


@frozen_dataclass
class RunCost:
    """What a run costs, as its group says: mean seconds a query, bytes of the index; None is not given."""

    seconds_per_query: float | None = None
    index_bytes: int | None = None


NO_COST = RunCost()
COST_FIELDS = ("seconds_per_query", "index_bytes")


@frozen_dataclass
class RunMetadata:
    """What people record of a run; the run with `priority` 1 is pooled first, None is not given."""

    group_id: int | None = None
    kind: RunKind | None = None
    description: str = ""
    priority: int | None = None
    cost: RunCost = NO_COST


def tidy_description(text: str) -> str:
    """A description as it is stored: line ends alike, storable, no white space around it."""
    return storable(text).replace("\r\n", "\n").replace("\r", "\n").strip()


def read_metadata(texts: Mapping[str, str], *, group_id: int | None = None, source: str = "") -> RunMetadata:
    """Metadata from the texts of a form, options or a table, if given.

    They are `kind`, `description`, `priority`, `seconds_per_query` and `index_bytes`.

    `source` says where the texts were found. Raises InvalidInput with every error; `code` of each
    finding names the field.
    """
    findings: list[Finding] = []

    def refuse(field: str, message: str, remedy: str) -> None:
        findings.append(Finding(source or field.capitalize(), None, field, message, remedy))

    given = texts.get("kind", "").strip()
    kind, priority = given.casefold(), texts.get("priority", "").strip()
    if kind and kind not in set(RunKind):
        refuse("kind", f"unknown kind of run: {given[:40]!r}", "use automatic, manual or leave it empty")
    number = int(priority) if priority.isascii() and priority.isdigit() and len(priority) < 10 else None
    if priority and (number is None or not 1 <= number <= LARGEST_PRIORITY):
        message = f"{priority[:40]!r} is not a valid priority"
        refuse("priority", message, f"use a whole number from 1 (pooled first) to {LARGEST_PRIORITY:,}")
    seconds, size = texts.get("seconds_per_query", "").strip(), texts.get("index_bytes", "").strip()
    time = _positive(seconds, LONGEST_QUERY)
    if seconds and time is None:
        message = f"{seconds[:40]!r} is not a time in seconds"
        refuse("seconds_per_query", message, "use a number above 0, such as 0.25, or leave it empty")
    whole = int(size) if size.isascii() and size.isdigit() and len(size) < 20 else None
    if size and (whole is None or not 1 <= whole <= LARGEST_INDEX):
        message = f"{size[:40]!r} is not a size in bytes"
        refuse("index_bytes", message, "use a whole number of bytes, without separators, or leave it empty")
    description = tidy_description(texts.get("description", ""))
    if len(description) > LONGEST_DESCRIPTION:
        message = f"the description has {len(description):,} characters"
        refuse("description", message, f"shorten it to {LONGEST_DESCRIPTION:,} at most")
    if findings:
        raise InvalidInput(findings)
    return RunMetadata(group_id, RunKind(kind) if kind else None, description, number, RunCost(time, whole))


def _positive(text: str, largest: float) -> float | None:
    try:
        value = float(text) if text.isascii() and "_" not in text else 0.0
    except ValueError:
        return None
    return value if 0 < value <= largest else None
