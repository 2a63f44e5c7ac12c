"""Runs for whoever pools and needs no warnings: read fast where they can be, else plainly."""

from __future__ import annotations

import io
from collections.abc import Collection, Mapping
from typing import IO

from workbench.formats.packed_lines import NotUnderstood
from workbench.formats.packed_runs import BLOCK, PackedRun, read_packed
from workbench.formats.runs import RunReading, read_run
from workbench.formats.source import Readable
from workbench.ranking import top
from workbench.records import Ranking, Run, TieRule

_IN_MEMORY = 16 * 2**20


def read_run_top(
    stream: Readable,
    *,
    source: str,
    depth: int | None,
    ties: TieRule = TieRule.TREC_EVAL,
    topics: Collection[str] | None = None,
    block: int = BLOCK,
) -> RunReading:
    """Read a run, plain or gzip, and keep the first `depth` documents of each topic, best first.

    With None all are kept, in file order.

    The whole run is checked as `read_run` checks it, with the same errors, in a fraction of the time;
    warnings are not looked for. `block` is how many bytes are read at a time.
    Raises InvalidInput with every error of the file.
    """
    read = _read(stream, source=source, depth=depth, topics=topics, block=block)
    if isinstance(read, RunReading):
        run = read.run if depth is None else cut(read.run, depth, ties)
    else:
        run = read.whole() if depth is None else read.top(depth, ties=ties)
    return RunReading(run, read.lines, ())


def read_run_leading(stream: Readable, *, source: str, depth: int, block: int = BLOCK) -> RunReading:
    """Read a run as `read_run_top` does, but keep whatever can be among the first under any tie rule.

    That is at least the first `depth` documents of each topic and those tied with the last of them, in file
    order, so that every rule can still be applied.
    """
    read = _read(stream, source=source, depth=depth, block=block)
    return RunReading(read.run if isinstance(read, RunReading) else read.leading(), read.lines, ())


def read_run_arrays(
    stream: Readable, *, source: str, depth: int, ties: TieRule = TieRule.TREC_EVAL
) -> PackedRun | Run:
    """Read a run as `read_run_top` does; as arrays, from which no strings need be made, where it can be."""
    read = _read(stream, source=source, depth=depth)
    return cut(read.run, depth, ties) if isinstance(read, RunReading) else read


def _read(
    stream: Readable,
    *,
    source: str,
    depth: int | None,
    topics: Collection[str] | None = None,
    block: int = BLOCK,
) -> PackedRun | RunReading:
    """A run as arrays to the depth, or whole from the plain reader where the fast one does not understand."""
    twice = _Twice(stream)
    try:
        return read_packed(twice, source=source, depth=depth, topics=topics, block=block)
    except NotUnderstood:
        twice.rewind()
        return read_run(twice, source=source, topics=topics)
    finally:
        twice.forget()


class _Twice:
    """A stream that can be read from its beginning once more; one that cannot seek is remembered."""

    def __init__(self, stream: Readable) -> None:
        self._stream = stream
        self._begin = stream.tell() if isinstance(stream, io.IOBase) and stream.seekable() else None
        self._memory = None if self._begin is not None else _memory()
        self._rewound = False

    def read(self, size: int, /) -> bytes:
        if self._memory is None:
            return self._stream.read(size)
        if self._rewound and (remembered := self._memory.read(size)):
            return remembered
        data = self._stream.read(size)
        if not self._rewound:
            self._memory.write(data)
        return data

    def rewind(self) -> None:
        self._rewound = True
        if self._memory is not None:
            self._memory.seek(0)
        elif self._begin is not None and isinstance(self._stream, io.IOBase):
            self._stream.seek(self._begin)

    def forget(self) -> None:
        if self._memory is not None:
            self._memory.close()


def _memory() -> IO[bytes]:
    # Imported here, since it imports every compression that there is, and few streams cannot seek.
    import tempfile

    return tempfile.SpooledTemporaryFile(_IN_MEMORY)


def cut(run: Run, depth: int, ties: TieRule) -> Run:
    """The run with the first `depth` documents of each topic, best first, with their scores."""
    return Run(run.tag, {topic: _first(ranking, depth, ties) for topic, ranking in run.rankings.items()})


def _first(ranking: Ranking, depth: int, ties: TieRule) -> Ranking:
    docnos = top(ranking, depth, ties=ties)
    scores: Mapping[str, float] = dict(zip(ranking.docnos, ranking.scores, strict=True))
    return Ranking(docnos, tuple(scores[docno] for docno in docnos))
