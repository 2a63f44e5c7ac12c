"""Judgments of everybody, for organisers: the list, and the table that the import reads."""

from __future__ import annotations

from dataclasses import field
from typing import BinaryIO

from flask import Blueprint
from werkzeug.wrappers import Response

from workbench.errors import rejected
from workbench.formats.judgments import read_judgments
from workbench.json_forms.collecting import PageJson
from workbench.json_forms.judging import ImportedJson
from workbench.web.access import here, organiser, takes_uploads
from workbench.web.api.cursors import Flag, PageQuery, after_ids, page_of, sent
from workbench.web.api.files import FileName, buffered
from workbench.web.api.operations import Text, operation
from workbench.web.context import app_context, reading, writing
from workbench.web.pages.judgments.judgments import export
from workbench.web.requests import Values
from workbench.workflow.judging.current_judgments import annotated_judgments, judgment_json
from workbench.workflow.judging.importing import GivenJudgments, import_files, imported_json
from workbench.workflow.people.access_tokens import Scope

blueprint = Blueprint("judgments", __name__, url_prefix="/campaigns/<slug>/judgments")
TABLE = "text/tab-separated-values; charset=utf-8"


@sent
class JudgmentsFile:
    """A table of judgments, with the header `topic doc assessor grade`; `machine` names its machines.

    `discussed` answers were given after a discussion: earlier ones stay beside them.
    """

    name: FileName = "judgments.tsv"
    machine: list[str] = field(default_factory=list)
    discussed: Flag = False


@blueprint.post("")
@takes_uploads
@organiser
@operation(list[ImportedJson], scope=Scope.MANAGE, query=JudgmentsFile, takes_file=True)
def load(query: JudgmentsFile, file: BinaryIO) -> list[ImportedJson]:
    """Import judgments made elsewhere; all of them, or none. Importing a file twice adds nothing."""
    # Read before the database is locked: who saves meanwhile must not wait for a long file.
    found = read_judgments(buffered(file), source=query.name)
    unknown = sorted(set(query.machine) - {one.assessor for one in found})
    if unknown:
        raise rejected(
            "machine",
            None,
            "machine",
            f"{unknown[0][:80]!r} is not an assessor in this file",
            "name assessors of the file",
        )
    given = GivenJudgments(found, query.name, set(query.machine), query.discussed)
    database = app_context().database
    return imported_json(import_files(database, here().id, [given], writing=writing))


@blueprint.get("")
@organiser
@operation(PageJson[Values], query=PageQuery)
def index(query: PageQuery) -> PageJson[Values]:
    """List the current judgments with everything recorded beside them, by topic, docno and assessor."""
    begin = after_ids(query, 3)
    with reading() as db:
        found = annotated_judgments(db, here().id, since=begin[0] if begin else None)
        return page_of(found, query, key=lambda one: (one.topic, one.docno, one.assessor), form=judgment_json)


@blueprint.get("/all.tsv")
@organiser
@operation(Text(TABLE, "Topic, doc, assessor and grade of each judgment, as the import reads them."))
def table() -> Response:
    """Download every current judgment."""
    return export()
