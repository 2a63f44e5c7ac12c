"""The documents of a release with what they were read from, as a campaign made of it gets them."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from workbench.errors import WorkbenchError
from workbench.formats.documents_image import image_original
from workbench.formats.documents_pdf import check_installed, pdf_content
from workbench.records import PDF_TYPE, Document, Original
from workbench.releases.contents import ReleaseContents, ReleasedDocument


def released_documents(contents: ReleaseContents) -> tuple[Document, ...]:
    """The documents of a release with their originals, each PDF read once more for the form that is shown.

    Before the transaction of `import_release`: a PDF can take seconds.
    """
    return tuple(
        Document(one.docno, one.title or "", one.text, _original(one))
        for one in contents.documents
        if one.text is not None
    )


def _original(document: ReleasedDocument) -> Original | None:
    """What is known of the bytes that a document was read from, which may not be here."""
    if not document.original:
        return None
    known = Original(
        document.media_type, document.content, document.original, document.address, document.charset
    )
    if document.content is None or known.is_text:
        return known
    # Of what cannot be read, as of a crawl's broken image, the bytes are kept and nothing is shown.
    with suppress(WorkbenchError):
        if document.media_type == PDF_TYPE:
            check_installed()
            pdf = pdf_content(document.docno, document.content, document.address).original
            known = known if pdf is None else replace(known, shown=pdf.shown)
        else:
            image = image_original(document.content, document.address)
            known = replace(known, width=image.width, height=image.height)
    return known
