"""The OpenAPI 3.1 document of the API, generated from the operations that views state.

Decision: the types of pydantic and this module, no framework. apiflask and flask-smorest would bring
marshmallow's schemas beside our typed records, and their own guards beside `access`; spectree has no types
for mypy. Pydantic reads our dataclasses and writes JSON Schema 2020-12, which is what OpenAPI 3.1 uses, so
that only paths are left to be put together.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from inspect import cleandoc
from typing import Any, get_args, get_origin

from flask import Blueprint, Flask, current_app
from pydantic import TypeAdapter
from typing_extensions import TypedDict
from werkzeug.routing import Rule
from werkzeug.wrappers import Response

from workbench import __version__
from workbench.web.access import Who, access_of, anyone
from workbench.web.api.operations import (
    IDEMPOTENCY_KEY,
    JSON,
    Operation,
    Schema,
    Text,
    operation_of,
)
from workbench.web.context import context_of
from workbench.web.errors import CONTENT_TYPE
from workbench.web.requests import LARGEST
from workbench.workflow.releases.making import FindingJson

REFERENCE = "#/components/schemas/{model}"
FILE = "application/octet-stream"
_ARGUMENT = re.compile(r"<(?:(?P<kind>[a-z]+)(?:\([^)]*\))?:)?(?P<name>\w+)>")
_IN_PATH: Mapping[str | None, Mapping[str, Any]] = {
    "int": {"type": "integer", "minimum": 0, "maximum": LARGEST}
}
_TEXTS = {"type": "object", "additionalProperties": {"type": "string"}}
_PROBLEMS = {
    401: "There is no valid token.",
    403: "The token lacks the scope, or its owner the role.",
    404: "The resource does not exist, or this person may not see it.",
    408: "The body arrived too slowly.",
    409: "The request conflicts with what is stored.",
    411: "The length of the body is not stated.",
    413: "The body is too large.",
    415: "The body has another content type.",
    422: "The input was rejected; `findings` has every error with its code.",
    503: "The server is busy; `Retry-After` says when to try again.",
}
_ABOUT = """What the pages of Workbench show and change, for programs.

Send a personal access token as `Authorization: Bearer TOKEN`. It has its owner's rights at the time of the
call, limited to its scopes. Lists come in pages: pass `next` as `cursor`. A POST with an
`Idempotency-Key` is done once: sent again within a day, it gets the same answer. Errors are
`application/problem+json` (RFC 9457)."""


class ProblemJson(TypedDict):
    """An error, in the form of RFC 9457; `findings` name each error of a rejected input."""

    type: str
    title: str
    status: int
    detail: str
    remedy: str
    findings: list[FindingJson]
    request: str


def openapi_document(app: Flask) -> dict[str, Any]:
    """The whole document; the same for everybody."""
    found = sorted(_operations(app), key=lambda one: one[0].rule)
    schemas: dict[str, Any] = {}
    paths: dict[str, dict[str, Any]] = {}
    for rule, method, stated in found:
        path = _ARGUMENT.sub(r"{\g<name>}", rule.rule)
        paths.setdefault(path, {})[method.lower()] = _operation(app, rule, method, stated, schemas)
    _schema(Schema(ProblemJson), schemas)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Workbench", "version": __version__, "description": _ABOUT},
        "servers": [{"url": f"{context_of(app).settings.prefix}/"}],
        "security": [{"token": []}],
        # In the order in which a campaign goes.
        "tags": [{"name": name} for name in dict.fromkeys(_tag(rule) for rule, _, _ in _operations(app))],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operations(app: Flask) -> Iterator[tuple[Rule, str, Operation]]:
    for rule in app.url_map.iter_rules():
        stated = operation_of(app, rule.endpoint)
        if stated is not None:
            for method in sorted((rule.methods or set()) - {"HEAD", "OPTIONS"}):
                yield rule, method, stated


def _tag(rule: Rule) -> str:
    return str(rule.endpoint).split(".")[1].replace("_", " ")


def _operation(
    app: Flask, rule: Rule, method: str, stated: Operation, schemas: dict[str, Any]
) -> dict[str, Any]:
    view = app.view_functions[rule.endpoint]
    summary, _, more = cleandoc(view.__doc__ or "").partition("\n\n")
    parameters = list(_path_parameters(rule))
    if stated.query is not None:
        parameters += _query_parameters(stated.query, schemas)
    if method == "POST":
        parameters.append(
            {
                "name": IDEMPOTENCY_KEY,
                "in": "header",
                "required": False,
                "description": "Under the same key a request is done once; kept for a day.",
                "schema": {"type": "string", "pattern": "^[!-~]{1,100}$"},
            }
        )
    found: dict[str, Any] = {
        "operationId": ".".join(rule.endpoint.split(".")[1:]),
        "tags": [_tag(rule)],
        "summary": " ".join(summary.split()),
        "description": f"{more}\n\n{_rights(app, rule, stated)}".strip(),
        "parameters": parameters,
        "responses": {
            str(stated.status): _answer(stated, schemas),
            **_failures(rule, stated),
        },
    }
    if stated.body is not None:
        content = {JSON: {"schema": _schema(stated.body, schemas)}}
        found["requestBody"] = {"required": True, "content": content}
    elif stated.takes_file:
        content = {FILE: {"schema": {"type": "string", "format": "binary"}}}
        found["requestBody"] = {"required": True, "content": content}
    return found


def _rights(app: Flask, rule: Rule, stated: Operation) -> str:
    """Whom the address opens to, in words."""
    access = access_of(app, rule.endpoint)
    if access is None or access.who is Who.ANYONE:
        return ""
    scope = f"Scope `{stated.scope}`"
    if access.who is Who.MEMBER:
        return f"{scope}; roles: {', '.join(sorted(access.roles))}."
    return f"{scope}; administrators." if access.who is Who.ADMINISTRATOR else f"{scope}."


def _path_parameters(rule: Rule) -> Iterator[dict[str, Any]]:
    for found in _ARGUMENT.finditer(rule.rule):
        schema = _IN_PATH.get(found["kind"], {"type": "string", "minLength": 1})
        yield {"name": found["name"], "in": "path", "required": True, "schema": schema}


def _query_parameters(query: Schema, schemas: dict[str, Any]) -> Iterator[dict[str, Any]]:
    whole = query.adapter.json_schema(ref_template=REFERENCE)
    schemas |= whole.pop("$defs", {})
    required = whole.get("required", ())
    for name, schema in whole.get("properties", {}).items():
        found = {"name": name, "in": "query", "required": name in required, "schema": schema}
        if schema.get("type") == "object":
            # Each of its properties is a parameter of its own.
            found |= {"schema": _TEXTS, "style": "form", "explode": True}
        yield found


def _answer(stated: Operation, schemas: dict[str, Any]) -> dict[str, Any]:
    if stated.returns is None:
        return {"description": "Done."}
    if isinstance(stated.returns, Text):
        content = {stated.returns.content_type: {"schema": {"type": "string"}}}
        return {"description": stated.returns.meaning, "content": content}
    return {"description": "The result.", "content": {JSON: {"schema": _schema(stated.returns, schemas)}}}


def _failures(rule: Rule, stated: Operation) -> dict[str, Any]:
    # What is read may conflict too, such as the progress of a queue with a pool that is none.
    statuses = {401, 403, 409, 422, 503}
    if rule.arguments:
        statuses.add(404)
    if stated.body is not None or stated.takes_file:
        statuses |= {404, 408, 411, 413, 415}
    content = {CONTENT_TYPE: {"schema": {"$ref": REFERENCE.format(model=ProblemJson.__name__)}}}
    return {
        str(status): {"description": _PROBLEMS[status], "content": content} for status in sorted(statuses)
    }


def _name(of: Any) -> str:
    """The name of a type; a page of topics has another than a page of runs."""
    of_what = "".join(_name(one) for one in get_args(of))
    name = str(getattr(get_origin(of) or of, "__name__", of))
    return f"{name}Of{of_what}" if of_what else name


def _schema(schema: Schema, schemas: dict[str, Any]) -> dict[str, Any]:
    """A reference to a named type, which is added to the schemas; any other type as it is."""
    adapter: TypeAdapter[Any] = schema.adapter
    found = adapter.json_schema(ref_template=REFERENCE, mode="validation")
    schemas |= found.pop("$defs", {})
    if found.get("type") != "object" or "title" not in found:
        return found
    name = _name(schema.of)
    schemas[name] = found | {"title": name}
    return {"$ref": REFERENCE.format(model=name)}


blueprint = Blueprint("documentation", __name__)
KEY = "workbench_openapi"


@blueprint.get("/openapi.json")
@anyone
def openapi() -> Response:
    """The OpenAPI document."""
    return Response(json.dumps(document_of(current_app)), content_type="application/json")


def document_of(app: Flask) -> dict[str, Any]:
    """The OpenAPI document of an application; made once, since no part of it changes while a server runs."""
    found: dict[str, Any] | None = app.extensions.get(KEY)
    if found is None:
        found = app.extensions[KEY] = openapi_document(app)
    return found
