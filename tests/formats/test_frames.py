"""Frames of PyTerrier and ranx in CSV and Parquet: read as pandas writes them, and read by pandas again."""

from __future__ import annotations

import csv
import io
import sys
from typing import Any

import pytest

from tests.cli.executable import workbench
from tests.support import Oracle
from workbench.errors import InvalidInput, WorkbenchError
from workbench.formats import frames
from workbench.formats.frames import FRAMES, frame_csv, frame_of, frame_parquet, read_frame
from workbench.formats.source import open_source
from workbench.records import Qrel, Ranking, Run

pd = Oracle("pandas")

RUN = Run("alpha", {"1": Ranking(("d1", "é2"), (0.1, 0.30000000000000004)), "T2": Ranking(("d#1",), (-2.0,))})
QRELS = (Qrel("1", "d1", 2), Qrel("1", "é2", 0), Qrel("T2", "d#1", -1))


def read(content: bytes, **options: Any) -> Run | tuple[Qrel, ...]:
    return read_frame(open_source(io.BytesIO(content), "f"), source="f", tag="alpha", **options)


def parquet(**columns: Any) -> bytes:
    stored = io.BytesIO()
    pd.DataFrame(columns).to_parquet(stored, index=False)
    return stored.getvalue()


def codes(content: bytes, **options: Any) -> list[tuple[int | None, str]]:
    with pytest.raises(InvalidInput) as refused:
        read(content, **options)
    return [(one.line, one.code) for one in refused.value.findings]


@pytest.mark.parametrize("columns", FRAMES)
@pytest.mark.parametrize("content", [RUN, QRELS], ids=["run", "qrels"])
def test_what_is_written_is_read_again_and_by_pandas(columns: str, content: Run | tuple[Qrel, ...]) -> None:
    frame = frame_of(content, FRAMES[columns])
    for stored in (frame_csv(frame), frame_csv(frame, delimiter="\t"), frame_parquet(frame)):
        assert read(stored) == content
    seen = pd.read_parquet(io.BytesIO(frame_parquet(frame)))
    names = FRAMES[columns]
    assert list(seen[names.topic]) == ["1", "1", "T2"]
    assert list(seen[names.docno]) == ["d1", "é2", "d#1"]
    if isinstance(content, Run) and names.rank:
        # é2 has the higher score of topic 1; ranks count from 0.
        assert list(seen[names.rank]) == [1, 0, 0]


def test_frames_are_read_as_the_tools_write_them() -> None:
    pyterrier = parquet(
        qid=["1", "1"], docid=[7, 8], docno=["d1", "é2"], rank=[1, 0], score=[1, 2], query=["a", "a"]
    )
    assert read(pyterrier) == Run("alpha", {"1": Ranking(("d1", "é2"), (1.0, 2.0))})
    ranx = parquet(q_id=["1"], doc_id=["d1"], score=[3])
    assert read(ranx) == (Qrel("1", "d1", 3),)
    assert read(ranx, qrels=False) == Run("alpha", {"1": Ranking(("d1",), (3.0,))})
    # Ids that a tool read as numbers; grades that pandas made floats of.
    assert read(parquet(qid=[1], docno=[7], label=[1.0])) == (Qrel("1", "7", 1),)


def test_errors_name_their_rows() -> None:
    assert codes(b"qid,docno,score\n1,d1,x\n1,d2,nan\n1,d3,inf\n") == [
        (2, "score"),
        (3, "score"),
        (4, "score"),
    ]
    assert codes(b"qid,docno,label\n1,d1,1.5\n,d2,1\n1,d 3,1\n") == [(2, "grade"), (3, "id"), (4, "id")]
    assert codes(b"qid,docno,score\n1,d1,1.5\n1,d1,2.5\n1,d2\n") == [(4, "columns")]
    assert codes(b"qid,docno,score\n1,d1,1.5\n1,d1,2.5\n") == [(3, "duplicate")]
    assert codes(b"a,b\n1,2\n") == [(1, "columns")] * 3
    assert codes(b"qid,docno,score\n") == [(None, "empty")]
    assert codes(parquet(qid=["1", None], docno=["d1", "d2"], score=[1.5, 2.5])) == [(2, "id")]
    assert codes(parquet(qid=["1"], docno=[1.5], score=[1.5])) == [(1, "id")]


def test_broken_parquet_is_refused() -> None:
    whole = parquet(qid=["1"] * 500, docno=[f"d{n}" for n in range(500)], score=[1.5] * 500)
    for content in (
        b"PAR1",
        whole[:-9],
        whole[: len(whole) // 2] + b"PAR1",
        b"PAR1" + bytes(900) + whole[904:],
    ):
        assert codes(content)[0][1] == "parquet"


def test_csv_that_is_none_is_refused_at_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    header = b"qid,docno,score\n"
    # Longer than the longest field that the library reads.
    long = b"x" * (csv.field_size_limit() + 1)
    assert codes(b"q" + long + b"," + header) == [(1, "csv")]
    assert codes(header + b"1,d1,2\n1," + long + b",1\n") == [(3, "csv")]
    assert codes(header + b"1,d1,2\n1,d2\n\n1,d3,1,0\n") == [(3, "columns"), (5, "columns")]
    monkeypatch.setattr(frames, "MOST_BYTES", 20)
    assert codes(header + b"1,d1,2\n") == [(None, "too-large")]


def test_a_frame_with_too_many_rows_or_broken_pages_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    stored = frame_parquet({"qid": ["1"] * 3, "docno": ["d1", "d2", "d3"], "score": [3.0, 2.0, 1.0]})
    # The first page of the first column; the list of columns at the end is whole.
    broken = stored[:4] + b"\xff" * 20 + stored[24:]
    assert codes(broken) == [(1, "parquet")]
    monkeypatch.setattr(frames, "MOST_LINES", 2)
    assert codes(stored) == [(None, "too-large")]


def test_where_pyarrow_is_missing_the_error_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(WorkbenchError, match="which is not installed") as told:
        frame_parquet({"qid": ["1"]})
    assert told.value.remedy == frames.INSTALL


def test_an_id_that_is_no_utf_8_is_written_as_csv_only() -> None:
    frame: dict[str, list[Any]] = {"qid": ["1"], "docno": ["d\udcff"], "score": [1.0]}
    with pytest.raises(WorkbenchError, match="cannot be written as Parquet") as told:
        frame_parquet(frame)
    assert told.value.remedy == "write CSV"
    assert frame_csv(frame) == b"qid,docno,score\n1,d\xff,1.0\n"


def test_the_command_converts_between_all_forms(tmp_path: Any) -> None:
    qrels, run = b"1 0 d1 2\n1 0 d2 0\n", b"1 Q0 d1 1 2.5 alpha\n1 Q0 d2 2 0.1 alpha\n"
    (tmp_path / "a.qrels").write_bytes(qrels)
    (tmp_path / "alpha.run").write_bytes(run)
    for start, way in (
        ("a.qrels", ("test.tsv", "b.parquet", "c.csv", "end.qrels")),
        ("alpha.run", ("alpha.parquet", "alpha.csv", "alpha.txt")),
    ):
        for columns in FRAMES:
            before = tmp_path / start
            for name in way:
                done = workbench("convert", before, tmp_path / name, "--columns", columns)
                assert done.returncode == 0, done.stderr
                before = tmp_path / name
            assert before.read_bytes() == (tmp_path / start).read_bytes()
    assert (tmp_path / "test.tsv").read_bytes() == b"query-id\tcorpus-id\tscore\n1\td1\t2\n1\td2\t0\n"
    assert workbench("convert", tmp_path / "alpha.run", tmp_path / "alpha.tsv").returncode == 1
