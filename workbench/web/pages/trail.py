"""Administration: the audit trail, for administrators."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, fields

from flask import Blueprint, render_template, request
from werkzeug.wrappers import Response

from workbench.web.access import administrator
from workbench.web.context import reading
from workbench.web.downloads import attachment, csv_file
from workbench.web.forms import query_text
from workbench.workflow.people.trail import (
    TrailEntry,
    TrailFilter,
    entry_data,
    every_entry,
    last_number,
    trail_entries,
)

blueprint = Blueprint("trail", __name__, url_prefix="/administration")
ON_A_PAGE = 100
COLUMNS = (
    *("entry", "time", "login", "account", "who", "act", "act_name"),
    *("outcome", "campaign", "request", "details", "hash"),
)


@blueprint.get("/trail")
@administrator
def index() -> str:
    """The latest entries that pass the filter; `before` continues at an entry."""
    filters = _filter()
    with reading() as db:
        entries = trail_entries(db, filters, before=request.args.get("before", type=int), most=ON_A_PAGE + 1)
        return render_template(
            "administration/trail.html",
            entries=entries[:ON_A_PAGE],
            more=entries[ON_A_PAGE - 1].number if len(entries) > ON_A_PAGE else None,
            total=last_number(db),
            filters=filters,
            asked={name: value for name, value in asdict(filters).items() if value},
        )


@blueprint.get("/trail.<any(csv, jsonl):kind>")
@administrator
def export(kind: str) -> Response:
    """Every entry that passes the filter, as a file."""
    with reading() as db:
        entries = every_entry(db, _filter())
        if kind == "csv":
            return csv_file(COLUMNS, map(_cells, entries), "trail.csv")
        lines = (json.dumps(entry_data(one), ensure_ascii=True).encode() + b"\n" for one in entries)
        return attachment(lines, "trail.jsonl", kind="application/jsonl")


def _filter() -> TrailFilter:
    return TrailFilter(*(query_text(one.name).strip()[:120] for one in fields(TrailFilter)))


def _cells(entry: TrailEntry) -> Sequence[object]:
    values = entry_data(entry).values()
    return [json.dumps(value) if isinstance(value, dict) else value for value in values]
