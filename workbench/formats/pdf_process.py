"""The program that reads one PDF, in a process of its own with bounded memory and processor time.

`documents_pdf` starts it: a PDF on standard input, on standard output a line of JSON and then the PDF that
browsers are given. It needs pypdf and nothing of Workbench, so that it starts fast and can be confined.

What is shown is written anew from what was understood: of every page its content, links within the document
and to addresses. Scripts, actions (launching programs, sending forms, opening other files), embedded files,
sounds, films and forms of XFA are not written. So a PDF that two programs read differently is shown as it was
read here.
"""

from __future__ import annotations

import io
import json
import logging
import sys
from typing import Any

MOST_PAGES = 1_000
"""So many pages are read for their text; all of them are shown."""
MOST_CHARACTERS = 4_000_000
MOST_OBJECTS = 500_000
SECONDS = 30
MEMORY = 2**30

# What acts, or carries what is no page. Everything under these keys is left out, wherever it stands.
_REMOVED = (
    "/AA /OpenAction /JS /JavaScript /EmbeddedFiles /EF /AF /RichMediaContent /RichMediaSettings /XFA "
    "/Collection /Renditions /SpiderInfo /URLS /IDS /OPI /PieceInfo /Requirements /Perms"
)
REMOVED = frozenset(_REMOVED.split())
# A stream whose data is in another file, or that imports another document's page.
REMOVED_FROM_STREAMS = frozenset(("/F", "/FFilter", "/FDecodeParms", "/Ref"))
ACTIONS = frozenset(("/GoTo", "/URI"))
"""The actions that stay: going to a page, and links, which open nothing until somebody follows them."""
ANNOTATIONS = frozenset(("/FileAttachment", "/RichMedia", "/Movie", "/Sound", "/Screen", "/3D"))
"""The annotations that go."""


class Unread(Exception):
    """A PDF that is not read: what is wrong, and what to do."""


def read_pdf(content: bytes) -> tuple[dict[str, Any], bytes]:
    """The title, the text page by page (`\\f` between two) and the numbers of pages; and the PDF to show.

    Raises Unread for one that is encrypted or cannot be read.
    """
    from pypdf import PdfReader

    reader = PdfReader(io.BytesIO(content), strict=False)
    if reader.is_encrypted:
        raise Unread("the PDF is encrypted", "save it without a password")
    pages = len(reader.pages)
    if pages == 0:
        raise Unread("the PDF has no pages", "save it again with another program")
    texts, length = [], 0
    for page in reader.pages[:MOST_PAGES]:
        try:
            text = page.extract_text()
        except (RecursionError, MemoryError):
            raise
        except Exception:  # noqa: BLE001 - a page that cannot be read is shown all the same
            text = ""
        texts.append(text[: MOST_CHARACTERS - length])
        length += len(texts[-1])
    title = reader.metadata.title if reader.metadata is not None else None
    facts = {"pages": pages, "read": len(texts), "title": title or "", "text": "\f".join(texts)}
    return facts, _shown(reader)


def _shown(reader: Any) -> bytes:
    """The document written anew, without what acts."""
    from pypdf import PdfWriter

    writer = PdfWriter(clone_from=reader)
    for one in list(writer._objects):
        _without_actions(one)
    for page in writer.pages:
        annotations = page.get("/Annots")
        annotations = annotations.get_object() if annotations is not None else None
        if isinstance(annotations, list):
            kept = [one for one in annotations if not _is_removed(one.get_object())]
            if len(kept) < len(annotations):
                annotations[:] = kept
    writer.compress_identical_objects(remove_duplicates=False, remove_unreferenced=True)
    written = io.BytesIO()
    writer.write(written)
    return written.getvalue()


def _is_removed(annotation: Any) -> bool:
    return not isinstance(annotation, dict) or annotation.get("/Subtype") in ANNOTATIONS


def _without_actions(begin: Any) -> None:
    """Remove from an object, and from all that stands in it directly, whatever acts."""
    from pypdf.generic import StreamObject

    waiting, seen = [begin], 0
    while waiting:
        one = waiting.pop()
        seen += 1
        if seen > MOST_OBJECTS:
            raise Unread("the PDF has an object with too many parts", "save it again with another program")
        if isinstance(one, dict):
            gone = [key for key in one if key in REMOVED]
            if isinstance(one, StreamObject):
                gone += [key for key in one if key in REMOVED_FROM_STREAMS]
            for name in ("/A", "/PA"):
                action = one.get(name)
                action = action.get_object() if action is not None else None
                if isinstance(action, dict) and "/S" in action:
                    dict.pop(action, "/Next", None)
                    if action.get("/S") not in ACTIONS:
                        gone.append(name)
            for key in gone:
                dict.pop(one, key, None)
            waiting.extend(dict.values(one))
        elif isinstance(one, list):
            waiting.extend(list.__iter__(one))


def confine() -> None:
    """Bound memory and processor time of this process, where the system can."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def main() -> None:
    """Read the PDF on standard input."""
    confine()
    logging.disable()
    shown = b""
    try:
        facts, shown = read_pdf(sys.stdin.buffer.read())
    except Unread as error:
        facts = {"error": error.args[0], "remedy": error.args[1]}
    except MemoryError:
        facts = {"error": "the PDF needs too much memory", "remedy": "save it again with another program"}
    except RecursionError:
        facts = {"error": "the PDF is nested too deeply", "remedy": "save it again with another program"}
    except Exception as error:  # noqa: BLE001 - whatever a damaged file makes of the library
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        facts = {"error": f"the PDF is damaged: {reason}", "remedy": "save it again with another program"}
    sys.stdout.buffer.write(json.dumps(facts).encode() + b"\n" + shown)


if __name__ == "__main__":
    main()
