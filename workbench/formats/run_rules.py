"""The rules for runs: three sets of what is an error or a warning, the document limit; findings by them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, field, replace
from datetime import date
from enum import StrEnum
from functools import partial
from types import MappingProxyType
from typing import Any

from workbench.errors import Finding, Severity, rejected
from workbench.formats.error_collector import ErrorCollector
from workbench.frozen import frozen_dataclass

MOST_PER_TOPIC = 10**9


class Treatment(StrEnum):
    """What a finding does: refuse the run, warn, or nothing."""

    ERROR = "error"
    WARNING = "warning"
    IGNORED = "ignored"


class RuleSet(StrEnum):
    """How strictly runs are checked; a campaign chooses one."""

    STRICT = "strict"
    USUAL = "usual"
    LENIENT = "lenient"

    @property
    def meaning(self) -> str:
        """What the set is for, in a sentence."""
        return _MEANINGS[self]


_MEANINGS = {
    RuleSet.STRICT: "Also refuses odd tags, ranks and columns, and missing topics, as many tracks do.",
    RuleSet.USUAL: "Refuses what cannot be read or scored as intended, and warns about the rest.",
    RuleSet.LENIENT: "Refuses only what cannot be read; scores that look like distances are taken as scores.",
}


@frozen_dataclass
class Code:
    """A kind of finding about a run: its words, and how the strict, the usual and the lenient set treat it.

    `column` is the field it is about. Of an error that the lenient set has as a warning, `softened` says what
    becomes of the run.
    """

    name: str
    words: str
    column: int | None = None
    softened: str = ""
    treatments: tuple[Treatment, Treatment, Treatment] = field(kw_only=True)

    def under(self, rules: RuleSet) -> Treatment:
        """How a set of rules treats it."""
        return self.treatments[tuple(RuleSet).index(rules)]


_E, _W, _I = Treatment.ERROR, Treatment.WARNING, Treatment.IGNORED


_always = partial(Code, treatments=(_E, _E, _E))
_error = partial(Code, treatments=(_E, _E, _W))
_strict = partial(Code, treatments=(_E, _W, _W))
_warning = partial(Code, treatments=(_W, _W, _W))

CODES: Mapping[str, Code] = MappingProxyType(
    {
        code.name: code
        for code in (
            _always("columns", "a line does not have six columns"),
            _always("comment", "a line is a comment"),
            _always("header", "the first line is a header"),
            _always("id", "an id contains white space or invisible characters"),
            _always("id-length", "an id has more than 512 characters"),
            _always("id-encoding", "an id is not UTF-8, so that no campaign can store it"),
            _always("duplicate", "a document appears twice in a topic", 3),
            _always("score", "a score is not a finite number", 5),
            _always("tags", "the tag changes within the file", 6),
            _always("empty", "the file contains no run lines"),
            _error("unknown-topic", "a topic is not among the topics", 1, "its lines are ignored"),
            _error("too-many", "a topic has more documents than are allowed", 3, "all of them are used"),
            _error(
                "unknown-document", "a document is not in the collection's list", 3, "it stays in the run"
            ),
            _strict("encoding", "an id is not UTF-8; campaigns refuse it"),
            _warning("docnos-alike", "docnos of a topic look the same, but their bytes differ", 3),
            _warning("topics-alike", "topic ids could be confused", 1),
            _strict("second-column", "the second column is not Q0", 2),
            _strict("rank", "a rank is not a whole number", 4),
            _strict("rank-repeated", "a rank is given twice in a topic", 4),
            _warning("rank-order", "the ranks contradict the scores", 4),
            Code(
                "distances",
                "nearly all ranks contradict the scores, as distances do",
                5,
                treatments=(_E, _W, _I),
            ),
            _warning("ties", "documents of a topic have the same score", 5),
            _warning("near-ties", "scores are the same in single precision", 5),
            _warning("cut-ties", "scores tie across the cut of the pool", 5),
            _strict("tag-length", "the tag has more than 20 characters", 6),
            _strict("tag-characters", "the tag has other characters than letters, digits, _ and -", 6),
            _warning("tag-name", "the tag is not the name of the file", 6),
            _warning("tag-alike", "the tag could be confused with another run's", 6),
            _strict("topics-missing", "topics have no documents"),
            _warning("short-topics", "topics have fewer documents than others"),
            _warning("same-content", "the rankings are identical to those of another run"),
            _warning("near-identical", "the rankings are nearly identical to those of another run"),
        )
    }
)

# Warnings that need nothing done: they are shown as notes, and a file that has no others is good.
NOTES = frozenset({"ties"})


@frozen_dataclass
class RunRules:
    """What a campaign asks of runs: a set of rules, and limits, None where there is none.

    The limits are documents of a topic, runs of a group, and the last day, in UTC, on which groups send runs.
    Raises InvalidInput for a number below 1.
    """

    max_per_topic: int | None = None
    rule_set: RuleSet = RuleSet.USUAL
    max_per_group: int | None = None
    last_day: date | None = None

    def __post_init__(self) -> None:
        for code, limit, what in (
            ("max_per_topic", self.max_per_topic, "a topic cannot have at most {:,} documents"),
            ("max_per_group", self.max_per_group, "a group cannot send at most {:,} runs"),
        ):
            if limit is not None and not 1 <= limit <= MOST_PER_TOPIC:
                remedy = f"use 1 to {MOST_PER_TOPIC:,}, or no limit"
                raise rejected("Rules", None, code, what.format(limit), remedy)

    def of(self, code: str) -> Treatment:
        """How a finding of this code is treated; what has no rule is an error."""
        known = CODES.get(code)
        return known.under(self.rule_set) if known else Treatment.ERROR

    def to_json(self) -> dict[str, Any]:
        """The rules as JSON has them."""
        last_day = None if self.last_day is None else self.last_day.isoformat()
        return asdict(self) | {"rule_set": str(self.rule_set), "last_day": last_day}


DEFAULT_RULES = RunRules()


def rules_from_json(data: Mapping[str, Any]) -> RunRules:
    """The rules that `to_json` wrote; {} are the usual ones. Raises InvalidInput for what no rules can be."""
    limits = [data.get("max_per_topic"), data.get("max_per_group")]
    day = data.get("last_day")
    try:
        chosen = RuleSet(data.get("rule_set", RuleSet.USUAL))
        last_day = None if day is None else date.fromisoformat(day)
        if any(isinstance(one, bool) or not isinstance(one, int | None) for one in limits):
            raise ValueError
    except (ValueError, TypeError):
        raise rejected("Rules", None, "rules", "these are not rules for runs", "save them again") from None
    return RunRules(limits[0], chosen, limits[1], last_day)


class RunFindings(ErrorCollector):
    """Collects errors; of each kind that the rules call a warning, the first is listed, others counted."""

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
        counted = [_counted(first, count) for first, count in self._warned.values()]
        return tuple(sorted(counted, key=lambda finding: finding.line is None))


def _counted(first: Finding, count: int) -> Finding:
    if count < 2:
        return _softened(first)
    more = "1 more like it" if count == 2 else f"{count - 1:,} more like it"
    return _softened(replace(first, message=f"{first.message}, and {more}"))


def _softened(finding: Finding) -> Finding:
    """A warning that would be an error elsewhere says what becomes of the run."""
    softened = CODES[finding.code].softened
    return replace(finding, remedy=f"under the campaign's rules {softened}") if softened else finding
