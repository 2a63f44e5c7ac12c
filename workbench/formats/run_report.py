"""The report on a file that was checked as a run: one record for the page, the terminal and JSON."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any

from workbench.errors import Finding, Severity
from workbench.formats.run_check import RunCheck
from workbench.formats.run_repair import REPAIRABLE, repair_run
from workbench.formats.run_rules import CODES, NOTES, RunRules, Treatment
from workbench.formats.source import Readable

# A repair needs all lines in memory.
MOST_REPAIRABLE_LINES = 500_000


class FileVerdict(StrEnum):
    """Whether a file can become a run."""

    GOOD = "good"
    NOTED = "good with warnings"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Repair:
    """What an automatic repair would change, in words, and how many errors would remain."""

    changes: tuple[str, ...]
    errors_left: int


@dataclass(frozen=True, slots=True)
class RunReport:
    """What was found in a file: counts, errors (`error_count` includes those not listed) and warnings.

    `tag` is None where the file is refused, `sha256` (of the plain content) where it was not read to its end,
    `repair` where nothing can be repaired automatically.
    """

    file: str
    tag: str | None
    topics: int
    lines: int
    sha256: str | None
    error_count: int
    errors: tuple[Finding, ...]
    warnings: tuple[Finding, ...]
    repair: Repair | None = None

    @property
    def verdict(self) -> FileVerdict:
        """Whether the file can be a run."""
        if self.error_count:
            return FileVerdict.REFUSED
        return FileVerdict.NOTED if any(one.code not in NOTES for one in self.warnings) else FileVerdict.GOOD


@dataclass(frozen=True, slots=True)
class FindingGroup:
    """What several files have in common: a kind of finding, and each file's findings of it.

    `words` says it for all of them; `remedy` is that of each, empty where they differ.
    """

    code: str
    severity: Severity
    words: str
    remedy: str
    files: tuple[tuple[RunReport, tuple[Finding, ...]], ...]

    @property
    def is_note(self) -> bool:
        """Whether nothing needs to be done."""
        return self.severity is not Severity.ERROR and self.code in NOTES


def by_finding(reports: Iterable[RunReport]) -> tuple[FindingGroup, ...]:
    """The findings of several files by kind: errors, warnings, notes; in each, the most files first."""
    found: dict[tuple[str, Severity], dict[int, tuple[RunReport, list[Finding]]]] = {}
    for number, report in enumerate(reports):
        for finding in (*report.errors, *report.warnings):
            of_kind = found.setdefault((finding.code, finding.severity), {})
            of_kind.setdefault(number, (report, []))[1].append(finding)
    groups = []
    for (code, severity), files in found.items():
        every = [finding for _, findings in files.values() for finding in findings]
        remedies = {finding.remedy for finding in every}
        known = CODES.get(code)
        words = known.words if known else every[0].message
        together = tuple((report, tuple(findings)) for report, findings in files.values())
        groups.append(
            FindingGroup(code, severity, words, remedies.pop() if len(remedies) == 1 else "", together)
        )
    groups.sort(key=lambda one: (one.severity is not Severity.ERROR, one.is_note, -len(one.files)))
    return tuple(groups)


def report_of(check: RunCheck, *, sha256: str | None = None, repair: Repair | None = None) -> RunReport:
    """The report of a check, without the run itself."""
    return RunReport(
        check.source,
        check.tag,
        check.topics,
        check.lines,
        sha256,
        check.error_count,
        check.errors,
        check.warnings,
        repair,
    )


def repair_of(
    check: RunCheck, stream: Readable, again: Callable[[Readable], RunCheck], **how: Any
) -> tuple[Repair, bytes] | None:
    """What an automatic repair would change, and the repaired content; None where nothing can be repaired.

    Files of more than MOST_REPAIRABLE_LINES are left alone. `stream` is the file once more, `again` checks
    the repaired one. Keywords go to `repair_run`.
    """
    codes = {finding.code for finding in (*check.errors, *check.warnings)}
    if check.lines > MOST_REPAIRABLE_LINES or not codes & REPAIRABLE:
        return None
    repaired = repair_run(stream, source=check.source, **how)
    if not repaired.changes:
        return None
    left = again(io.BytesIO(repaired.content)).error_count
    return Repair(tuple(change.words for change in repaired.changes), left), repaired.content


def with_findings(report: RunReport, findings: Iterable[Finding], rules: RunRules) -> RunReport:
    """The report with further findings, each an error or a warning as the rules treat it."""
    errors, warnings = list(report.errors), list(report.warnings)
    count = report.error_count
    for finding in findings:
        treatment = rules.of(finding.code)
        if treatment is Treatment.ERROR:
            errors.append(replace(finding, severity=Severity.ERROR))
            count += 1
        elif treatment is Treatment.WARNING:
            warnings.append(replace(finding, severity=Severity.WARNING))
    return replace(report, error_count=count, errors=tuple(errors), warnings=tuple(warnings))


def report_to_json(report: RunReport) -> dict[str, Any]:
    """The report as JSON."""
    repair = report.repair
    return asdict(report) | {
        "verdict": str(report.verdict),
        "ok": not report.error_count,
        "errors": [finding_to_json(finding) for finding in report.errors],
        "warnings": [finding_to_json(finding) for finding in report.warnings],
        "repair": repair and {"changes": list(repair.changes), "errors_left": repair.errors_left},
    }


def report_from_json(data: Mapping[str, Any]) -> RunReport:
    """The report that `report_to_json` wrote."""
    repair = data["repair"]
    return RunReport(
        data["file"],
        data["tag"],
        data["topics"],
        data["lines"],
        data["sha256"],
        data["error_count"],
        tuple(finding_from_json(one, data["file"], Severity.ERROR) for one in data["errors"]),
        tuple(finding_from_json(one, data["file"], Severity.WARNING) for one in data["warnings"]),
        None if repair is None else Repair(tuple(repair["changes"]), repair["errors_left"]),
    )


def finding_to_json(finding: Finding) -> dict[str, Any]:
    """A finding about a file as JSON; the file is named once, by the report."""
    return {
        "line": finding.line,
        "column": finding.column,
        "code": finding.code,
        "message": finding.message,
        "remedy": finding.remedy,
    }


def finding_from_json(data: Mapping[str, Any], source: str, severity: Severity) -> Finding:
    """The finding that `finding_to_json` wrote."""
    return Finding(source=source, severity=severity, **data)
