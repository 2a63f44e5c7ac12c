"""The files of documents: a PDF or an image as a page shows it, and what a document was read from.

Nothing in them runs or loads anything: each is sent with `security.FILE_HEADERS`.
"""

from __future__ import annotations

from flask import Blueprint
from werkzeug.wrappers import Response

from workbench.formats.text_formats import JATS_TYPE, MAIL_TYPE, SMART_TYPE, TSV_TYPE
from workbench.web.access import here, member, reader
from workbench.web.context import reading
from workbench.web.downloads import attachment
from workbench.web.forms import sent_id
from workbench.web.security import FILE_HEADERS
from workbench.workflow.campaigns.originals import original_bytes, shown_file
from workbench.workflow.people.roles import Role

blueprint = Blueprint("files", __name__, url_prefix="/c/<slug>/files")
EXTENSIONS = {
    JATS_TYPE: "xml",
    MAIL_TYPE: "eml",
    SMART_TYPE: "txt",
    TSV_TYPE: "tsv",
    "text/plain": "txt",
    "image/jpeg": "jpg",
}
"""How the files of media types end whose name does not say it."""
KEPT_SECONDS = 600
"""So long a browser keeps a file, whose address has its hash: the desk shows it again without asking."""


@blueprint.get("/<string(length=64):sha256>")
@member(Role.ORGANISER, Role.ASSESSOR, Role.ADJUDICATOR, Role.VIEWER)
def shown(sha256: str) -> Response:
    """A PDF or an image of the campaign by its SHA-256, which the pages of its documents name."""
    return shown_bytes(sha256)


def shown_bytes(sha256: str) -> Response:
    """The same of a file that is named; raises NotFound where there is none."""
    with reading() as db:
        found = shown_file(db, here().id, sha256)
    response = Response(found.content, content_type=found.media_type, headers=FILE_HEADERS)
    response.headers["Cache-Control"] = f"private, max-age={KEPT_SECONDS}"
    return response


@blueprint.get("/original")
@reader
def original() -> Response:
    """What a document (`?docno=`) was read from, byte by byte, as a file."""
    return original_file(sent_id("docno"))


def original_file(docno: str) -> Response:
    """The same of a document that is named; raises NotFound where it is not kept."""
    with reading() as db:
        found = original_bytes(db, here().id, docno)
    extension = EXTENSIONS.get(found.media_type) or found.media_type.partition("/")[2].partition("+")[0]
    response = attachment(found.content, f"{docno}.{extension}", kind=found.media_type)
    response.headers["Content-Type"] = "application/octet-stream"
    response.headers["Content-Security-Policy"] = FILE_HEADERS["Content-Security-Policy"]
    return response
