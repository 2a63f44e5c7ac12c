"""Files of assessors on the command line: the qrels of one each, or judgments of any number."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from typing import BinaryIO

from workbench.cli.inputs import read_each
from workbench.cli.qrels_files import note_negative
from workbench.formats.judgments import graded_judgments
from workbench.formats.qrels import read_qrels
from workbench.records import Judgment, Qrel


def read_judgment_files(files: Sequence[str], codes: Sequence[int]) -> list[Judgment]:
    """The judgments of TSV files, in which each of the `codes` means cannot judge; ids may hold spaces."""
    read = read_each(files, lambda stream, source: graded_judgments(stream, source, codes, spaced=True))
    return [judgment for _, given in read for judgment in given]


def read_qrels_by_assessor(files: Sequence[str], codes: Sequence[int] = ()) -> list[tuple[str, list[Qrel]]]:
    """The qrels of each assessor, named by the file; negative grades, not judged, are left out and noted.

    Lines whose grade is among the `codes`, which mean cannot judge, stay as they are.
    """

    def read(stream: BinaryIO, source: str) -> list[Qrel]:
        qrels = read_qrels(stream, source=source)
        kept = [qrel for qrel in qrels if qrel.grade >= 0 or qrel.grade in codes]
        note_negative(source, len(qrels) - len(kept))
        return kept

    named = zip(_names(files), read_each(files, read), strict=True)
    return [(name, qrels) for name, (_, qrels) in named]


def _names(files: Sequence[str]) -> list[str]:
    """A name for each file: its stem, with a number where that was taken."""
    names: list[str] = []
    for file in files:
        stem = "stdin" if file == "-" else PurePath(PurePath(file).name.removesuffix(".gz")).stem
        name, number = stem, 1
        while name in names:
            number += 1
            name = f"{stem}-{number}"
        names.append(name)
    return names
