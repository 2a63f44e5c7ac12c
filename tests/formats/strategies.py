"""What the room's tests draw from: ids that files can hold, and streams."""

from __future__ import annotations

import io
from collections.abc import Collection, Container
from typing import BinaryIO, TypedDict, Unpack

from hypothesis import strategies as st

from workbench.errors import InvalidInput
from workbench.formats import run_check as check
from workbench.formats.identifiers import all_seen, fits
from workbench.formats.run_rules import DEFAULT_RULES, RunRules
from workbench.formats.runs import RunReading
from workbench.records import Ranking, Run, id_bytes

IDS = (
    st.one_of(
        st.text(st.sampled_from("aZ019-_.:/#é漢\udcff\udc80"), min_size=1, max_size=8),
        st.binary(min_size=1, max_size=8).map(lambda raw: raw.decode("utf-8", "surrogateescape")),
    )
    .map(lambda text: "".join(c for c in text if fits(c)))
    # Bytes that stand for surrogates may join to a character, so that the id would come back as another.
    .map(lambda text: text.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape"))
    .filter(lambda text: fits(text) and all_seen(id_bytes(text)))
)
"""Ids of run and qrels files: no white space or control characters, but any other character or byte."""


class Expected(TypedDict, total=False):
    """What a check is told of a run beside its content."""

    file_stem: str
    topics: Collection[str]
    docnos: Container[str]
    rules: RunRules


def read_as(stream: BinaryIO, *, source: str, **told: Unpack[Expected]) -> RunReading:
    """A run as `read_run` has it, but with more expected of it; raises InvalidInput as that does."""
    rankings: dict[str, Ranking] = {}
    expected = check.Expected(told.get("topics"), told.get("docnos"), told.get("rules", DEFAULT_RULES))
    stem = told.get("file_stem")
    found = check.check_run(
        stream, source=source, file_stem=stem, expected=expected, take=rankings.__setitem__
    )
    if found.tag is None:
        raise InvalidInput(found.errors)
    return RunReading(Run(found.tag, rankings), found.lines, found.warnings)


def stream(*parts: bytes | str) -> io.BytesIO:
    return io.BytesIO(b"".join(part if isinstance(part, bytes) else part.encode() for part in parts))


def codes(refused: InvalidInput) -> list[tuple[int | None, str]]:
    return [(finding.line, finding.code) for finding in refused.findings]
