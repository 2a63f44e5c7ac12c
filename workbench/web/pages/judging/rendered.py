"""Documents as the desk's JSON has them, rendered once: most of them are shown to several assessors."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from flask import Response

from workbench.storage import Session
from workbench.web.context import app_context
from workbench.web.pages.judging.desk_json import near_json, shown_json
from workbench.workflow.campaigns.originals import NO_FORM, may_have_images
from workbench.workflow.judging.desk_view import PlacedDocument
from workbench.workflow.judging.documents_ahead import AheadDocument, documents_to_show


def ahead_response(db: Session, campaign_id: int, ahead: Sequence[AheadDocument]) -> Response:
    """The response that brings documents, each rendered where it is not known."""
    kept = app_context().rendered
    known = {one.docno: kept.get((one.docno, one.sha256)) for one in ahead}
    lacking = [one for one in ahead if known[one.docno] is None]
    for document in documents_to_show(db, campaign_id, lacking):
        text = json.dumps(shown_json(document))
        # What is shown beside a text is the campaign's: files, and images that may be loaded later.
        if document.form == NO_FORM and not may_have_images(document.text):
            kept.put((document.docno, document.sha256), text)
        known[document.docno] = text
    return _response(_placed(known[one.docno] or "{}", one) for one in ahead)


def placed_response(placed: Iterable[PlacedDocument]) -> Response:
    """The same response from documents with their texts."""
    return _response(_placed(json.dumps(shown_json(one.document)), one) for one in placed)


def _response(documents: Iterable[str]) -> Response:
    return Response(f'{{"documents":[{",".join(documents)}]}}\n', mimetype="application/json")


def _placed(shown: str, one: AheadDocument | PlacedDocument) -> str:
    """A rendered document with what differs from topic to topic."""
    return f'{shown[:-1]},"position":{one.position},"near":{json.dumps(near_json(one.near))}}}'
