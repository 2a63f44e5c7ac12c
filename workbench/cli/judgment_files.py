"""Judgments of several assessors from files, where a negative grade must not pass for something else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import BinaryIO

from workbench.errors import Finding, InvalidInput
from workbench.formats.judgments import read_judgments
from workbench.records import Judgment


def graded_judgments(stream: BinaryIO, source: str, codes: Sequence[int]) -> tuple[Judgment, ...]:
    """The judgments of a file, grades in `codes` being those that mean "cannot judge".

    Raises InvalidInput as the reader of the format does, and for negative grades that no code names: some
    collections mean a grade by them, some none at all, and nobody but their user knows which.
    """
    found = read_judgments(stream, source=source, cannot_judge=codes)
    negative = [one for one in found if one.grade is not None and one.grade < 0]
    if not negative:
        return found
    kinds = sorted({one.grade for one in negative if one.grade is not None}, reverse=True)
    named = ", ".join(map(str, kinds[:5])) + (", ..." if len(kinds) > 5 else "")
    options = " ".join(f"--cannot-judge={kind}" for kind in kinds[:5])
    first = negative[0]
    many = f"{len(negative):,} grades are" if len(negative) > 1 else "1 grade is"
    raise InvalidInput(
        [
            Finding(
                source,
                None,
                "grade",
                f"{many} negative ({named}), first that of document {first.docno} for topic {first.topic}",
                f"add {options} where that is what it means, or write grades from 0 on",
            )
        ]
    )
