"""Runs and qrels as the data frames of PyTerrier and ranx: from CSV and Parquet, and as these again.

Parquet is read and written by pyarrow (extra `parquet`), which is imported where it is used.
"""

from __future__ import annotations

import csv
import io
import math
import re
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from workbench.errors import WorkbenchError
from workbench.formats.error_collector import ErrorCollector, shown
from workbench.formats.identifiers import check_ids
from workbench.formats.run_table import MOST_LINES
from workbench.formats.source import Peekable
from workbench.frozen import frozen_dataclass
from workbench.ranking import ordered
from workbench.records import Qrel, Ranking, Run, id_bytes

INSTALL = "pip install 'ir-workbench[parquet]'"
PARQUET_MAGIC = b"PAR1"
MOST_BYTES = 2**29
"""The largest file that is read; a Parquet file may say that it has four times as much unpacked."""


@frozen_dataclass
class FrameColumns:
    """The names of a tool's columns; `rank` is "" where its runs have none."""

    topic: str
    docno: str
    score: str
    grade: str
    rank: str = ""


FRAMES: Mapping[str, FrameColumns] = MappingProxyType(
    {
        "pyterrier": FrameColumns("qid", "docno", "score", "label", "rank"),
        "ranx": FrameColumns("q_id", "doc_id", "score", "score"),
    }
)
"""The columns by the name of the tool that reads and writes them."""

_TOPICS = ("qid", "q_id", "query_id", "query-id", "topic")
_DOCNOS = ("docno", "doc_id", "docid", "corpus-id", "doc")
_GRADES = ("label", "relevance", "rel", "grade")
_SCORES = ("score",)
_WHOLE = re.compile(r"[+-]?\d{1,18}")
_BATCH = 50_000

Row = tuple[int, Sequence[Any]]
"""A row of a frame with its number, in CSV that of its last line."""


def is_frame(head: bytes) -> bool:
    """Whether a file that begins with these plain bytes is a frame: Parquet, or a header of known columns."""
    if head.startswith(PARQUET_MAGIC):
        return True
    first = head.decode("utf-8-sig", "replace").split("\n", 1)[0].strip().lower()
    names = set(first.split("\t" if "\t" in first else ","))
    return not names.isdisjoint(_TOPICS) and not names.isdisjoint(_DOCNOS)


def read_frame(
    stream: Peekable, *, source: str, tag: str, qrels: bool | None = None
) -> Run | tuple[Qrel, ...]:
    """The run or the qrels of a frame in CSV (commas or tabs) or Parquet; `tag` names the run.

    The columns show what it is unless `qrels` does: one of grades makes qrels. ranx names grades and scores
    alike: without a rank, whole numbers are grades. Raises InvalidInput with every error: columns that are
    missing, ids that are none, numbers that are none, a pair that is there twice; WorkbenchError where
    pyarrow is missing.
    """
    errors = ErrorCollector(source)
    content = stream.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        errors.add(
            None, "too-large", f"the file is larger than {MOST_BYTES // 2**20} MiB", "split it by topics"
        )
    errors.check()
    read = _parquet_rows if content.startswith(PARQUET_MAGIC) else _csv_rows
    names, rows = read(content, errors)
    errors.check()
    topic, docno = _place(names, _TOPICS, errors), _place(names, _DOCNOS, errors)
    grades = [names.index(name) for name in _GRADES if name in names]
    value = grades[0] if grades else _place(names, _SCORES, errors)
    errors.check()
    kept = [(number, _id(row[topic]), _id(row[docno]), row[value]) for number, row in rows]
    errors.require(kept, "the frame has no rows", "check that this is the right file")
    if qrels is None:
        qrels = bool(grades) or ("rank" not in names and all(_is_whole(cell) for *_, cell in kept))
    _check_pairs(kept, errors)
    found = _qrels(kept, errors) if qrels else _run(kept, tag, errors)
    errors.check()
    return found


def frame_of(content: Run | Iterable[Qrel], columns: FrameColumns) -> dict[str, list[Any]]:
    """The columns of a run or of qrels by their names, rows as in the run, ranked by the one order."""
    if not isinstance(content, Run):
        lines = list(content)
        return {
            columns.topic: [one.topic for one in lines],
            columns.docno: [one.docno for one in lines],
            columns.grade: [one.grade for one in lines],
        }
    frame: dict[str, list[Any]] = {columns.topic: [], columns.docno: [], columns.score: []}
    ranks: list[int] = []
    for topic, ranking in content.rankings.items():
        frame[columns.topic] += [topic] * len(ranking)
        frame[columns.docno] += ranking.docnos
        frame[columns.score] += map(float, ranking.scores)
        # PyTerrier counts ranks from 0.
        rank = {docno: number for number, docno in enumerate(ordered(ranking))}
        ranks += [rank[docno] for docno in ranking.docnos]
    return frame | ({columns.rank: ranks} if columns.rank else {})


def frame_csv(frame: Mapping[str, Sequence[Any]], *, delimiter: str = ",") -> bytes:
    """A frame as CSV with its header; numbers with all digits."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    writer.writerow(frame)
    writer.writerows(zip(*frame.values(), strict=True))
    return id_bytes(text.getvalue())


def frame_parquet(frame: Mapping[str, Sequence[Any]]) -> bytes:
    """A frame as Parquet; raises WorkbenchError for ids that are no UTF-8, and where pyarrow is missing."""
    arrow, parquet = _pyarrow()
    try:
        table = arrow.table({name: list(column) for name, column in frame.items()})
    except (UnicodeEncodeError, arrow.ArrowException) as error:
        raise WorkbenchError(f"this cannot be written as Parquet: {error}", remedy="write CSV") from error
    sink = arrow.BufferOutputStream()
    parquet.write_table(table, sink)
    return bytes(sink.getvalue())


def _csv_rows(content: bytes, errors: ErrorCollector) -> tuple[list[str], Iterator[Row]]:
    text = content.decode("utf-8-sig", "surrogateescape")
    header = text.split("\n", 1)[0]
    reader = csv.reader(io.StringIO(text, newline=""), delimiter="\t" if "\t" in header else ",")

    def rows() -> Iterator[Row]:
        try:
            for row in reader:
                if len(row) == len(names):
                    yield reader.line_num, row
                elif row:
                    message = f"expected {len(names)} columns as in the header, found {len(row)}"
                    errors.add(reader.line_num, "columns", message, "write every column in every row")
        except csv.Error as error:
            errors.add(reader.line_num, "csv", f"this is not CSV: {error}", "export it again")

    names: list[str] = []
    try:
        names = [name.strip().lower() for name in next(reader, [])]
    except csv.Error as error:
        errors.add(1, "csv", f"this is not CSV: {error}", "export it again")
    return names, rows()


def _parquet_rows(content: bytes, errors: ErrorCollector) -> tuple[list[str], Iterator[Row]]:
    arrow, parquet = _pyarrow()
    broken = (arrow.ArrowException, OSError, ValueError)
    try:
        file = parquet.ParquetFile(arrow.BufferReader(content))
        groups = [file.metadata.row_group(number) for number in range(file.metadata.num_row_groups)]
        unpacked = sum(group.total_byte_size for group in groups)
        names = list(file.schema_arrow.names)
        if file.metadata.num_rows > MOST_LINES or unpacked > 4 * MOST_BYTES:
            message = f"the frame has {file.metadata.num_rows:,} rows and {unpacked:,} bytes unpacked"
            remedy = f"split it by topics: at most {MOST_LINES:,} rows and {4 * MOST_BYTES:,} bytes"
            errors.add(None, "too-large", message, remedy)
    except broken as error:
        errors.add(None, "parquet", f"this is not Parquet: {_short(error)}", "export it again")
        return [], iter(())
    read = [name for name in names if name.lower() in {*_TOPICS, *_DOCNOS, *_GRADES, *_SCORES, "rank"}]

    def rows() -> Iterator[Row]:
        number = 0
        try:
            for batch in file.iter_batches(batch_size=_BATCH, columns=read):
                for row in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                    number += 1
                    yield number, row
        except broken as error:
            errors.add(number + 1, "parquet", f"the Parquet is broken: {_short(error)}", "export it again")

    return [name.lower() for name in read], rows()


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise WorkbenchError("Parquet needs pyarrow, which is not installed", remedy=INSTALL) from None
    return pyarrow, pyarrow.parquet


def _short(error: Exception) -> str:
    return shown(" ".join(str(error).split()))


def _place(names: Sequence[str], known: Sequence[str], errors: ErrorCollector) -> int:
    for name in known:
        if name in names:
            return names.index(name)
    found = ", ".join(map(shown, names[:10])) or "none"
    errors.add(1, "columns", f"no column of {' or '.join(known)} (columns: {found})", "rename the column")
    return 0


def _id(cell: object) -> str:
    """An id as text; whole numbers are ids of tools that read them as such, everything else is none."""
    if isinstance(cell, str):
        return cell
    return str(cell) if isinstance(cell, int) and not isinstance(cell, bool) else ""


def _is_whole(cell: object) -> bool:
    if isinstance(cell, str):
        return _WHOLE.fullmatch(cell) is not None
    return isinstance(cell, int) and not isinstance(cell, bool)


Kept = Sequence[tuple[int, str, str, Any]]


def _check_pairs(kept: Kept, errors: ErrorCollector) -> None:
    first: dict[tuple[str, str], int] = {}
    for number, topic, docno, _ in kept:
        check_ids(number, (topic, docno), errors)
        before = first.setdefault((topic, docno), number)
        if before != number:
            message = f"document {shown(docno)} is in topic {shown(topic)} already, row {before}"
            errors.add(number, "duplicate", message, "keep one of the rows")


def _qrels(kept: Kept, errors: ErrorCollector) -> tuple[Qrel, ...]:
    qrels = []
    for number, topic, docno, cell in kept:
        whole = isinstance(cell, float) and cell.is_integer()
        if not whole and not _is_whole(cell):
            errors.add(
                number, "grade", f"the grade {shown(str(cell))} is not an integer", "write grades as integers"
            )
        else:
            qrels.append(Qrel(topic, docno, int(cell)))
    return tuple(qrels)


def _run(kept: Kept, tag: str, errors: ErrorCollector) -> Run:
    columns: dict[str, tuple[list[str], array[float]]] = {}
    for number, topic, docno, cell in kept:
        score = _finite(cell)
        if score is None:
            errors.add(
                number,
                "score",
                f"the score {shown(str(cell))} is not a number",
                "write scores as finite numbers",
            )
        else:
            docnos, scores = columns.setdefault(topic, ([], array("d")))
            docnos.append(docno)
            scores.append(score)
    return Run(tag, {topic: Ranking(tuple(d), tuple(s)) for topic, (d, s) in columns.items()})


def _finite(cell: object) -> float | None:
    try:
        score = float(cell) if isinstance(cell, str | int | float) else math.nan
    except (ValueError, OverflowError):
        return None
    return score if math.isfinite(score) else None
