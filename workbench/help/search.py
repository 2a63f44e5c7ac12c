"""Pages of the manual as HTML, as Markdown for a terminal and as sections; full-text search over these."""

from __future__ import annotations

import html
import itertools
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

from workbench.frozen import frozen_dataclass
from workbench.help.generated import fill_in
from workbench.help.manual import Page, page_named, pages

_MARKDOWN = MarkdownIt("commonmark", {"html": False, "typographer": True}).enable(["table", "smartquotes"])
# In an example of Python two brackets are no key: its names stand in quotation marks.
_KEY = re.compile(r"\[\[([^\"\n]+?)\]\]")
_PAGE_LINK = re.compile(r"\[([^\]\[]+)\]\(([a-z-]+)\.md(?:#([a-z0-9-]+))?\)")
_PICTURE = re.compile(r"!\[([^\]]*)\]\([^)]*\)\n*")
_PAGE_ADDRESS = re.compile(r"([a-z-]+)\.md(?:#([a-z0-9-]+))?")

PageAddress = Callable[[str, str | None], str]
"""From the name of a page and an anchor, or None, to an address."""
PictureAddress = Callable[[str], str]
"""From the file name of a picture to its address."""


@frozen_dataclass
class Section:
    """The words under one heading; the one before the first heading has the page's title and no anchor."""

    page: Page
    anchor: str | None
    title: str
    level: int
    text: str


def page_html(page: Page, *, address: PageAddress, picture: PictureAddress) -> str:
    """The page below its title as HTML; its headings have anchors."""
    tokens = _tokens(page)
    for token in tokens:
        if token.type == "heading_open" and token.attrGet("id"):
            token.attrSet("tabindex", "-1")
        _without_style(token)
        for child in token.children or ():
            if child.type == "link_open":
                _lead(child, address)
            elif child.type == "image":
                _show(child, picture)
    rendered = str(_MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {}))
    rendered = rendered.replace(
        "<table>", '<div class="scroll" role="region" aria-label="Table" tabindex="0"><table>'
    )
    rendered = rendered.replace("</table>", "</table></div>")
    # Code scrolls in a box of its own too; the keyboard must reach it.
    rendered = rendered.replace("<pre>", '<pre tabindex="0">')
    return _KEY.sub(r'<kbd class="key">\1</kbd>', rendered)


def terminal_markdown(page: Page) -> str:
    """The whole page as Markdown that makes sense in a terminal: links name the command to read on."""

    def command(match: re.Match[str]) -> str:
        # A link to a part of the page itself needs no command.
        return match[1] if match[2] == page.name else f"{match[1]} (`workbench help {match[2]}`)"

    text = _PICTURE.sub("", fill_in(page.text))
    text = _KEY.sub(r"`\1`", _PAGE_LINK.sub(command, text))
    return f"# {page.title}\n\n{text}"


def sections(page: Page) -> tuple[Section, ...]:
    """The page heading by heading."""
    return tuple(_sections(page, _tokens(page)))


def slug(title: str) -> str:
    """The anchor of a heading: its letters and digits in lower case, hyphens between.

    >>> slug("Pooled and unpooled kappa, by hand")
    'pooled-and-unpooled-kappa-by-hand'
    """
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode("ascii").casefold()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")


def _tokens(page: Page) -> list[Token]:
    tokens = _MARKDOWN.parse(fill_in(page.text))
    for opening, inline in itertools.pairwise(tokens):
        if opening.type == "heading_open":
            opening.attrSet("id", slug(_words([inline])))
    return tokens


def _sections(page: Page, tokens: Sequence[Token]) -> Iterator[Section]:
    anchor, title, level, start = None, page.title, 1, 0
    for place, token in enumerate(tokens):
        if token.type == "heading_open":
            yield Section(page, anchor, title, level, _words(tokens[start:place]))
            anchor, title, level = str(token.attrGet("id")), _words([tokens[place + 1]]), int(token.tag[1])
            start = place + 3  # after the opening, the words and the closing of the heading
    yield Section(page, anchor, title, level, _words(tokens[start:]))


def _words(tokens: Sequence[Token]) -> str:
    """The text of tokens without markup, white space collapsed."""
    parts: list[str] = []
    for token in tokens:
        if token.type in {"fence", "code_block"}:
            parts.append(token.content)
        elif token.type == "inline":
            parts.append("".join(_word(one) for one in token.children or ()))
    return _KEY.sub(r"\1", " ".join(" ".join(parts).split()))


def _word(token: Token) -> str:
    if token.type in {"softbreak", "hardbreak"}:
        return " "
    return token.content if token.type in {"text", "code_inline"} else ""


def _lead(link: Token, address: PageAddress) -> None:
    found = _PAGE_ADDRESS.fullmatch(str(link.attrGet("href")))
    if found:
        link.attrSet("href", address(page_named(found[1]).name, found[2]))
    else:
        link.attrSet("rel", "noopener")


def _show(image: Token, picture: PictureAddress) -> None:
    # Light and dark are two files; the plain address is the light one.
    name = str(image.attrGet("src")).rpartition("/")[2]
    dark = name.replace(".webp", "-dark.webp")
    alt = html.escape(image.content)
    image.type = "html_inline"
    image.content = (
        f'<picture><source media="(prefers-color-scheme: dark)" srcset="{html.escape(picture(dark))}">'
        f'<img src="{html.escape(picture(name))}" alt="{alt}" loading="lazy" width="1280" height="800">'
        "</picture>"
    )


def _without_style(token: Token) -> None:
    # The pages' policy lets no style stand in an element.
    style = token.attrs.pop("style", None)
    if style == "text-align:right":
        token.attrJoin("class", "num")


_WORD = re.compile(r"\w+")
# What a word counts in the title of the page and in a heading, against 1 at most in the text.
IN_TITLE, IN_HEADING = 2.0, 4.0
PREFIX = 0.6  # what a word counts that only begins as the one that was typed
MOST_HITS, MOST_OF_A_PAGE = 20, 3
MOST_TERMS = 8  # anybody may search, and each word costs a look through all sections
AROUND = 14  # words of a snippet before and after the first word that was found


@frozen_dataclass
class Piece:
    """A part of a snippet; `found` where it is a word that was searched."""

    text: str
    found: bool


@frozen_dataclass
class Hit:
    """A section with the words that were searched, and a snippet of it."""

    section: Section
    score: float
    snippet: tuple[Piece, ...]


@frozen_dataclass
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
    terms = list(dict.fromkeys(_words_of(query)))[:MOST_TERMS]
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
            frozenset(_words_of(f"{section.page.title} {section.page.name}")),
            frozenset(_words_of(section.title)),
            Counter(_words_of(section.text)),
        )
        for page in pages()
        for section in sections(page)
    )


def _words_of(text: str) -> list[str]:
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
