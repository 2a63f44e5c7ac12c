"""Judgments of everybody, for organisers: the list, and the table that the import reads."""

from __future__ import annotations

from typing import Any

from flask import Blueprint
from werkzeug.wrappers import Response

from workbench.formats.judgments import write_judgments
from workbench.json_forms import PageJson
from workbench.web.access import here, organiser
from workbench.web.api.cursors import PageQuery, page_of
from workbench.web.api.operations import Text, operation
from workbench.web.context import reading
from workbench.web.downloads import streamed
from workbench.workflow.judging.current_judgments import (
    annotated_judgments,
    current_judgments,
    judgment_json,
)

blueprint = Blueprint("judgments", __name__, url_prefix="/campaigns/<slug>/judgments")
TABLE = "text/tab-separated-values; charset=utf-8"


@blueprint.get("")
@organiser
@operation(PageJson[dict[str, Any]], query=PageQuery)
def index(query: PageQuery) -> PageJson[dict[str, Any]]:
    """List the current judgments with everything recorded beside them, by topic, docno and assessor."""
    with reading() as db:
        found = annotated_judgments(db, here().id)
    return page_of(found, query, key=lambda one: (one.topic, one.docno, one.assessor), form=judgment_json)


@blueprint.get("/all.tsv")
@organiser
@operation(Text(TABLE, "Topic, doc, assessor and grade of each judgment, as the import reads them."))
def table() -> Response:
    """Download every current judgment."""
    with reading() as db:
        found = current_judgments(db, here().id)
    return streamed(iter(write_judgments(found)), f"{here().slug}.judgments.tsv", kind=TABLE)
