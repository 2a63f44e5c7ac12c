"""No file makes a recogniser or a reader take long: the time grows with the length of what a stranger sends.

The formats come from the registries and the readers from the package, so that a new one is tried by itself.
"""

from __future__ import annotations

import contextlib
import importlib
import inspect
import io
import pkgutil
import time
from collections.abc import Callable, Iterator
from functools import partial

import pytest

import workbench.formats
from workbench.errors import InvalidInput
from workbench.formats.documents import DOCUMENT_FORMATS, read_documents
from workbench.formats.judgments import group_names
from workbench.formats.packed_lines import NotUnderstood
from workbench.formats.recognition import recognised
from workbench.formats.text_formats import DocumentFormat, file_name
from workbench.formats.topics import TOPIC_FORMATS, read_topics
from workbench.formats.web_pages import image_addresses, page_text, page_title
from workbench.learning.vectors import words
from workbench.pooling.near_duplicate_documents import differences, sketch
from workbench.pooling.sampling import accept_strata
from workbench.searching.analysis import plain_text, terms
from workbench.searching.engine import read_query
from workbench.searching.fragments import fragments, marked_title
from workbench.web.chunking import longest_text
from workbench.web.rendering import plain_words, render_document
from workbench.workflow.people.accounts import password_findings

SIZE = 40_000
SECONDS = 1.0
"""Of the processor, so that it does not matter what else the machine does; each takes far less."""

PIECES = (
    *(
        "<!---->",
        "<!--",
        "<?xml ?>",
        "<x ",
        "<",
        ">",
        "<a>",
        "</a>",
        "<img aaaa",
        "<meta charset=",
        "<title>",
    ),
    *("<hl></hl>", "<DOC>", "</DOC>", "<top>", "<num>", "<text><title>", "<![CDATA["),
    *(".", ". ", "1", "1.", "1 ", "0", "a", "a ", "a.", " ", "\n", "\t", "\r", "\n ", "\n.I ", "/", "\\"),
    *('"', "'", '""', "(", "[", "{", '{"a":', "[[", '\\"', ";", ":", ",", "=", "-", "@", "a@", "a@a."),
    *("=?utf-8?q?a?= ", "From a 1 ", "From a 1111\n", "a: b\n", "&", "&#9", "&#x9", "&a", "&#9;", "\u00e9"),
)
HOSTILE = {piece: piece * (SIZE // len(piece)) for piece in PIECES}
HOSTILE |= {f"{opening}…": opening + "9" * SIZE for opening in ("&#", "&#x", "<title>&#", "<img src=&#", ".")}
HOSTILE |= {
    f"<img {piece!r}": f"<img {piece * (SIZE // len(piece))}" for piece in ("a", " ", "a=", "a ", "a='")
}

# What is before and after a long text, so that a reader comes to it.
OPENINGS = (
    ("<DOC><DOCNO>1</DOCNO><TEXT>", "</TEXT></DOC>\n"),
    ("<DOC id=", "></DOC>\n"),
    ("<top><num>1<title>", "</top>\n"),
    ("<topics><topic number='1'><query>", "</query></topic></topics>\n"),
    ('{"id": "1", "title": "a", "text": "', '"}\n'),
    ('{"id": ', "}\n"),
    ("Message-ID: <1@x>\nSubject: ", "\n\nx\n"),
    ('Message-ID: <1@x>\nContent-Type: text/plain; a="', '"\n\nx\n'),
    ("1 Q0 d 1 ", "x tag\n"),
    ("", " Q0 d 1 1 tag\n"),
    ("1 0 d ", "\n"),
    ("1\t", "\n"),
    ("topic\tdoc\tassessor\tgrade\n1\td\ta\t", "\n"),
    (".I 1\n.T\n", "\n"),
)
INSIDE = ("1", " ", "a ", ".", "<!---->", "<img aaaa", "=?utf-8?q?a?= ", ";", "&#9", "&a;", "<hl></hl>")


def readers() -> Iterator[tuple[str, Callable[[io.BytesIO], object]]]:
    """Every public function of the package that reads a stream of a named source, and every format."""
    for found in pkgutil.iter_modules(workbench.formats.__path__):
        module = importlib.import_module(f"workbench.formats.{found.name}")
        for name, function in inspect.getmembers(module, inspect.isfunction):
            parameters = list(inspect.signature(function).parameters.values())
            needed = {one.name for one in parameters if one.default is inspect.Parameter.empty}
            own = function.__module__ == module.__name__ and not name.startswith("_")
            if own and needed == {"stream", "source"}:
                yield f"{found.name}.{name}", partial(function, source="f")
    for name in TOPIC_FORMATS:
        yield f"topics {name}", partial(read_topics, source="f", format=name)
    # Not PDF: each file takes a process of its own, which has a limit.
    for name in DOCUMENT_FORMATS:
        if name != "pdf":
            yield f"documents {name}", partial(read_documents, source="f", format=name)


READERS = dict(readers())


def take(read: Callable[[], object]) -> None:
    """Read to the end what may come one by one, within the time."""
    begun = time.process_time()
    with contextlib.suppress(InvalidInput, NotUnderstood):
        found = read()
        if isinstance(found, Iterator):
            for _ in found:
                pass
    assert time.process_time() - begun < SECONDS


def test_the_readers_are_found() -> None:
    assert {"runs.read_run", "qrels.read_qrels", "judgments.read_judgments", "topics.read_topics"} <= set(
        READERS
    )
    assert {"documents mail", "topics trec"} <= set(READERS)


@pytest.mark.parametrize("reader", READERS)
def test_a_reader_takes_linear_time(reader: str) -> None:
    for text in HOSTILE.values():
        take(partial(READERS[reader], io.BytesIO(text.encode())))
    for before, after in OPENINGS:
        for piece in INSIDE:
            content = f"{before}{piece * (SIZE // 4 // len(piece))}{after}".encode()
            take(partial(READERS[reader], io.BytesIO(content)))


def test_a_recogniser_takes_linear_time() -> None:
    for text in HOSTILE.values():
        head = text.encode()
        take(partial(recognised, head))
        for form in (*DOCUMENT_FORMATS.values(), *TOPIC_FORMATS.values()):
            if isinstance(form, DocumentFormat):
                take(partial(form.recognises, text))
            else:
                take(partial(form.recognises, head))


QUERY = read_query('a NEAR a a NEAR/9 x "a a a" aa* ' + "a " * 900)
# What else looks at the text of a document, a name, or what is typed.
OTHERS: dict[str, Callable[[str], object]] = {
    "page text": lambda text: page_text(text.encode()),
    "page title": page_title,
    "images": image_addresses,
    "file name": file_name,
    "plain text": plain_text,
    "terms": terms,
    "words": words,
    "sketch": sketch,
    "differences": lambda text: differences(text, text[1:]),
    "fragments": lambda text: fragments(QUERY, text),
    "title": lambda text: marked_title(QUERY, text),
    "query": read_query,
    "page": render_document,
    "line": plain_words,
    "longest text": longest_text,
    "password": lambda text: password_findings(text[:1000]),
}


@pytest.mark.parametrize("name", OTHERS)
def test_what_looks_at_a_text_takes_linear_time(name: str) -> None:
    for text in HOSTILE.values():
        take(partial(OTHERS[name], text[:50_000]))


def test_strata_and_names_take_linear_time() -> None:
    take(lambda: group_names([f"a{' ' * n}b" for n in range(10_000)]))
    with pytest.raises(ValueError, match="is not from:to:rate"):
        take(lambda: accept_strata(f"1:2:{'1' * SIZE}x"))
