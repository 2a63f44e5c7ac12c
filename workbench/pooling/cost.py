"""What judging a pool costs: pairs times judgments a pair times seconds, shared by assessors."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.errors import Finding, InvalidInput

LONGEST_SECONDS = 36_000
MOST_ASSESSORS = 10_000
_SECONDS_AN_HOUR = 3600


@dataclass(frozen=True, slots=True)
class Work:
    """How pairs are judged: by how many assessors each, by how many in all, at how many seconds a judgment.

    Raises InvalidInput with a finding for each number that cannot be, coded by its field.
    """

    per_pair: int
    assessors: int
    seconds: float

    def __post_init__(self) -> None:
        findings = []
        if self.per_pair < 1:
            findings.append(_finding("per_pair", "every pair is judged at least once", "give 1 or more"))
        if not 1 <= self.assessors <= MOST_ASSESSORS:
            findings.append(_finding("assessors", "somebody must judge", f"give 1 to {MOST_ASSESSORS:,}"))
        elif self.assessors < self.per_pair:
            message = f"{self.assessors} cannot judge every pair {self.per_pair} times, each of them once"
            findings.append(_finding("assessors", message, "give more assessors, or fewer judgments a pair"))
        if not 0 < self.seconds <= LONGEST_SECONDS:
            message = f"a judgment cannot take {self.seconds:g} seconds"
            findings.append(_finding("seconds", message, f"give more than 0, at most {LONGEST_SECONDS:,}"))
        if findings:
            raise InvalidInput(findings)

    def judgments(self, pairs: float) -> float:
        """How many judgments these pairs need."""
        return pairs * self.per_pair

    def hours(self, pairs: float) -> float:
        """The hours that all assessors need together."""
        return self.judgments(pairs) * self.seconds / _SECONDS_AN_HOUR

    def hours_each(self, pairs: float) -> float:
        """The hours of each assessor, where the work is shared evenly."""
        return self.hours(pairs) / self.assessors


def _finding(code: str, message: str, remedy: str) -> Finding:
    return Finding("Plan", None, code, message, remedy)
