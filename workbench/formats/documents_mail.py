"""E-mail: an mbox of messages, or one message by itself, read by the standard library."""

from __future__ import annotations

import re
from collections.abc import Iterator
from email.errors import MessageError
from email.header import decode_header, make_header
from email.message import Message
from email.parser import BytesParser
from email.policy import Compat32
from html import escape

from workbench.formats.error_collector import ErrorCollector
from workbench.formats.fields import collapsed, tidied
from workbench.formats.source import Peekable
from workbench.formats.text_formats import MAIL_TYPE, BinaryDocumentFormat, NumberedDocuments, record_original
from workbench.formats.web_pages import page_text
from workbench.records import Document

LONGEST_MESSAGE = 16 * 2**20
"""The longest message in bytes, attachments included."""

LONGEST_HEADER = 10_000
"""Characters; a longer header, such as one with thousands of receivers, is cut, and says so."""
MOST_NESTED = 100
"""How many parts of a message may have parts themselves."""

_SHOWN = ("From", "To", "Cc", "Date")
_LONGEST_LINE = 2**20
_BEGINS = re.compile(rb"From \S+ .*\d{4}\s*$")
_NESTED = re.compile(rb"^content-type:\s*+multipart/", re.IGNORECASE | re.MULTILINE)
_ESCAPED = re.compile(rb">+From ")
_HEADER = re.compile(
    rb"(?:return-path|received|message-id|from|to|date|delivered-to|mime-version|subject|x-[a-z-]+):",
    re.IGNORECASE,
)
_HAS_ID = re.compile(rb"^message-id:", re.IGNORECASE | re.MULTILINE)


class _CutHeaders(Compat32):
    """The library's policy with headers of bounded length: it takes quadratic time to decode one."""

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        name, value = super().header_source_parse(sourcelines)
        return name, value if len(value) <= LONGEST_HEADER else f"{value[:LONGEST_HEADER]} … (cut)"


_POLICY = _CutHeaders()


def mail_messages(stream: Peekable, errors: ErrorCollector) -> NumberedDocuments:
    """The messages with their numbers from 1; the docno is the `Message-ID` without its angle brackets.

    The title is the subject. The text is sender, receivers, date and the plain text of the message, or its
    HTML where there is no plain text; attachments are named and not read. The original is the message without
    the line that begins it in an mbox, attachments included.
    """
    for number, content in enumerate(_messages(stream), 1):
        if content is None:
            message = f"message {number} is longer than {LONGEST_MESSAGE // 2**20} MiB"
            errors.add(number, "too-large", message, "leave out the message or its attachments")
            continue
        # The library compares every line with all the parts that it stands in.
        if sum(1 for _ in _NESTED.finditer(content)) > MOST_NESTED:
            message = f"message {number} has more than {MOST_NESTED} parts that have parts themselves"
            errors.add(number, "mail", message, "leave out the message or its attachments")
            continue
        try:
            parsed = BytesParser(policy=_POLICY).parsebytes(content)
            docno = collapsed(_header(parsed, "Message-ID")).strip("<>")
            original = record_original(MAIL_TYPE, content)
            document = Document(docno, collapsed(_header(parsed, "Subject")), _text(parsed), original)
        except (MessageError, RecursionError, ValueError, LookupError) as error:
            errors.add(number, "mail", f"message {number} cannot be read: {error}", "leave it out")
            continue
        if docno:
            yield number, document
        else:
            errors.add(number, "id", f"message {number} has no Message-ID", "give every message one")


def _messages(stream: Peekable) -> Iterator[bytes | None]:
    """The bytes of each message of an mbox, or of the only one; None for one that is too long."""
    lines: list[bytes] = []
    size, blank, begun = 0, True, False
    while line := stream.readline(_LONGEST_LINE):
        if blank and _BEGINS.match(line):
            if begun:
                yield b"".join(lines) if size <= LONGEST_MESSAGE else None
            lines, size, begun, blank = [], 0, True, False
            continue
        begun = begun or bool(line.strip())
        blank = not line.strip()
        size += len(line)
        if size <= LONGEST_MESSAGE:
            lines.append(line[1:] if _ESCAPED.match(line) else line)
    if begun:
        yield b"".join(lines) if size <= LONGEST_MESSAGE else None


def _text(message: Message) -> str:
    """What is shown of a message, plain or HTML."""
    heads = [f"{name}: {value}" for name in _SHOWN if (value := collapsed(_header(message, name)))]
    parts = [part for part in message.walk() if not part.is_multipart()]
    attached = [
        part for part in parts if part.get_content_disposition() == "attachment" or part.get_filename()
    ]
    apart = set(map(id, attached))
    bodies = {part.get_content_type(): part for part in reversed(parts) if id(part) not in apart}
    names = [
        f"[Attachment: {collapsed(part.get_filename() or part.get_content_type())}]" for part in attached
    ]
    if "text/plain" in bodies or "text/html" not in bodies:
        body = tidied(_decoded(bodies["text/plain"])) if "text/plain" in bodies else ""
        return "\n\n".join(part for part in ("\n".join(heads), body, "\n".join(names)) if part)
    listed = "".join(f"<p>{escape(line)}</p>\n" for line in names)
    return "".join(f"<p>{escape(line)}</p>\n" for line in heads) + _decoded(bodies["text/html"]) + listed


def _decoded(part: Message) -> str:
    content = part.get_payload(decode=True)
    return page_text(content, part.get_content_charset()) if isinstance(content, bytes) else ""


def _header(message: Message, name: str) -> str:
    value = message.get(name, "")
    try:
        return str(make_header(decode_header(str(value)))).replace("\0", "\ufffd")
    except (LookupError, ValueError, MessageError):
        return str(value)


def _recognised(head: bytes) -> bool:
    first = head.split(b"\n", 1)[0]
    return _BEGINS.match(first) is not None or bool(_HEADER.match(first) and _HAS_ID.search(head))


MAIL = BinaryDocumentFormat("mail", "e-mail (mbox)", mail_messages, _recognised)
