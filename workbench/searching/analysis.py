"""Terms of texts: what is compared when documents are searched, the same for documents and for queries."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container, Iterable
from functools import cache
from typing import Any

from workbench.outside import unescaped_html

LONGEST_TERM = 80
"""Bytes; a longer one is no word of a language, and is not indexed."""
ANALYSIS = 1
"""Numbers the way in which terms are made; another number means that every index is built anew."""

Places = dict[str, dict[int, tuple[int, int]]]
"""By term, the number of each in the text (from 0), with the characters [start, end) that it was made of."""

# Chinese and Japanese have no spaces between words: each character is a term.
_UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}"
_TOKEN = rf"[{_UNSPACED}]|[\p{{L}}\p{{N}}\p{{M}}&&[^{_UNSPACED}]]+"
_UNSEEN = re.compile(r"<(script|style)\b.*?(?:</\1\s*>|$)|<!--.*?(?:-->|$)", re.IGNORECASE | re.DOTALL)
_BLOCK = re.compile(
    r"</?(?:p|div|br|hr|li|ul|ol|dl|dt|dd|tr|td|th|table|h[1-6]|section|article|blockquote|pre|title|body)\b[^<>]*>",
    re.IGNORECASE,
)
_TAG = re.compile(r"</?[a-zA-Z!][^<>]*>")
# What a text is cut into first: every other character of ASCII parts terms wherever it stands.
_RUN = re.compile(r"[A-Za-z0-9\x80-\U0010ffff]+")


def plain_text(text: str) -> str:
    """A text or HTML page without markup, in Unicode's composed form; blocks are parted by blank lines.

    >>> plain_text("<p>Lift &amp; <b>drag</b></p>").strip()
    'Lift & drag'
    """
    if "<" in text:
        text = _TAG.sub("", _BLOCK.sub("\n\n", _UNSEEN.sub(" ", text)))
    if "&" in text:
        text = unescaped_html(text)
    if text.isascii():
        return text
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


class WordForms:
    """The words of some plain texts, all looked up at once, by which the places of terms are found in each.

    For speed: asking the analyser for the places of all terms, text by text, takes three times as long.
    """

    def __init__(self, texts: Iterable[str], asked: Container[str], *, stemmed: bool = True) -> None:
        analyzer = stemming() if stemmed else unstemmed()
        words = set(_RUN.findall("\n".join(texts)))
        simple = [one for one in words if one.isascii() and len(one) < LONGEST_TERM]
        each = zip(simple, _of_parted_words(stemmed=stemmed).analyze(" ".join(simple)), strict=True)
        self._forms = {word: term for word, term in each if term in asked}
        self._others = {
            word: [
                (one.text, one.char_offset_from, one.char_offset_to)
                for one in analyzer.pre_tokenize(word).tokens
            ]
            for word in words.difference(simple)
        }

    def places(self, text: str) -> Places:
        """Where one of the texts has the terms that were asked for, and perhaps others."""
        found: Places = {}
        forms, others = self._forms, self._others
        at = 0
        for run in _RUN.finditer(text):
            word = run[0]
            if word in forms:
                found.setdefault(forms[word], {})[at] = run.span()
            elif word in others:
                for number, (term, start, end) in enumerate(others[word], start=at):
                    found.setdefault(term, {})[number] = run.start() + start, run.start() + end
                at += len(others[word]) - 1
            at += 1
        return found


@cache
def stemming() -> Any:
    """The analyser of texts."""
    from tantivy import Filter

    return _builder().filter(Filter.stemmer("english")).build()


@cache
def unstemmed() -> Any:
    """The analyser of whole words."""
    return _builder().build()


@cache
def _of_parted_words(*, stemmed: bool) -> Any:
    """The same, in a quarter of the time, for words of letters and digits of ASCII with blanks between."""
    from tantivy import Filter, Tokenizer

    builder = _builder(Tokenizer.whitespace())
    return builder.filter(Filter.stemmer("english")).build() if stemmed else builder.build()


def _builder(tokenizer: Any = None) -> Any:
    # Imported when something is searched: no other command and no page waits for it.
    from tantivy import Filter, TextAnalyzerBuilder, Tokenizer

    builder = TextAnalyzerBuilder(tokenizer or Tokenizer.regex(_TOKEN))
    builder = builder.filter(Filter.remove_long(LONGEST_TERM))
    return builder.filter(Filter.lowercase()).filter(Filter.ascii_fold())
