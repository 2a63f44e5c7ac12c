"""Terms of texts: what is compared when documents are searched, the same for documents and for queries."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

LONGEST_TERM = 80
"""Bytes; a longer one is no word of a language, and is not indexed."""
ANALYSIS = 1
"""Numbers the way in which terms are made; another number means that every index is built anew."""

# Chinese and Japanese have no spaces between words: each character is a term.
_UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}"
_TOKEN = rf"[{_UNSPACED}]|[\p{{L}}\p{{N}}\p{{M}}&&[^{_UNSPACED}]]+"
_UNSEEN = re.compile(r"<(script|style)\b.*?(?:</\1\s*>|$)|<!--.*?(?:-->|$)", re.IGNORECASE | re.DOTALL)
_BLOCK = re.compile(
    r"</?(?:p|div|br|hr|li|ul|ol|dl|dt|dd|tr|td|th|table|h[1-6]|section|article|blockquote|pre|title|body)\b[^<>]*>",
    re.IGNORECASE,
)
_TAG = re.compile(r"</?[a-zA-Z!][^<>]*>")


class TermInText(NamedTuple):
    """A term with the characters [start, end) of the text that it was made of.

    A tuple for speed: the texts of a page of hits have thousands.
    """

    text: str
    start: int
    end: int


def plain_text(text: str) -> str:
    """A text or HTML page without markup, in Unicode's composed form; blocks are parted by blank lines.

    >>> plain_text("<p>Lift &amp; <b>drag</b></p>").strip()
    'Lift & drag'
    """
    if "<" in text:
        text = _TAG.sub("", _BLOCK.sub("\n\n", _UNSEEN.sub(" ", text)))
    if "&" in text:
        text = html.unescape(text)
    # A surrogate, as an undecodable byte of a file becomes one, cannot be given to an engine.
    return unicodedata.normalize("NFC", text).encode("utf-8", "replace").decode("utf-8")


def terms(text: str) -> list[str]:
    """The terms of a text: words in lower case, without diacritics, stemmed.

    >>> terms("The wings’ Naïve 3.5")
    ['the', 'wing', 'naiv', '3', '5']
    """
    return list(stemming().analyze(plain_text(text)))


def whole_words(text: str) -> list[str]:
    """The terms of a text before they are stemmed, which prefixes are compared with."""
    return list(unstemmed().analyze(plain_text(text)))


def terms_in(text: str, *, stemmed: bool = True) -> Iterator[TermInText]:
    """The terms of a text that is plain already, each with its place."""
    analyzer = stemming() if stemmed else unstemmed()
    for token in analyzer.pre_tokenize(text).tokens:
        yield TermInText(token.text, token.char_offset_from, token.char_offset_to)


@cache
def stemming() -> Any:
    """The analyser of texts."""
    from tantivy import Filter

    return _builder().filter(Filter.stemmer("english")).build()


@cache
def unstemmed() -> Any:
    """The analyser of whole words."""
    return _builder().build()


def _builder() -> Any:
    # Imported when something is searched: no other command and no page waits for it.
    from tantivy import Filter, TextAnalyzerBuilder, Tokenizer

    builder = TextAnalyzerBuilder(Tokenizer.regex(_TOKEN)).filter(Filter.remove_long(LONGEST_TERM))
    return builder.filter(Filter.lowercase()).filter(Filter.ascii_fold())
