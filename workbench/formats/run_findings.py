"""The findings about one run, weighed by the rules of its campaign as they come."""

from __future__ import annotations

from dataclasses import replace

from workbench.errors import Finding, Severity
from workbench.formats.error_collector import Refusals
from workbench.formats.run_rules import CODES, RunRules, Treatment


class RunFindings(Refusals):
    """Errors as `Refusals` collects them; what is a warning by the rules is told once a kind and counted."""

    def __init__(self, source: str, rules: RunRules) -> None:
        super().__init__(source)
        self._rules = rules
        self._warned: dict[str, tuple[Finding, int]] = {}

    def add(
        self, line: int | None, code: str, message: str, remedy: str = "", *, column: int | None = None
    ) -> None:
        """Note one finding of the kind `code`; its column, unless given, is that of the kind."""
        if column is None and code in CODES:
            column = CODES[code].column
        treatment = self._rules.of(code)
        if treatment is Treatment.ERROR:
            super().add(line, code, message, remedy, column=column)
        elif treatment is Treatment.WARNING:
            found = Finding(self.source, line, code, message, remedy, Severity.WARNING, column)
            first, count = self._warned.get(code, (found, 0))
            self._warned[code] = (first, count + 1)

    def warnings(self) -> tuple[Finding, ...]:
        """The warnings, one a kind, those that have a line first."""
        told = [_counted(first, count) for first, count in self._warned.values()]
        return tuple(sorted(told, key=lambda finding: finding.line is None))


def _counted(first: Finding, count: int) -> Finding:
    if count < 2:
        return _softened(first)
    more = "1 more like it" if count == 2 else f"{count - 1:,} more like it"
    return _softened(replace(first, message=f"{first.message}, and {more}"))


def _softened(finding: Finding) -> Finding:
    """A warning that would be an error elsewhere says what becomes of the run."""
    softened = CODES[finding.code].softened
    return replace(finding, remedy=f"by the campaign's rules {softened}") if softened else finding
