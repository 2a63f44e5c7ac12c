"""A message in plain text: who it is for, its subject and its body."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

FIRST_STRONG, POP = "\u2068", "\u2069"
RIGHT_TO_LEFT = frozenset({"R", "AL", "AN"})
DIRECTIONS = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Characters that turn the text after them, and halves of characters; joiners are part of names and stay."""
LONGEST_SUBJECT = 150


@dataclass(frozen=True, slots=True)
class Message:
    """A message to one address; `secret` says that its body has a link that opens something."""

    to: str
    subject: str
    body: str
    secret: bool = False


def one_line(text: str) -> str:
    """A text as one line without control characters, such as those that would begin a new header."""
    plain = DIRECTIONS.sub("", text)
    return " ".join("".join(" " if unicodedata.category(one) == "Cc" else one for one in plain).split())


def isolated(text: str) -> str:
    """A name within a sentence: what is read from the right does not turn the words around it."""
    text = one_line(text)
    if any(unicodedata.bidirectional(one) in RIGHT_TO_LEFT for one in text):
        return f"{FIRST_STRONG}{text}{POP}"
    return text


def subject_of(*parts: str) -> str:
    """A subject of one line; a name that is too long for it is cut."""
    line = one_line(" ".join(parts))
    return line if len(line) <= LONGEST_SUBJECT else f"{line[: LONGEST_SUBJECT - 1].rstrip()}…"
