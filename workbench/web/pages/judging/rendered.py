"""Documents as the desk's JSON has them, rendered once: most of them are shown to several assessors."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from jinja2 import Environment

from workbench.storage import Session
from workbench.web.pages.judging.desk_json import near_json, shown_json
from workbench.web.rendered_documents import RenderedDocuments
from workbench.workflow.campaigns.originals import NO_FORM, may_have_images
from workbench.workflow.judging.desk_view import PlacedDocument
from workbench.workflow.judging.documents_ahead import AheadDocument, documents_to_show


@dataclass(frozen=True, slots=True)
class DocumentsRenderer:
    """What makes the JSON of documents: templates, and what was rendered before."""

    templates: Environment
    kept: RenderedDocuments

    def ahead(self, db: Session, campaign_id: int, ahead: Sequence[AheadDocument]) -> str:
        """The JSON that brings documents, each rendered where it is not known."""
        known = {one.docno: self.kept.get((one.docno, one.sha256)) for one in ahead}
        lacking = [one for one in ahead if known[one.docno] is None]
        for document in documents_to_show(db, campaign_id, lacking):
            # What is shown beside a text is the campaign's: files, and images that may be loaded later.
            alone = document.form == NO_FORM and not may_have_images(document.text)
            text = json.dumps(shown_json(self.templates, document))
            if alone:
                self.kept.put((document.docno, document.sha256), text)
            known[document.docno] = text
        return _documents(_placed(known[one.docno] or "{}", one) for one in ahead)

    def placed(self, placed: Iterable[PlacedDocument]) -> str:
        """The same JSON from documents with their texts."""
        return _documents(
            _placed(json.dumps(shown_json(self.templates, one.document)), one) for one in placed
        )


def _documents(each: Iterable[str]) -> str:
    return f'{{"documents":[{",".join(each)}]}}\n'


def _placed(shown: str, one: AheadDocument | PlacedDocument) -> str:
    """A rendered document with what differs from topic to topic."""
    return f'{shown[:-1]},"position":{one.position},"near":{json.dumps(near_json(one.near))}}}'
