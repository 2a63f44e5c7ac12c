"""Repairing a run automatically, where only one meaning is possible and no score changes by a byte.

One repair is to be confirmed: where nearly all scores contradict the ranks, they are taken for distances and
negated. Whatever else needs a decision about the ranking is left: two scores for one document, topics and
documents that do not exist, scores that are no numbers, lines with columns missing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from workbench.figures import counted
from workbench.formats.error_collector import shown
from workbench.formats.run_check import are_distances, contradicting, doubtful_ranks
from workbench.formats.run_rules import DEFAULT_RULES, RunRules, Treatment
from workbench.formats.run_table import LINE_BYTES, finite_doubles
from workbench.formats.source import Readable, byte_lines, open_source
from workbench.ranking import ordered
from workbench.records import Ranking, id_bytes, id_text

REPAIRABLE = frozenset(
    {"columns", "comment", "duplicate", "tags", "too-many", "score", "second-column", "rank", "rank-repeated"}
    | {"rank-order", "distances"}
)
"""The findings of which some, if not all, can be repaired automatically."""

_SEPARATORS = (b",", b";", b"|")


@dataclass(frozen=True, slots=True)
class Change:
    """One kind of change: what was done, in words, and in how many lines (1 for the whole file)."""

    code: str
    words: str
    lines: int


@dataclass(frozen=True, slots=True)
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
