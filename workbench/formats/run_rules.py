"""The rules for runs: which findings are errors or warnings, the document limit; findings weighed by them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from workbench.errors import Finding, InvalidInput, Severity
from workbench.formats.error_collector import ErrorCollector

MOST_PER_TOPIC = 10**9


class Treatment(StrEnum):
    """What a finding does: refuse the run, warn, or nothing."""

    ERROR = "error"
    WARNING = "warning"
    IGNORED = "ignored"


@dataclass(frozen=True, slots=True)
class Code:
    """A kind of finding about a run: what it says, how it is treated unless a campaign says otherwise.

    `column` is the field it is about. One that is `fixed` is an error always, since without it nobody knows
    what the run is; of the other errors `softened` says what becomes of the run where they are none.
    """

    name: str
    words: str
    default: Treatment
    column: int | None = None
    fixed: bool = False
    softened: str = ""


def _fixed(name: str, words: str, column: int | None = None) -> Code:
    return Code(name, words, Treatment.ERROR, column, fixed=True)


def _error(name: str, words: str, column: int | None, softened: str) -> Code:
    return Code(name, words, Treatment.ERROR, column, softened=softened)


def _warning(name: str, words: str, column: int | None = None) -> Code:
    return Code(name, words, Treatment.WARNING, column)


CODES: Mapping[str, Code] = MappingProxyType(
    {
        code.name: code
        for code in (
            _fixed("columns", "a line does not have six columns"),
            _fixed("comment", "a line is a comment"),
            _fixed("header", "the first line is a header"),
            _fixed("id", "an id contains white space or invisible characters"),
            _fixed("id-length", "an id has more than 512 characters"),
            _fixed("id-encoding", "an id is not UTF-8, so that no campaign can store it"),
            _fixed("duplicate", "a document appears twice in a topic", 3),
            _fixed("score", "a score is not a finite number", 5),
            _fixed("tags", "the tag changes within the file", 6),
            _fixed("empty", "the file contains no line of a run"),
            _error("unknown-topic", "a topic is not among the topics", 1, "its lines are ignored"),
            _error("too-many", "a topic has more documents than are allowed", 3, "all of them are used"),
            _error(
                "unknown-document", "a document is not in the collection's list", 3, "it stays in the run"
            ),
            _warning("encoding", "an id is not UTF-8; campaigns refuse it"),
            _warning("docnos-alike", "docnos of a topic are the same text in other bytes", 3),
            _warning("topics-alike", "topic ids could be confused", 1),
            _warning("second-column", "the second column is not Q0", 2),
            _warning("rank", "a rank is not a whole number", 4),
            _warning("rank-repeated", "a rank is given twice in a topic", 4),
            _warning("rank-order", "the ranks contradict the scores", 4),
            _warning("distances", "nearly all ranks contradict the scores, as distances do", 5),
            _warning("ties", "documents of a topic have the same score", 5),
            _warning("near-ties", "scores are the same in single precision", 5),
            _warning("cut-ties", "scores tie across the cut of the pool", 5),
            _warning("tag-length", "the tag has more than 20 characters", 6),
            _warning("tag-characters", "the tag has other characters than letters, digits, _ and -", 6),
            _warning("tag-name", "the tag is not the name of the file", 6),
            _warning("tag-alike", "the tag could be confused with another run's", 6),
            _warning("topics-missing", "topics have no documents"),
            _warning("short-topics", "topics have fewer documents than others"),
            _warning("same-content", "the rankings are identical to those of another run"),
            _warning("near-identical", "the rankings are nearly identical to those of another run"),
        )
    }
)

# Warnings that need nothing done: they are shown as notes, and a file that has no others is good.
NOTES = frozenset({"ties"})


@dataclass(frozen=True, slots=True)
class RunRules:
    """What a campaign asks of runs; `changed` holds the codes that are not treated by default."""

    max_per_topic: int | None = None
    changed: Mapping[str, Treatment] = field(default_factory=dict)

    def of(self, code: str) -> Treatment:
        """How a finding of this code is treated; what has no rule is an error."""
        known = CODES.get(code)
        return self.changed.get(code, known.default) if known else Treatment.ERROR

    def to_json(self) -> dict[str, Any]:
        """The rules as JSON has them."""
        return {"max_per_topic": self.max_per_topic, "codes": {c: str(t) for c, t in self.changed.items()}}


DEFAULT_RULES = RunRules()


def changed_rules(
    rules: RunRules, treatments: Iterable[tuple[str, Treatment]], *, max_per_topic: int | None
) -> RunRules:
    """The rules with other treatments of some codes, and this limit, None for no limit.

    Raises InvalidInput for codes that do not exist or cannot be changed, and for a limit below 1.
    """
    changed = dict(rules.changed)
    findings = [*_wrong_limit(max_per_topic)]
    for name, treatment in treatments:
        code = CODES.get(name)
        if code is None:
            known = ", ".join(one.name for one in CODES.values() if not one.fixed)
            findings.append(Finding("Rules", None, name, f"there is no finding {name!r}", f"give {known}"))
        elif code.fixed and treatment is not Treatment.ERROR:
            message = f"{name} is always an error: {code.words}"
            remedy = "the run could not be read otherwise"
            findings.append(Finding("Rules", None, name, message, remedy))
        elif treatment is code.default:
            changed.pop(name, None)
        else:
            changed[name] = treatment
    if findings:
        raise InvalidInput(findings)
    ordered = {name: changed[name] for name in CODES if name in changed}
    return replace(rules, max_per_topic=max_per_topic, changed=ordered)


def rules_from_json(data: Mapping[str, Any]) -> RunRules:
    """The rules that `to_json` wrote; {} are the default ones.

    Raises InvalidInput for what no rules can be.
    """
    codes = data.get("codes", {})
    limit = data.get("max_per_topic")
    names = {str(treatment) for treatment in Treatment}
    if not isinstance(codes, dict) or not set(codes.values()) <= names or not _is_limit(limit):
        raise InvalidInput(
            [Finding("Rules", None, "rules", "these are not rules for runs", "save them again")]
        )
    chosen = [(name, Treatment(treatment)) for name, treatment in codes.items()]
    return changed_rules(DEFAULT_RULES, chosen, max_per_topic=limit)


def _is_limit(limit: object) -> bool:
    return limit is None or (isinstance(limit, int) and not isinstance(limit, bool))


def _wrong_limit(limit: int | None) -> Iterator[Finding]:
    if limit is not None and not 1 <= limit <= MOST_PER_TOPIC:
        message = f"a topic cannot have at most {limit:,} documents"
        yield Finding("Rules", None, "max_per_topic", message, "use 1 or more, or leave it empty")


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
