"""Collections of `ir_datasets`: loading one by its id, and how far that is."""

from __future__ import annotations

from dataclasses import dataclass

from flask import Blueprint

from workbench.datasets import DatasetPart
from workbench.errors import NotFound
from workbench.json_forms import DatasetFetchJson
from workbench.web.access import organiser
from workbench.web.api.cursors import FORBID
from workbench.web.api.operations import operation
from workbench.web.collections import AskedCollection, begin_load, chosen_parts, last_load
from workbench.workflow.people.access_tokens import Scope

blueprint = Blueprint("dataset", __name__, url_prefix="/campaigns/<slug>/dataset")


@dataclass(frozen=True, slots=True)
class SentDataset:
    """The id of a collection, such as `cranfield`, and what to load of it.

    `assessor` names whose judgments its qrels become, the id of the collection if empty.
    """

    __pydantic_config__ = FORBID
    dataset: str
    parts: list[DatasetPart]
    assessor: str = ""


@blueprint.get("")
@organiser
@operation(DatasetFetchJson)
def show() -> DatasetFetchJson:
    """Show how far the collection is that is being loaded, or what became of the last one."""
    return _last()


@blueprint.post("")
@organiser
@operation(DatasetFetchJson, scope=Scope.MANAGE, body=SentDataset, status=202)
def load(body: SentDataset) -> DatasetFetchJson:
    """Begin to load parts of a collection; a job goes on with it."""
    begin_load(AskedCollection(body.dataset.strip(), chosen_parts(body.parts), body.assessor.strip()))
    return _last()


def _last() -> DatasetFetchJson:
    found = last_load()
    if found is None:
        raise NotFound("no collection has been loaded", remedy="load one by its id")
    return {
        "dataset": found.arguments["dataset"],
        "parts": found.arguments["parts"],
        "assessor": found.arguments["assessor"],
        "state": str(found.state),
        "done": found.done,
        "total": found.total,
        "message": found.message or found.text,
        "remedy": found.remedy,
    }
