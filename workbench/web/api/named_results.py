"""Results by name: the tables that pages offer as files, from the same functions and with the same rights."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from math import isfinite
from typing import Any

from flask import Blueprint, current_app, request
from werkzeug.wrappers import Response

from workbench.errors import Finding, InvalidInput, NotAllowed, NotFound
from workbench.json_forms import (
    NamedResultJson,
    NamedResultsJson,
    ResultOptionJson,
    ResultProgressJson,
    ResultTableJson,
    filled,
)
from workbench.web.access import here, reader
from workbench.web.api.cursors import FORBID, Flag
from workbench.web.api.operations import JSON as JSON_TYPE
from workbench.web.api.operations import Schema, TableOrFile, operation
from workbench.web.result_columns import column_json
from workbench.web.results import (
    CSV,
    JSON,
    CampaignResult,
    MadeResult,
    OfferedResult,
    StillComputing,
    offered_results,
    result_file,
)

blueprint = Blueprint("results", __name__, url_prefix="/campaigns/<slug>/results")
AGAIN_SECONDS = 1
FILES = {
    "text/csv": "The table as JSON, or in another of its formats: as CSV,",
    "application/x-tex": "as LaTeX,",
    "text/plain": "as text,",
    "text/markdown": "as Markdown,",
    "text/tab-separated-values": "or as text between tabs.",
}


@dataclass(frozen=True, slots=True)
class ResultQuery:
    """The `format`, and as parameters of their own the options that the list of results has for this one.

    Without a format the field `Accept` chooses between JSON and CSV. JSON with `data` has the whole of the
    JSON that the page offers as well. Ids are encoded as in paths.
    """

    __pydantic_config__ = FORBID
    format: str = ""
    data: Flag = False
    options: dict[str, list[str]] = field(default_factory=dict)


@blueprint.get("")
@reader
@operation(NamedResultsJson)
def index() -> NamedResultsJson:
    """List the results that are open to you, each with its options and formats."""
    return {"results": [_listed(one.stated) for one in offered_results(current_app).values() if _opens(one)]}


@blueprint.get("/<name>")
@reader
@operation(
    TableOrFile(Schema(ResultTableJson), Schema(ResultProgressJson), FILES),
    query=ResultQuery,
)
def table(name: str, query: ResultQuery) -> Response | ResultTableJson:
    """Show a result: as JSON with its columns, rows and what they are about, or as a file.

    Long computations take several requests: as long as one is not done the status is 202, and `Retry-After`
    says when to ask again.
    """
    offered = _offered(name)
    stated = offered.stated
    _check(stated, query)
    form = _format(stated, query)
    try:
        made = offered.make(**_parts(stated))
    except StillComputing as computing:
        return _progress(name, computing)
    return _table(stated, query, made) if form == JSON else result_file(made, form)


def _offered(name: str) -> OfferedResult:
    found = offered_results(current_app).get(name)
    if found is None:
        raise NotFound(f"there is no result {name!r}", remedy="see the list of results")
    if not _opens(found):
        remedy = f"it requires one of the roles {', '.join(sorted(found.roles))}"
        raise NotAllowed("your role in this campaign does not give access to this result", remedy=remedy)
    return found


def _opens(offered: OfferedResult) -> bool:
    return bool(offered.roles & here().roles)


def _listed(stated: CampaignResult) -> NamedResultJson:
    options = [filled(ResultOptionJson, one) for one in stated.options]
    return filled(NamedResultJson, stated, options=options)


def _check(stated: CampaignResult, query: ResultQuery) -> None:
    """Raises InvalidInput with everything that is wrong with the options."""
    known = {one.name: one for one in stated.options}
    findings = []
    for name, values in query.options.items():
        option = known.get(name)
        if option is None:
            remedy = f"it has {', '.join(known)}" if known else "it has none"
            findings.append(_finding(name, "unknown-parameter", "this result has no such option", remedy))
            continue
        if len(values) > 1 and not option.several:
            findings.append(_finding(name, "repeated-parameter", "it is given twice", "give it once"))
        wrong = [one for one in values if option.values and one not in option.values]
        if wrong:
            remedy = f"one of {', '.join(option.values)}"
            findings.append(_finding(name, "option", f"it cannot be {wrong[0][:80]!r}", remedy))
    if findings:
        raise InvalidInput(findings)


def _finding(place: str, code: str, message: str, remedy: str) -> Finding:
    return Finding(place[:80], None, code, message, remedy)


def _format(stated: CampaignResult, query: ResultQuery) -> str:
    """The format that is asked for: by name, else by the field `Accept`, else the first one."""
    if query.format:
        if query.format not in stated.formats:
            remedy = f"one of {', '.join(stated.formats)}"
            message = f"it cannot be {query.format[:80]!r}"
            raise InvalidInput([_finding("format", "format", message, remedy)])
        return query.format
    accepted = request.accept_mimetypes
    as_csv = CSV in stated.formats and accepted["text/csv"] > accepted[JSON_TYPE]
    return CSV if as_csv else stated.formats[0]


def _parts(stated: CampaignResult) -> dict[str, Any]:
    """What the page has in its path: an option of a few values is the first of them unless it is given."""
    found = {}
    for option in stated.options:
        if option.part:
            given = request.args.get(option.name) or next(iter(option.values), "")
            found[option.part] = option.read(given)
    return found


def _progress(name: str, computing: StillComputing) -> Response:
    found = filled(ResultProgressJson, computing, name=name)
    response = Response(json.dumps(found), 202, content_type=JSON_TYPE)
    response.headers["Retry-After"] = str(AGAIN_SECONDS)
    return response


def _table(stated: CampaignResult, query: ResultQuery, made: MadeResult) -> ResultTableJson:
    export = made.export
    if export is None:
        raise ValueError(f"{stated.name} has no table")
    data = export.data()
    about = dict(_scalars(data)) if isinstance(data, Mapping) else {}
    return filled(
        ResultTableJson,
        stated,
        options=query.options,
        columns=[column_json(stated.name, one) for one in export.columns],
        rows=[[_cell(one) for one in row] for row in export.rows()],
        about=about | {name: _plain(one) for name, one in made.about.items()},
        data=json.loads(export.json()) if query.data else None,
    )


def _scalars(data: Mapping[Any, Any]) -> Iterator[tuple[str, Any]]:
    """What the data of a result says of all its rows: numbers and words, and groups of nothing else."""
    for name, value in data.items():
        of = value.values() if isinstance(value, Mapping) else (value,)
        if not any(isinstance(one, Mapping | list | tuple | set | frozenset) for one in of):
            yield str(name), _plain(value)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(name): _cell(one) for name, one in value.items()}
    return _cell(value)


def _cell(value: Any) -> str | float | bool | None:
    """A cell as JSON has it: a number that is none is null, a moment or a set of names is a text."""
    if isinstance(value, Enum):
        value = value.value
    if value is None or isinstance(value, str | bool | int):
        return value
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float):
        return value if isfinite(value) else None
    return value if isinstance(value, bool | int) else str(value)
