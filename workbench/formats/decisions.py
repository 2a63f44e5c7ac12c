"""Adjudicated grades: tab-separated, with a header `topic doc grade reason` in any order; reason may lack."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from workbench.formats.graded_pairs import NEEDED, Form, GradedPair, read_graded_pairs
from workbench.formats.identifiers import plain
from workbench.formats.source import Readable

DECISIONS = Form("decision", ("reason",), "decide it first, or take the line out")

_CONTROLS = re.compile(r"[\x00-\x1f\x7f]+")


def read_decisions(stream: Readable, *, source: str) -> tuple[GradedPair, ...]:
    """The decisions of a file, the reasons as their words; raises as `read_graded_pairs`."""
    return read_graded_pairs(stream, DECISIONS, source=source)


def write_decisions(decisions: Iterable[GradedPair]) -> Iterator[bytes]:
    """The header and one line a decision, as `read_decisions` reads them; a reason is one line of text.

    Raises WorkbenchError for topics and docnos with white space.
    """
    yield ("\t".join((*NEEDED, DECISIONS.columns[0])) + "\n").encode()
    for one in decisions:
        reason = _CONTROLS.sub(" ", one.words).strip().encode("utf-8", "replace")
        ids = (plain(one.topic, "topic"), plain(one.docno, "docno"))
        yield b"\t".join((*ids, str(one.grade).encode(), reason)) + b"\n"
