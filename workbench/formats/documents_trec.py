"""TREC's documents: `<DOC> <DOCNO> ... </DOCNO> ... </DOC>`, one after another, and the SGML in it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from workbench.formats.error_collector import ErrorCollector, shown
from workbench.formats.fields import collapsed, tidied, unescaped
from workbench.formats.identifiers import trimmed
from workbench.formats.source import LINE_LIMIT
from workbench.formats.text_formats import (
    SGML_TYPE,
    DocumentFormat,
    Lines,
    NumberedDocuments,
    record_original,
)
from workbench.records import Document

_TOKEN = re.compile(r"<!--|<[!?][^<>]*+>|<(/?)([A-Za-z][A-Za-z0-9_.:-]*+)[^<>]*+>")
_KINDS = {
    "docno": "docno",
    # Wall Street Journal, AP, Financial Times, LA Times, FBIS, San Jose Mercury, Ziff, pages of the web.
    **dict.fromkeys(("title", "headline", "hl", "head", "ttl", "ti"), "title"),
    **dict.fromkeys(("text", "lp", "leadpara", "body", "abstract"), "text"),
    **dict.fromkeys(("dochdr", "docoldno", "docid", "script", "style"), "left out"),
}
_GAPS = {
    **dict.fromkeys(("p", "div", "table", "ul", "ol", "h1", "h2", "h3", "h4", "h5", "h6"), "\n\n"),
    **dict.fromkeys(("br", "li", "tr"), "\n"),
    **dict.fromkeys(("a", "b", "i", "u", "em", "strong", "sub", "sup", "font", "span", "tt"), ""),
}


def sgml_document(text: str, given_id: str = "") -> Document:
    """The document between `<DOC>` and `</DOC>`; `given_id` is its docno where it has no `<DOCNO>`.

    Title: the title tags before the text, or the first one inside it. Text: the text tags, and where there
    are none everything that is neither docno, title nor header. Inner tags go, paragraphs are parted by
    blank lines, lines are kept, entities are decoded.
    """
    fields = _Fields()
    shown_from = 0
    endless = False
    for token in _TOKEN.finditer(text):
        if token.start() < shown_from:
            continue
        fields.add(text[shown_from : token.start()])
        shown_from = token.end()
        if token[0] == "<!--" and not endless:
            end = text.find("-->", shown_from)
            # A comment without end hides nothing: a lost tail is worse than a visible mark.
            endless = end < 0
            shown_from = shown_from if endless else end + 3
        elif token[2]:
            fields.turn(token[2].lower(), closing=bool(token[1]))
    fields.add(text[shown_from:])
    return fields.document(given_id)


class _Fields:
    """The text of a document by kind, and the stack of the known tags that are open."""

    def __init__(self) -> None:
        self._parts: dict[str, list[str]] = {"docno": [], "title": [], "rest": [], "left out": []}
        self._open: list[tuple[str, str]] = []
        self._titled = False

    def add(self, text: str) -> None:
        """Add text to the kind that is open now."""
        now = self._now()
        self._parts[now].append(text)
        self._titled = self._titled or (now == "title" and bool(text.strip()))

    def turn(self, name: str, *, closing: bool) -> None:
        """Open or close a tag; those that mean nothing leave a gap."""
        if closing:
            names = [one for one, _ in self._open]
            if name in names:
                del self._open[len(names) - 1 - names[::-1].index(name) :]
        elif self._opens(name):
            self._open.append((name, _KINDS[name]))
            self._parts.setdefault(_KINDS[name], [])
            # What was there before is another headline, or the lead paragraph.
            self.add("\n\n")
            return
        if name not in _KINDS:
            self.add(_GAPS.get(name, " "))

    def document(self, given_id: str) -> Document:
        """The document that was read."""
        body = "".join(self._parts["text" if "text" in self._parts else "rest"])
        return Document(
            trimmed("".join(self._parts["docno"])) or trimmed(given_id),
            collapsed(unescaped("".join(self._parts["title"]))),
            tidied(unescaped(body)),
        )

    def _now(self) -> str:
        return self._open[-1][1] if self._open else "rest"

    def _opens(self, name: str) -> bool:
        """Whether this tag begins a new kind of text where it stands."""
        kind, now = _KINDS.get(name), self._now()
        if kind is None or kind == now or now in ("docno", "left out"):
            return False
        if kind == "text" and now == "title":
            # The title was not closed.
            self._open.clear()
        if kind == "docno":
            return not self._parts["docno"]
        if kind == "title" and now == "text":
            return not self._titled
        return True


_DOC = re.compile(r"<(/?)doc((?:\s[^<>]*+)?)>", re.IGNORECASE)
# Some files wrap their documents in a root element.
_ANY_TAG = re.compile(r"<[^<>]*+>")
_ID = re.compile(r"\bid\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|(\S+))", re.IGNORECASE)


@dataclass(slots=True)
class _OpenDocument:
    """A document that is being read: where it starts, its tag with an id, its text so far and its length."""

    line: int
    tag: str
    id: str
    parts: list[str] = field(default_factory=list)
    size: int = 0


def trec_documents(lines: Lines, errors: ErrorCollector) -> NumberedDocuments:
    """The documents between `<DOC>` and `</DOC>`, tags in any case and anywhere on a line.

    The docno is that of `<DOCNO>`, or where there is none (as in Gigaword) the id of `<DOC id="...">`. The
    original begins and ends with the two tags.
    """
    document: _OpenDocument | None = None
    outside = False
    for number, line in lines:
        at = 0
        for tag in _DOC.finditer(line) if "<" in line else ():
            if document:
                _take(document, line[at : tag.start()], errors)
            at = tag.end()
            if tag[1]:
                if document:
                    yield document.line, _read(document, tag[0])
                document = None
                continue
            if document:
                message = f"the document of line {document.line} is not closed"
                errors.add(document.line, "unclosed", message, "end every document with </DOC>")
            document = _OpenDocument(number, tag[0], _given_id(tag[2]))
        if document:
            _take(document, line[at:] + "\n", errors)
        elif not outside and (left := _ANY_TAG.sub("", line[at:]).strip()):
            outside = True
            message = f"text outside <DOC>: {shown(left)}"
            errors.add(number, "outside", message, "delete it: TREC files have no text between documents")
    if document:
        message = "the last document is not closed: the file may have been cut"
        errors.add(document.line, "unclosed", message, "end every document with </DOC>")


def _read(document: _OpenDocument, end: str) -> Document:
    inside = "".join(document.parts)
    original = record_original(SGML_TYPE, f"{document.tag}{inside}{end}")
    return replace(sgml_document(inside.replace("\r\n", "\n"), document.id), original=original)


def _take(document: _OpenDocument, text: str, errors: ErrorCollector) -> None:
    before = document.size
    document.size += len(text)
    if document.size <= LINE_LIMIT:
        document.parts.append(text)
    elif before <= LINE_LIMIT:
        message = f"the document is longer than {LINE_LIMIT // 2**20} MiB"
        errors.add(document.line, "too-large", message, "check whether </DOC> is missing")


def _given_id(attributes: str) -> str:
    found = _ID.search(attributes)
    return found[found.lastindex or 0] if found else ""


TREC_SGML = DocumentFormat("trec", "TREC SGML", trec_documents, lambda line: line.startswith("<"))
