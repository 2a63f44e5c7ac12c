"""Full-text search over the sections of the manual: letter case and diacritics do not count."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from workbench.help.manual import pages
from workbench.help.rendering import Section, sections

_WORD = re.compile(r"\w+")
# What a word counts in the title of the page and in a heading, against 1 at most in the text.
IN_TITLE, IN_HEADING = 2.0, 4.0
PREFIX = 0.6  # what a word counts that only begins as the one that was typed
MOST_HITS, MOST_OF_A_PAGE = 20, 3
MOST_TERMS = 8  # anybody may search, and each word costs a look through all sections
AROUND = 14  # words of a snippet before and after the first word that was found


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a snippet; `found` where it is a word that was searched."""

    text: str
    found: bool


@dataclass(frozen=True, slots=True)
class Hit:
    """A section with the words that were searched, and a snippet of it."""

    section: Section
    score: float
    snippet: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class _Indexed:
    section: Section
    title: frozenset[str]
    heading: frozenset[str]
    text: Mapping[str, int]


def fold(text: str) -> str:
    """The text without diacritics and letter case.

    >>> fold("Voorhées")
    'voorhees'
    """
    apart = unicodedata.normalize("NFKD", text)
    return "".join(one for one in apart if not unicodedata.combining(one)).casefold()


def search(query: str) -> tuple[Hit, ...]:
    """The sections that have all words of the query (of the first eight), or else any, the best first."""
    terms = list(dict.fromkeys(_words(query)))[:MOST_TERMS]
    if not terms:
        return ()
    worth = {term: _worth(term) for term in terms}
    scored = [(one, [worth[term] * _score(one, term) for term in terms]) for one in _index()]
    found = [(one, parts) for one, parts in scored if all(parts)] or [
        (one, parts) for one, parts in scored if any(parts)
    ]
    found.sort(key=lambda pair: -sum(pair[1]))
    hits: list[Hit] = []
    of_page: Counter[str] = Counter()
    for one, parts in found:
        name = one.section.page.name
        if of_page[name] < MOST_OF_A_PAGE and len(hits) < MOST_HITS:
            of_page[name] += 1
            hits.append(Hit(one.section, sum(parts), _snippet(one.section.text, terms)))
    return tuple(hits)


@cache
def _index() -> tuple[_Indexed, ...]:
    return tuple(
        _Indexed(
            section,
            frozenset(_words(f"{section.page.title} {section.page.name}")),
            frozenset(_words(section.title)),
            Counter(_words(section.text)),
        )
        for page in pages()
        for section in sections(page)
    )


def _words(text: str) -> list[str]:
    return _WORD.findall(fold(text))


def _worth(term: str) -> float:
    return math.log(1 + len(_index()) / (1 + sum(1 for one in _index() if _score(one, term))))


def _score(one: _Indexed, term: str) -> float:
    times = sum(
        count * (1.0 if word == term else PREFIX)
        for word, count in one.text.items()
        if word == term or _begins(word, term)
    )
    return IN_TITLE * _in(one.title, term) + IN_HEADING * _in(one.heading, term) + times / (times + 1.5)


def _in(words: frozenset[str], term: str) -> float:
    if term in words:
        return 1.0
    return PREFIX if any(_begins(word, term) for word in words) else 0.0


def _begins(word: str, term: str) -> bool:
    return len(term) > 1 and word.startswith(term)


def _snippet(text: str, terms: list[str]) -> tuple[Piece, ...]:
    words = list(_WORD.finditer(text))
    found = [any(fold(one[0]) == term or _begins(fold(one[0]), term) for term in terms) for one in words]
    first = found.index(True) if True in found else 0
    shown = range(max(0, first - AROUND), min(len(words), first + 2 * AROUND))
    if not shown:
        return ()
    place = words[shown[0]].start() if shown[0] else 0
    end = words[shown[-1]].end() if shown[-1] + 1 < len(words) else len(text)
    pieces = [Piece("… ", False)] if place else []
    for number in shown:
        if found[number]:
            pieces.append(Piece(text[place : words[number].start()], False))
            pieces.append(Piece(words[number][0], True))
            place = words[number].end()
    pieces.append(Piece(text[place:end] + (" …" if end < len(text) else ""), False))
    return tuple(piece for piece in pieces if piece.text)
