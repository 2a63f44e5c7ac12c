"""What documents were read from: kept as it came, and shown where text alone is not the document.

A PDF and an image are shown as files of their own; a page shows the images of the collection that it names.
Each such file has an address made of its SHA-256, which nobody can guess and which says nothing of the docno.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import field
from types import MappingProxyType
from typing import Any

from sqlalchemy import and_, delete, func, insert, or_, select, update
from sqlalchemy.orm import Session, aliased

from workbench.errors import NotFound
from workbench.formats.identifiers import storable
from workbench.formats.text_formats import docno_of
from workbench.formats.web_pages import LONGEST_ADDRESS, image_addresses
from workbench.frozen import frozen_dataclass
from workbench.records import IMAGE_TYPES, PDF_TYPE, Document, Original
from workbench.storage.chunks import chunks
from workbench.storage.tables import OriginalRow

_FOLDER = re.compile(r"[/\\]")


@frozen_dataclass
class ShownFile:
    """A PDF or an image that is shown as it is; `kept` is false where only its hash is known.

    `shows` is false where its bytes are kept and no browser gets them: a PDF or image that could not be read.
    Sizes are in pixels, None for a PDF.
    """

    sha256: str
    media_type: str
    kept: bool
    width: int | None = None
    height: int | None = None
    shows: bool = True

    @property
    def is_image(self) -> bool:
        """Whether it is an image."""
        return self.media_type.startswith(IMAGE_TYPES)


@frozen_dataclass
class ShownForm:
    """What is shown of a document beside its text: its file, and the images of a page by their `src`."""

    file: ShownFile | None = None
    images: Mapping[str, ShownFile] = field(default_factory=lambda: MappingProxyType({}))


NO_FORM = ShownForm()


@frozen_dataclass
class KeptBytes:
    """Bytes with their media type, for sending them."""

    media_type: str
    content: bytes
    charset: str = ""


def original_row(campaign_id: int, document: Document) -> dict[str, Any] | None:
    """The row of a document's original, for `write_originals`; None where there is none."""
    found = document.original
    if found is None:
        return None
    content = found.content
    return {
        "campaign_id": campaign_id,
        "docno": document.docno,
        "media_type": found.media_type,
        "charset": found.charset[:100],
        "address": storable(found.address)[:LONGEST_ADDRESS],
        "sha256": found.sha256,
        "size": None if content is None else len(content),
        "packed": found.is_text and content is not None,
        "content": zlib.compress(content) if found.is_text and content is not None else content,
        "shown": found.shown,
        "width": found.width,
        "height": found.height,
    }


def write_originals(db: Session, campaign_id: int, rows: Collection[Mapping[str, Any]]) -> None:
    """Keep originals instead of those that their documents had; the same bytes are stored once a campaign.

    Others that load documents must wait meanwhile (`collection.count_further`).
    """
    for some in chunks([str(row["docno"]) for row in rows]):
        _pass_on(db, campaign_id, some)
        db.execute(
            delete(OriginalRow).where(OriginalRow.campaign_id == campaign_id, OriginalRow.docno.in_(some))
        )
    stored: set[str] = set()
    for some in chunks(sorted({row["sha256"] for row in rows})):
        chosen = select(OriginalRow.sha256).where(_KEPT, OriginalRow.campaign_id == campaign_id)
        stored.update(db.scalars(chosen.where(OriginalRow.sha256.in_(some))))
    given = []
    for row in rows:
        again = row["content"] is not None and row["sha256"] in stored
        given.append({**row, **(_elsewhere(row) if again else {})})
        if row["content"] is not None:
            stored.add(row["sha256"])
    if given:
        db.execute(insert(OriginalRow), given)


def _elsewhere(row: Mapping[str, Any]) -> dict[str, bytes | None]:
    """What a row holds whose bytes another one has."""
    return {"content": None, "shown": None if row["shown"] is None else b""}


def _pass_on(db: Session, campaign_id: int, docnos: Sequence[str]) -> None:
    """Move the bytes of rows that go to another row that has their hash, where there is one."""
    row, other = OriginalRow, aliased(OriginalRow)
    going = select(row.docno, func.min(other.docno)).where(
        *(_KEPT, row.campaign_id == campaign_id, row.docno.in_(docnos)),
        *(other.campaign_id == campaign_id, other.sha256 == row.sha256, other.docno.not_in(docnos)),
        *(other.content.is_(None), other.size.is_not(None)),
    )
    for docno, next_docno in db.execute(going.group_by(row.docno)).all():
        stored = select(row.packed, row.content, row.shown).where(
            row.campaign_id == campaign_id, row.docno == docno
        )
        chosen = update(row).where(row.campaign_id == campaign_id, row.docno == next_docno)
        db.execute(chosen.values(**db.execute(stored).one()._mapping))


def hashes_of(db: Session, campaign_id: int, docnos: Collection[str]) -> dict[str, str]:
    """The SHA-256 of the originals that are kept, by docno."""
    chosen = select(OriginalRow.docno, OriginalRow.sha256).where(
        OriginalRow.campaign_id == campaign_id, OriginalRow.docno.in_(docnos)
    )
    return dict(db.execute(chosen).all())


def files_of(db: Session, campaign_id: int, docnos: Collection[str]) -> dict[str, ShownFile]:
    """The PDFs and images that are shown of documents, by docno."""
    row = OriginalRow
    columns = (row.docno, row.sha256, row.media_type, row.width, row.height)
    chosen = select(*columns, row.size.is_not(None).label("kept"), _SHOWS.label("shows")).where(
        row.campaign_id == campaign_id, row.docno.in_(docnos)
    )
    found = {}
    for one in db.execute(chosen):
        if _is_file(one.media_type):
            shows = one.shows or not one.kept
            found[one.docno] = ShownFile(one.sha256, one.media_type, one.kept, one.width, one.height, shows)
    return found


def forms_of(db: Session, campaign_id: int, texts: Mapping[str, str]) -> dict[str, ShownForm]:
    """What is shown beside the texts of documents, given by docno; only those that have something."""
    row = OriginalRow
    files = files_of(db, campaign_id, list(texts)).items()
    forms = {docno: ShownForm(one if one.shows else None) for docno, one in files}
    imaged = {docno: text for docno, text in texts.items() if docno not in forms and may_have_images(text)}
    if not imaged:
        return forms
    pages = dict(
        db.execute(
            select(row.docno, row.address).where(row.campaign_id == campaign_id, row.docno.in_(list(imaged)))
        ).all()
    )
    named = {docno: image_addresses(text, pages.get(docno, "")) for docno, text in imaged.items()}
    named_at = {one for addresses in named.values() for one in addresses.values()}
    images = _images_at(db, campaign_id, named_at)
    images |= _figures(db, campaign_id, named_at - images.keys())
    for docno, addresses in named.items():
        shown = {source: images[one] for source, one in addresses.items() if one in images}
        if shown:
            forms[docno] = ShownForm(None, shown)
    return forms


def may_have_images(text: str) -> bool:
    """Whether a text may be a page that names images."""
    return "<im" in text.lower()


def shown_file(db: Session, campaign_id: int, sha256: str) -> KeptBytes:
    """The bytes that a browser gets of a PDF or an image; raises NotFound for any other hash."""
    row = OriginalRow
    found = db.execute(
        select(row.media_type, row.shown, row.content)
        .where(_KEPT, row.campaign_id == campaign_id, row.sha256 == sha256, _SHOWS)
        .limit(1)
    ).first()
    if found is None or not _is_file(found.media_type):
        raise NotFound("there is no such file in this campaign", remedy="open it from its document")
    return KeptBytes(found.media_type, found.shown or found.content)


def originals_of(db: Session, campaign_id: int, docnos: Collection[str]) -> dict[str, Original]:
    """What documents were read from, by docno, without the bytes; those whose bytes are kept."""
    row, holder = OriginalRow, aliased(OriginalRow)
    same = (holder.campaign_id == row.campaign_id) & (holder.sha256 == row.sha256)
    chosen = select(row.docno, row.media_type, row.sha256, row.address, row.charset)
    chosen = chosen.join(holder, same & holder.content.is_not(None))
    found = {}
    for docno, media_type, sha256, address, charset in db.execute(
        chosen.where(row.campaign_id == campaign_id, row.docno.in_(docnos), row.size.is_not(None))
    ):
        found[docno] = Original(media_type, None, sha256, address, charset)
    return found


def original_bytes(db: Session, campaign_id: int, docno: str) -> KeptBytes:
    """The bytes that a document was read from, as they came; raises NotFound where they are not kept."""
    row = OriginalRow
    kind = db.execute(
        select(row.media_type, row.charset, row.sha256).where(
            row.campaign_id == campaign_id, row.docno == docno, row.size.is_not(None)
        )
    ).first()
    if kind is None:
        raise NotFound("the original of this document is not kept", remedy="load the documents again with it")
    found = db.execute(
        select(row.packed, row.content)
        .where(_KEPT, row.campaign_id == campaign_id, row.sha256 == kind.sha256)
        .limit(1)
    ).one()
    content = zlib.decompress(found.content) if found.packed else found.content
    return KeptBytes(kind.media_type, content, kind.charset)


def original_size(db: Session, campaign_id: int, docno: str) -> int | None:
    """The bytes that a document was read from, counted; None where they are not kept."""
    row = OriginalRow
    return db.scalar(select(row.size).where(row.campaign_id == campaign_id, row.docno == docno))


def named_images(documents: Iterable[Document]) -> set[str]:
    """The addresses of the images that pages name."""
    found: set[str] = set()
    for one in documents:
        if one.original is not None and one.original.is_text:
            found.update(image_addresses(one.text, one.original.address).values())
    return found


_KEPT = OriginalRow.content.is_not(None)
# A PDF is never shown as it came, since it may hold what acts; of an image that was read the size is known.
_SHOWS = or_(
    and_(OriginalRow.media_type == PDF_TYPE, OriginalRow.shown.is_not(None)),
    and_(OriginalRow.media_type.startswith(IMAGE_TYPES), OriginalRow.width.is_not(None)),
)


def _is_file(media_type: str) -> bool:
    return media_type == PDF_TYPE or media_type.startswith(IMAGE_TYPES)


def _images_at(db: Session, campaign_id: int, addresses: set[str]) -> dict[str, ShownFile]:
    row = OriginalRow
    found: dict[str, ShownFile] = {}
    for some in chunks(sorted(storable(one) for one in addresses)):
        chosen = select(row.address, row.sha256, row.media_type, row.width, row.height).where(
            row.campaign_id == campaign_id,
            row.address.in_(some),
            row.media_type.startswith(IMAGE_TYPES),
            row.size.is_not(None),
            _SHOWS,
        )
        for address, sha256, media_type, width, height in db.execute(chosen.order_by(row.docno)):
            found.setdefault(address, ShownFile(sha256, media_type, True, width, height))
    return found


def _figures(db: Session, campaign_id: int, names: set[str]) -> dict[str, ShownFile]:
    """The images of the collection by the names that articles give them, with any extension or none."""
    docnos = {name: docno_of(name) for name in names if not _FOLDER.search(name)}
    files: dict[str, ShownFile] = {}
    for some in chunks(sorted(storable(one) for one in set(docnos.values()))):
        files |= files_of(db, campaign_id, some)
    shown = {docno: one for docno, one in files.items() if one.is_image and one.kept and one.shows}
    return {name: shown[docno] for name, docno in docnos.items() if docno in shown}
