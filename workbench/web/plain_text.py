"""Plain text as paragraphs: lines that were broken to a width are joined, verse and tables are kept."""

from __future__ import annotations

import itertools
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

# Broken to a width: some line is this long, and nearly no line had room for the first word of the next.
WIDE = 40
SLACK = 8
MOST = 0.8

_BLANK = re.compile(r"\n[^\S\n]*(?:\n[^\S\n]*)+")
_GAP = re.compile(r"\S(?: {3,}|\t+)\S")
_INDENT = re.compile(r"\n(?=[^\S\n]{2,}\S)")


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, or lines whose columns are aligned by spaces."""

    text: str
    aligned: bool = False


def blocks(text: str) -> Iterator[Block]:
    """The paragraphs of a text; blank lines separate them, and so do indented first lines of prose."""
    for part in _BLANK.split(text.expandtabs(8).strip("\n")):
        if not part.strip():
            continue
        lines = part.split("\n")
        if len(lines) > 1 and sum(bool(_GAP.search(line)) for line in lines) * 2 > len(lines):
            yield Block(part, aligned=True)
            continue
        for paragraph in _paragraphs(textwrap.dedent(part)):
            yield Block(_joined([line.strip() for line in paragraph.split("\n") if line.strip()]))


def _paragraphs(part: str) -> list[str]:
    # First lines are few; where most lines are set in, the indent means something else.
    indented = len(_INDENT.findall(part))
    return _INDENT.split(part) if indented * 2 < part.count("\n") + 1 else [part]


def _joined(lines: list[str]) -> str:
    return (" " if _broken_to_width(lines) else "\n").join(lines)


def _broken_to_width(lines: list[str]) -> bool:
    width = max((len(line) for line in lines), default=0)
    if len(lines) < 2 or width < WIDE:
        return False
    full = sum(
        len(line) + 1 + len(following.split(" ", 1)[0]) > width - SLACK
        for line, following in itertools.pairwise(lines)
    )
    return full >= MOST * (len(lines) - 1)
