"""The report on a file that was checked as a run, for the page, the terminal and JSON; and its repair.

A run is repaired automatically where only one meaning is possible and no score changes by a byte. One repair
is to be confirmed: where nearly all scores contradict the ranks, they are taken for distances and negated.
Whatever else needs a decision about the ranking is left: two scores for one document, topics and documents
that do not exist, scores that are no numbers, lines with columns missing.
"""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from itertools import chain
from typing import Any

from workbench.errors import Finding, Severity
from workbench.figures import counted
from workbench.formats.error_collector import shown
from workbench.formats.run_check import RunCheck, are_distances, contradicting, doubtful_ranks
from workbench.formats.run_rules import CODES, DEFAULT_RULES, NOTES, RunRules, Treatment
from workbench.formats.run_table import LINE_BYTES, finite_doubles
from workbench.formats.source import Readable, byte_lines, open_source
from workbench.frozen import frozen_dataclass
from workbench.ranking import ordered
from workbench.records import Ranking, id_bytes, id_text

REPAIRABLE = frozenset(
    {"columns", "comment", "duplicate", "tags", "too-many", "score", "second-column", "rank", "rank-repeated"}
    | {"rank-order", "distances"}
)
"""The findings of which some, if not all, can be repaired automatically."""

_SEPARATORS = (b",", b";", b"|")


@frozen_dataclass
class Change:
    """One kind of change: what was done, in words, and in how many lines (1 for the whole file)."""

    code: str
    words: str
    lines: int


@frozen_dataclass
class Repaired:
    """A repaired file and what was changed in it; check it to see whether errors are left."""

    content: bytes
    changes: tuple[Change, ...]


@dataclass(slots=True)
class _Row:
    fields: list[bytes]
    at: int


def repair_run(
    stream: Readable, *, source: str, rules: RunRules = DEFAULT_RULES, tag: str | None = None
) -> Repaired:
    """Repair a run, plain or gzip, as far as that is automatic; `tag` is the one to choose among several.

    Without it, or if the file does not have it, the tag of most lines is chosen. Lines keep their order.
    Raises InvalidInput where the stream cannot be read as text.
    """
    done: Counter[str] = Counter()
    rows: list[_Row] = []
    broken: list[tuple[int, bytes]] = []
    for row in _rows(_Seen(open_source(stream, source), done), source, done):
        if len(row.fields) == 6:
            rows.append(row)
        else:
            broken.append((row.at, b" ".join(row.fields)))
    chosen = _one_tag(rows, tag, done)
    rows = _without_repeats(rows, done)
    by_topic: dict[bytes, list[_Row]] = {}
    for row in rows:
        by_topic.setdefault(row.fields[0], []).append(row)
    if rules.of("distances") is not Treatment.IGNORED:
        _negate_distances(by_topic.values(), done)
    kept = chain.from_iterable(_repair_topic(topic, rules, done) for topic in by_topic.values())
    lines = [*broken, *((row.at, b" ".join(row.fields)) for row in kept)]
    content = b"".join(line + b"\n" for _, line in sorted(lines, key=lambda line: line[0]))
    return Repaired(content, tuple(_changes(done, chosen, rules)))


class _Seen:
    """A stream of plain bytes; counts what a reader does not see: line ends and a byte order mark."""

    def __init__(self, stream: Readable, done: Counter[str]) -> None:
        self._stream = stream
        self._done = done
        self._last = b""
        self._begun = False

    def read(self, size: int, /) -> bytes:
        data = self._stream.read(size)
        if not self._begun and data.startswith(b"\xef\xbb\xbf"):
            self._done["byte-order-mark"] += 1
        self._begun = self._begun or bool(data)
        ends = data.count(b"\r\n") + (self._last == b"\r" and data[:1] == b"\n")
        if ends:
            self._done["line-ends"] += ends
        self._last = data[-1:] or self._last
        return data


def _rows(stream: Readable, source: str, done: Counter[str]) -> Iterator[_Row]:
    for number, line in byte_lines(stream, source=source, line_limit=LINE_BYTES):
        fields = line.split()
        if not fields:
            done["blank"] += 1
        elif fields[0].startswith(b"#") and len(fields) != 6:
            done["comment"] += 1
        else:
            if (len(fields) != 6 or _is_listed(fields)) and (separated := _separated(line)):
                fields = separated
                done["separators"] += 1
            yield _Row(fields, number)


def _is_listed(fields: list[bytes]) -> bool:
    """Whether six words are joined by separators as well as by spaces; no score ends in one."""
    return fields[4][-1:] in _SEPARATORS and len({field[-1:] for field in fields[:5]}) == 1


def _separated(line: bytes) -> list[bytes] | None:
    for separator in _SEPARATORS:
        fields = [field.strip() for field in line.split(separator)]
        if len(fields) == 6 and all(field and len(field.split()) == 1 for field in fields):
            return fields
    return None


def _one_tag(rows: Sequence[_Row], requested: str | None, done: Counter[str]) -> bytes:
    """Give all rows one tag: the requested one if a row has it, else that of most rows."""
    tags = Counter(row.fields[5] for row in rows)
    if not tags:
        return b""
    given = id_bytes(requested or "")
    chosen = given if given in tags else tags.most_common(1)[0][0]
    for row in rows:
        if row.fields[5] != chosen:
            row.fields[5] = chosen
            done["tags"] += 1
    return chosen


def _without_repeats(rows: Iterable[_Row], done: Counter[str]) -> list[_Row]:
    """The rows without those that say once more of a document what another said: the very same score."""
    first: dict[tuple[bytes, bytes], bytes] = {}
    kept = []
    for row in rows:
        topic, _, docno, _, score, _ = row.fields
        before = first.get((topic, docno))
        if before == score:
            done["duplicate"] += 1
            continue
        first.setdefault((topic, docno), score)
        kept.append(row)
    return kept


def _negate_distances(topics: Collection[list[_Row]], done: Counter[str]) -> None:
    """Negate all scores where nearly all ranks of the run contradict them."""
    against = neighbours = 0
    for rows in topics:
        scores = finite_doubles([row.fields[4] for row in rows])
        if scores is None:
            return
        some, of = contradicting([row.fields[3] for row in rows], scores)
        against, neighbours = against + some, neighbours + of
    if not are_distances(against, neighbours):
        return
    for row in chain.from_iterable(topics):
        score = row.fields[4]
        if float(score):
            row.fields[4] = score[1:] if score.startswith(b"-") else b"-" + score.removeprefix(b"+")
            done["distances"] += 1


def _repair_topic(rows: list[_Row], rules: RunRules, done: Counter[str]) -> list[_Row]:
    for row in rows:
        if row.fields[1] != b"Q0":
            row.fields[1] = b"Q0"
            done["second-column"] += 1
    docnos = [row.fields[2] for row in rows]
    scores = finite_doubles([row.fields[4] for row in rows])
    if scores is None or len(set(docnos)) != len(docnos):
        return rows  # there is no order yet by which to cut or to number
    names = tuple(map(id_text, docnos))
    row_of = dict(zip(names, rows, strict=True))
    by_rank = [row_of[name] for name in ordered(Ranking(names, tuple(scores.tolist())))]
    most = rules.max_per_topic
    if most is not None and len(rows) > most and rules.of("too-many") is Treatment.ERROR:
        done["too-many"] += len(rows) - most
        inside = {id(row) for row in by_rank[:most]}
        rows, by_rank = [row for row in rows if id(row) in inside], by_rank[:most]
        scores = finite_doubles([row.fields[4] for row in rows])
    if scores is not None and doubtful_ranks([row.fields[3] for row in rows], scores):
        for rank, row in enumerate(by_rank, 1):
            written = b"%d" % rank
            if row.fields[3] != written:
                row.fields[3] = written
                done["rank"] += 1
    return rows


def _changes(done: Counter[str], tag: bytes, rules: RunRules) -> Iterator[Change]:
    name = shown(tag)
    for code, words in (
        ("byte-order-mark", "byte order mark removed"),
        ("line-ends", "{} with Windows line ends converted"),
        ("blank", "{} without content removed"),
        ("comment", "{} with a comment removed"),
        ("separators", "{} separated by spaces instead of commas, semicolons or bars"),
        ("tags", "{} given the tag " + name.replace("{", "{{").replace("}", "}}")),
        ("duplicate", "{} removed that repeated a document with the same score"),
        ("second-column", "{} given Q0 in the second column"),
        ("distances", "{} with the score negated, because a lower score seems to be better"),
        ("too-many", "{} beyond the first " + f"{rules.max_per_topic or 0:,} documents of a topic removed"),
        ("rank", "{} renumbered by the scores"),
    ):
        if done[code]:
            yield Change(code, words.format(counted(done[code], "line")), done[code])


# A repair needs all lines in memory.
MOST_REPAIRABLE_LINES = 500_000


class FileVerdict(StrEnum):
    """Whether a file can become a run."""

    GOOD = "good"
    NOTED = "good with warnings"
    REFUSED = "refused"


@frozen_dataclass
class Repair:
    """What an automatic repair would change, in words, and how many errors would remain."""

    changes: tuple[str, ...]
    errors_left: int


@frozen_dataclass
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


@frozen_dataclass
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
