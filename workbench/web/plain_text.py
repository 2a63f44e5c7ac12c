"""A plain text as blocks: paragraphs joined to flowing lines, and lines whose spaces mean something."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from enum import Enum

from workbench.frozen import frozen_dataclass

# A text broken to a width: some line is this long, almost no line could take the next line's first word,
# and of more than a few lines some go on within a sentence, which those of a log do not.
WIDE = 40
SLACK = 8
MOST = 0.8
FEW = 4
GOING_ON = 0.25
# Spaces at the beginning of a line from which it counts as indented.
INDENT = 2
# An indented line of its own that is at least this long, and ends like a sentence, is a short paragraph.
SENTENCE = 50

_BLANK = re.compile(r"\n(?:[^\S\n]*\n)+")
_GAP = re.compile(r"\S(?: {3,}|\t+)\S")
_INDENT = re.compile(rf"\n(?=[^\S\n]{{{INDENT},}}\S)")
_INSET = re.compile(r"\n[^\S\n]")
_ITEM = re.compile(r"\s*(?:[-*+•–·o]|\(?\w{1,4}[.):])\s")
_ENDS = re.compile(r"[.?!:;,\"'’”)]$")
_COMMAND = re.compile(r"\s*[$#>%<{}\[\]/\\|=;]")


class BlockKind(Enum):
    """How a block is set: flowing, with columns aligned by spaces, or with its lines indented as they are."""

    PROSE = "prose"
    ALIGNED = "aligned"
    INDENTED = "indented"


@frozen_dataclass
class Block:
    """A paragraph, or lines to be shown as they came."""

    text: str
    kind: BlockKind = BlockKind.PROSE


def blocks(text: str) -> Iterator[Block]:
    """The blocks of a text, separated by blank lines; of prose also by indented first lines."""
    even = _to_the_margin(text.expandtabs(8).strip("\n"))
    kinds = [(part, _kind(part)) for part in _BLANK.split(even) if part.strip()]
    waiting: list[str] = []  # indented lines, to which those after a blank line may belong
    for number, (part, kind) in enumerate(kinds):
        if kind is None:
            kind = _as_neighbours(part, [one for _, one in kinds[max(number - 1, 0) : number + 2]])
        if kind is BlockKind.INDENTED:
            waiting.append(part)
            continue
        if waiting:
            yield Block("\n\n".join(waiting), BlockKind.INDENTED)
            waiting = []
        if kind is BlockKind.ALIGNED:
            yield Block(part, kind)
            continue
        for paragraph in _paragraphs(_to_the_margin(part)):
            yield Block(_joined([line.strip() for line in paragraph.split("\n") if line.strip()]))
    if waiting:
        yield Block("\n\n".join(waiting), BlockKind.INDENTED)


def _to_the_margin(text: str) -> str:
    """The text without the spaces that all of its lines begin with; blank lines become empty."""
    if not (text[:1].isspace() or _INSET.search(text)):
        return text
    lines = [line if line.strip() else "" for line in text.split("\n")]
    margin = min((len(line) - len(line.lstrip(" ")) for line in lines if line), default=0)
    return "\n".join(line[margin:] for line in lines)


def _kind(part: str) -> BlockKind | None:
    """How a part without blank lines is set; None where its neighbours say so."""
    lines = part.split("\n")
    if len(lines) > 1 and sum(bool(_GAP.search(line)) for line in lines) * 2 > len(lines):
        return BlockKind.ALIGNED
    margins = [len(line) - len(line.lstrip()) for line in lines]
    if max(margins) < INDENT:
        return BlockKind.PROSE
    if max(margins) - min(margins) >= INDENT:
        return BlockKind.PROSE if _is_indented_prose(part, margins) else BlockKind.INDENTED
    # Evenly indented: a quotation if it flows, else code or verse; one line alone may be either.
    if len(lines) > 1:
        return BlockKind.PROSE if _broken_to_width([line.strip() for line in lines]) else BlockKind.INDENTED
    return BlockKind.INDENTED if _COMMAND.match(part) else None


def _as_neighbours(line: str, around: list[BlockKind | None]) -> BlockKind:
    is_sentence = len(line.strip()) >= SENTENCE and _ENDS.search(line.strip())
    return BlockKind.INDENTED if BlockKind.INDENTED in around and not is_sentence else BlockKind.PROSE


def _is_indented_prose(part: str, margins: list[int]) -> bool:
    """Whether the indents only say where paragraphs begin, or hang below the sign of a list."""
    paragraphs = [paragraph.split("\n") for paragraph in _paragraphs(_to_the_margin(part))]
    if len(paragraphs) == 1:
        rest = margins[1:]
        is_even = max(rest) - min(rest) < INDENT
        if not is_even or (margins[0] < rest[0] and not _ITEM.match(part)):
            return False
    return all(len(lines) == 1 or _broken_to_width([line.strip() for line in lines]) for lines in paragraphs)


def _paragraphs(part: str) -> list[str]:
    # First lines are few: if most lines are indented, the indent means something else.
    if "\n" not in part:
        return [part]
    indented = len(_INDENT.findall(part))
    return _INDENT.split(part) if indented * 2 < part.count("\n") + 1 else [part]


def _joined(lines: list[str]) -> str:
    return (" " if _broken_to_width(lines) else "\n").join(lines)


def _broken_to_width(lines: list[str]) -> bool:
    if len(lines) < 2:
        return False
    width = max(len(line) for line in lines)
    if width < WIDE:
        return False
    full = sum(
        len(line) + 1 + len(following.split(" ", 1)[0]) > width - SLACK
        for line, following in itertools.pairwise(lines)
    )
    if full < MOST * (len(lines) - 1):
        return False
    going_on = sum(line[:1].isalpha() and not line[:1].isupper() for line in lines[1:])
    return len(lines) < FEW or going_on >= GOING_ON * (len(lines) - 1)
