"""What runs must keep to: documents a topic, how findings are treated, which documents exist."""

from __future__ import annotations

from dataclasses import dataclass
from typing import BinaryIO

from flask import Blueprint
from typing_extensions import TypedDict

from workbench.formats.run_rules import CODES, Treatment, changed_rules
from workbench.json_forms import ListedDocuments, RunRulesJson, filled
from workbench.storage import Session
from workbench.web.access import here, organiser, takes_uploads, viewer
from workbench.web.api.cursors import FORBID, Whole
from workbench.web.api.files import FileName, buffered
from workbench.web.api.operations import operation
from workbench.web.context import reading, writing
from workbench.workflow.people.access_tokens import Scope
from workbench.workflow.runs.run_rules import (
    collection_list,
    keep_list,
    keep_rules,
    read_list,
    remove_list,
    rules_of,
)

blueprint = Blueprint("run_rules", __name__, url_prefix="/campaigns/<slug>/run-rules")


class RunRulesChange(TypedDict, total=False):
    """What is to be changed; codes that are not named stay as they are."""

    __pydantic_config__ = FORBID  # type: ignore[misc]  # as pydantic's documentation does
    max_per_topic: Whole | None
    codes: dict[str, Treatment]


@dataclass(frozen=True, slots=True)
class DocnosFile:
    """A file of docnos, one a line."""

    __pydantic_config__ = FORBID
    name: FileName = "docnos.txt"


@blueprint.get("")
@organiser
@operation(RunRulesJson)
def show() -> RunRulesJson:
    """Show the rules for runs."""
    with reading() as db:
        return _rules(db)


@blueprint.patch("")
@organiser
@operation(RunRulesJson, scope=Scope.MANAGE, body=RunRulesChange)
def change(body: RunRulesChange) -> RunRulesJson:
    """Change the rules; they apply to files checked from now on."""
    with writing() as db:
        now = rules_of(db, here().id)
        most = body.get("max_per_topic", now.max_per_topic)
        keep_rules(db, here().id, changed_rules(now, body.get("codes", {}).items(), max_per_topic=most))
        return _rules(db)


@blueprint.post("/documents")
@takes_uploads
@organiser
@operation(RunRulesJson, scope=Scope.MANAGE, query=DocnosFile, takes_file=True)
def load(query: DocnosFile, file: BinaryIO) -> RunRulesJson:
    """Set the list of docnos from the body, plain or gzip, in the place of the one there is."""
    found = read_list(query.name, buffered(file))
    with writing() as db:
        keep_list(db, here().id, found, added_by=viewer().id)
        return _rules(db)


@blueprint.delete("/documents")
@organiser
@operation(None, scope=Scope.MANAGE)
def remove() -> None:
    """Remove the list of docnos; documents of runs are no longer checked."""
    with writing() as db:
        remove_list(db, here().id)


def _rules(db: Session) -> RunRulesJson:
    rules, listed = rules_of(db, here().id), collection_list(db, here().id)
    return {
        "max_per_topic": rules.max_per_topic,
        "codes": {name: rules.of(name).value for name in CODES},
        "documents": None if listed is None else filled(ListedDocuments, listed),
    }
