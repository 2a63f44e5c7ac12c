"""`workbench search`: a file of documents searched on the command line."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from uuid import uuid4

import click

from workbench.cli.files import open_input
from workbench.cli.output import ALL_DIGITS, flag, printable, say_aside, say_json, setting, text_option
from workbench.figures import counted
from workbench.formats.documents import read_documents
from workbench.records import Document
from workbench.searching.engine import EngineUnavailable, SearchEngine, read_query
from workbench.searching.fragments import Fragment, fragments
from workbench.searching.tantivy_engine import TantivyEngine
from workbench.settings import read_cluster

MOST_HITS = 1000
# Showing each document would take longer than indexing it.
SHOWN_EVERY = 1000


@click.command("search")
@click.argument("docs")
@click.argument("query")
@setting(
    "-n",
    "--limit",
    type=click.IntRange(1, MOST_HITS),
    default=10,
    help="Documents to print.",
)
@flag("--explain", help="What each part of the query adds to the scores.")
@text_option(
    "--opensearch",
    metavar="URL",
    help="Search in an OpenSearch cluster at this address instead of the embedded engine; login and "
    "certificates come from the environment.",
)
@ALL_DIGITS
def command(docs: str, query: str, limit: int, explain: bool, opensearch: str, as_json: bool) -> None:
    """Search DOCS, a file of documents, for QUERY: best documents first, with the sentences that match.

    \b
    word word        documents with more and rarer of the words come first
    "a phrase"       must be there; one word in quotes as well
    -word            must not be there
    title:word       must be in the title
    word*            words that begin so
    a OR b           one of them must be there
    a NEAR/5 b       within 5 words of each other (8 without the number)

    Anything else is a word. What was understood is printed on standard error. The index is made for this one
    search and deleted after it. DOCS is read twice, so it cannot be standard input.
    """
    if docs == "-":
        raise click.UsageError("DOCS is read twice: give a file instead of standard input")
    read = read_query(query)
    with _temporary(opensearch) as engine:
        with open_input(docs) as (stream, source):
            # Without images that only pages show.
            own = (
                one
                for one in read_documents(stream, source=source)
                if one.original is None or not one.original.beside
            )
            engine.index(_with_progress(own))
        results = engine.search(read, limit=limit)
        texts = _texts(docs, {one.docno for one in results.documents})
        parts = {one.docno: engine.explain(read, one.docno) if explain else () for one in results.documents}
        if as_json:
            version = engine.version()
            hits = [
                {
                    "docno": one.docno,
                    "score": one.score,
                    "title": texts[one.docno].title,
                    "fragments": [_fragment(part) for part in fragments(read, texts[one.docno].text)],
                }
                | ({"explanation": [asdict(part) for part in parts[one.docno]]} if explain else {})
                for one in results.documents
            ]
            say_json(
                {
                    "query": read.typed,
                    "understood": read.understood,
                    "engine": str(version),
                    "documents": version.documents,
                    "found": results.total,
                    "hits": hits,
                }
            )
            return
    say_aside(f"{printable(read.understood)}; {results.total:,} found")
    for rank, one in enumerate(results.documents, start=1):
        document = texts[one.docno]
        title = " ".join(document.title.split())
        click.echo(f"{rank}\t{printable(one.docno)}\t{one.score:.4f}\t{printable(title)}")
        for fragment in fragments(read, document.text):
            click.echo(f"\t{printable(_marked(fragment))}")
        for part in parts[one.docno]:
            click.echo(f"\t{part.score:.4f}\t{printable(part.clause)}")


@contextmanager
def _temporary(url: str) -> Iterator[SearchEngine]:
    """An engine whose index is deleted in the end: the embedded one, or of the cluster at this address."""
    cluster = read_cluster(url=url) if url else None
    if cluster is None:
        with tempfile.TemporaryDirectory(prefix="workbench-search-") as folder:
            yield TantivyEngine(Path(folder))
        return
    from workbench.searching.opensearch_engine import OpenSearchEngine

    elsewhere = OpenSearchEngine(cluster, f"{cluster.prefix}-command-{uuid4().hex}")
    try:
        yield elsewhere
    finally:
        # What fails here may not hide why it ends.
        with suppress(EngineUnavailable):
            elsewhere.delete()


def _texts(docs: str, docnos: set[str]) -> Mapping[str, Document]:
    with open_input(docs) as (stream, source):
        return {one.docno: one for one in read_documents(stream, source=source) if one.docno in docnos}


def _with_progress(documents: Iterator[Document]) -> Iterator[Document]:
    if not sys.stderr.isatty():
        yield from documents
        return
    from rich.console import Console

    with Console(stderr=True).status("Indexing") as status:
        for number, one in enumerate(documents, start=1):
            if number % SHOWN_EVERY == 0:
                status.update(f"Indexing: {counted(number, 'document')}")
            yield one


def _marked(fragment: Fragment) -> str:
    """A fragment as a terminal shows it, marked words between asterisks."""
    text = "".join(f"*{piece.text}*" if piece.marked else piece.text for piece in fragment.pieces)
    return f"{'… ' if fragment.cut_before else ''}{text}{' …' if fragment.cut_after else ''}"


def _fragment(one: Fragment) -> dict[str, object]:
    pieces = [piece._asdict() for piece in one.pieces]
    return {"cut_before": one.cut_before, "cut_after": one.cut_after, "pieces": pieces}
