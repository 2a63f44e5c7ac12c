"""A PDF as a document: what the browser shows, and beside it the text, for hits, passages, near-duplicates.

Read by pypdf (extra `pdf`): pure Python, maintained; each file in a process of its own (`pdf_process`), which
ends by itself if a file takes too much memory or processor time.
"""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from typing import Any

from workbench.errors import WorkbenchError
from workbench.formats import pdf_process
from workbench.formats.error_collector import ErrorCollector
from workbench.formats.fields import collapsed, tidied
from workbench.formats.source import Peekable
from workbench.formats.text_formats import (
    BinaryDocumentFormat,
    NumberedDocuments,
    docno_of,
    file_name,
    sha256_of,
    whole_file,
)
from workbench.records import PDF_TYPE, Document, Original

INSTALL = "pip install 'ir-workbench[pdf]'"
LONGEST_PDF = 32 * 2**20
"""The largest PDF in bytes, and the largest that is shown."""
LONGEST_TITLE = 1000
# Not of the processor's time: whoever waits for a disk, or for other processes, is no hostile file.
PATIENCE = 4 * pdf_process.SECONDS


def pdf_document(stream: Peekable, errors: ErrorCollector) -> NumberedDocuments:
    """The document that a PDF is: its docno is the file's name without extension, its title the PDF's own.

    Pages are separated by form feeds in the text; a scanned PDF has none. Errors: one that is damaged,
    encrypted, too large, or takes more than the memory and time of `pdf_process`. Raises WorkbenchError
    without the library.
    """
    check_installed()
    content = whole_file(stream, errors, LONGEST_PDF, "the PDF")
    if content is None:
        return
    try:
        yield 1, pdf_content(docno_of(errors.source), content, file_name(errors.source))
    except WorkbenchError as error:
        errors.add(None, "pdf", error.message, error.remedy)


def pdf_content(docno: str, content: bytes, address: str) -> Document:
    """The document that the bytes of a PDF are; `address` is what pages call it.

    Raises WorkbenchError for one that is damaged, encrypted, or takes too much memory or time.
    """
    facts, shown = _read(content)
    text = "\f".join(tidied(page.replace("\0", "\ufffd")) for page in facts["text"].split("\f"))
    if facts["pages"] > facts["read"]:
        text += f"\f[The text of the first {facts['read']:,} of {facts['pages']:,} pages.]"
    title = collapsed(facts["title"].replace("\0", ""))[:LONGEST_TITLE]
    return Document(
        docno, title, text.strip(), Original(PDF_TYPE, content, sha256_of(content), address, shown=shown)
    )


def check_installed() -> None:
    """Raise WorkbenchError without the library."""
    if find_spec("pypdf") is None:
        raise WorkbenchError("reading PDF needs pypdf, which is not installed", remedy=INSTALL)


def _read(content: bytes) -> tuple[dict[str, Any], bytes]:
    """What the process said of a PDF, and the PDF to show; raises WorkbenchError."""
    command = [sys.executable, "-I", pdf_process.__file__]
    try:
        done = subprocess.run(  # noqa: S603 - this program, by its own path
            command, input=content, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=PATIENCE
        )
    except subprocess.TimeoutExpired:
        raise _costly() from None
    line, _, shown = done.stdout.partition(b"\n")
    if done.returncode != 0 or not line:
        raise _costly()
    facts: dict[str, Any] = json.loads(line)
    if "error" in facts:
        raise WorkbenchError(facts["error"], remedy=facts["remedy"])
    if len(shown) > LONGEST_PDF:
        raise WorkbenchError(
            f"the rewritten PDF is larger than {LONGEST_PDF // 2**20} MiB",
            remedy="save it with smaller images",
        )
    # Half a surrogate pair, which a damaged table of characters gives.
    return {
        name: value.encode("utf-8", "replace").decode() if isinstance(value, str) else value
        for name, value in facts.items()
    }, shown


def _costly() -> WorkbenchError:
    message = f"reading the PDF takes more than {pdf_process.SECONDS} s or {pdf_process.MEMORY // 2**30} GiB"
    return WorkbenchError(message, remedy="save it again with another program, or leave it out")


PDF = BinaryDocumentFormat("pdf", "PDF", pdf_document, lambda head: head.startswith(b"%PDF-"))
