"""Loading the metadata of many runs from one table."""

from __future__ import annotations

from flask import Blueprint, render_template, request, url_for
from werkzeug.wrappers import Response

from workbench.counts import counted
from workbench.errors import Finding, WorkbenchError
from workbench.formats.metadata_table import COLUMNS, MetadataTable, read_metadata_table
from workbench.web.access import here, organiser
from workbench.web.context import writing
from workbench.web.forms import announce, findings_of, sent_files, status_of, with_each
from workbench.web.requests import see_other
from workbench.workflow.runs.metadata_tables import MetadataLoaded, load_metadata

blueprint = Blueprint("records", __name__, url_prefix="/c/<slug>/runs/records")


@blueprint.get("")
@organiser
def table() -> str:
    """How the metadata of many runs are changed at once."""
    return _page(new_groups=False)


@blueprint.post("")
@organiser
def load() -> Response | tuple[str, int]:
    """Load tables of metadata for existing runs; all of it, or nothing."""
    new_groups = "new_groups" in request.form
    try:
        tables = with_each(sent_files(), lambda name, stream: read_metadata_table(stream, source=name))
        with writing() as db:

            def load_one(name: str, table: MetadataTable) -> MetadataLoaded:
                return load_metadata(db, here().id, table, source=name, new_groups=new_groups)

            done = with_each(tables, load_one)
    except WorkbenchError as error:
        return _page(new_groups=new_groups, findings=findings_of(error, "Table")), status_of(error)
    announce([(name, _summary(loaded)) for name, loaded in done])
    return see_other(url_for("runs.index"))


def _page(*, new_groups: bool, findings: tuple[Finding, ...] = ()) -> str:
    return render_template("runs/metadata.html", columns=COLUMNS, new_groups=new_groups, findings=findings)


def _summary(loaded: MetadataLoaded) -> str:
    summary = f"{counted(loaded.rows, 'row')}, {counted(loaded.changed, 'run')} changed"
    if loaded.new_groups:
        summary += f", {counted(len(loaded.new_groups), 'group')} created"
    if loaded.ignored:
        summary += f"; ignored columns: {', '.join(loaded.ignored)}"
    return summary + "."
