"""Operations: what an address of the API takes, what it answers, and which scope of a token it needs.

A view states its operation by a decorator, which reads the request before the view is called and writes what
it returns. The document of the API is generated from the same statement (`openapi`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import cached_property, wraps
from typing import Any

from flask import Flask, current_app, request
from pydantic import TypeAdapter, ValidationError
from werkzeug.exceptions import UnsupportedMediaType
from werkzeug.wrappers import Response

from workbench.errors import Finding, InvalidInput, NotAllowed, rejected
from workbench.formats.identifiers import storable
from workbench.frozen import frozen_dataclass
from workbench.outside import parsed_json
from workbench.web.access import token_scopes, viewer
from workbench.web.context import app_context
from workbench.workflow.people.repeatable_requests import (
    GivenResponse,
    begin_request,
    checked_key,
    complete_request,
    give_up_request,
)
from workbench.workflow.people.sessions import Scope

ATTRIBUTE = "workbench_operation"
JSON = "application/json"
IDEMPOTENCY_KEY = "Idempotency-Key"
REPLAYED = "Idempotent-Replayed"
CHUNK = 1024**2


@frozen_dataclass
class Text:
    """What is answered as a text or a file, and not as JSON: its content type, and what it is."""

    content_type: str
    meaning: str


class Schema:
    """A type that is read from requests or written into responses, with its JSON Schema."""

    def __init__(self, of: Any) -> None:
        self.of = of

    @cached_property
    def adapter(self) -> TypeAdapter[Any]:
        """What reads it; made at its first use, since that takes longer than most requests."""
        return TypeAdapter(self.of)

    @cached_property
    def kinds(self) -> Mapping[str, str]:
        """Of an object, the JSON type of each of its fields."""
        schema = self.adapter.json_schema()
        return {name: _kind(one) for name, one in schema.get("properties", {}).items()}

    def read(self, value: Any, whole: str) -> Any:
        """The value of the type that JSON says; raises InvalidInput, with the place of every error."""
        unfit = list(_unfit(value, whole))
        if unfit:
            raise InvalidInput(unfit)
        try:
            return self.adapter.validate_python(value)
        except ValidationError as error:
            raise InvalidInput(_findings(error, whole)) from None


@frozen_dataclass
class Operation:
    """What an address does: `returns` is a type of JSON, a file, or None for an answer without a body.

    A field of the `query` that is an object takes every parameter that no other field names.
    `takes_file` says that the body is a file, and `secret` that the answer has something in it that is shown
    once, and is not stored for a repeated request.
    """

    returns: Schema | Text | None
    scope: Scope
    query: Schema | None
    body: Schema | None
    takes_file: bool
    status: int
    secret: bool


def operation(
    returns: Any,
    *,
    scope: Scope = Scope.READ,
    query: type | None = None,
    body: type | None = None,
    takes_file: bool = False,
    status: int = 200,
    secret: bool = False,
) -> Callable[[Callable[..., Any]], Callable[..., Response]]:
    """State the operation of a view, which receives `query`, `body` and `file` where it takes them."""
    stated = Operation(
        returns=returns if isinstance(returns, Text | None) else Schema(returns),
        scope=scope,
        query=None if query is None else Schema(query),
        body=None if body is None else Schema(body),
        takes_file=takes_file,
        status=status if returns is not None else 204,
        secret=secret,
    )

    def decorate(view: Callable[..., Any]) -> Callable[..., Response]:
        @wraps(view)
        def answer(**values: Any) -> Response:
            _require_scope(stated.scope)
            values |= _sent(stated)
            return _once(stated, lambda: view(**values))

        setattr(answer, ATTRIBUTE, stated)
        return answer

    return decorate


def operation_of(app: Flask, endpoint: str) -> Operation | None:
    """The operation that the view of an endpoint states; None for a view that is none of the API's."""
    found = getattr(app.view_functions.get(endpoint), ATTRIBUTE, None)
    return found if isinstance(found, Operation) else None


def _require_scope(scope: Scope) -> None:
    if scope not in token_scopes():
        raise NotAllowed(
            f"this token does not have the scope {str(scope)!r}",
            remedy="make a token with that scope on your account page",
        )


def _sent(stated: Operation) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if stated.query is not None:
        found["query"] = _query(stated.query)
    elif request.args:
        raise InvalidInput([_unknown(name, ()) for name in request.args])
    if stated.body is not None:
        found["body"] = _body(stated.body)
    if stated.takes_file:
        found["file"] = request.stream
    return found


def _query(schema: Schema) -> Any:
    rest = {name for name, kind in schema.kinds.items() if kind == "object"}
    names = {field.name for field in fields(schema.of)} - rest
    others = {name: request.args.getlist(name) for name in request.args if name not in names}
    findings = [] if rest else [_unknown(name, sorted(names)) for name in others]
    values: dict[str, Any] = dict.fromkeys(rest, others)
    for name in names & set(request.args):
        kind, sent = schema.kinds[name], request.args.getlist(name)
        if kind == "array":
            values[name] = sent
        elif len(sent) > 1:
            findings.append(Finding(name, None, "repeated-parameter", "it is given twice", "give it once"))
        else:
            values[name] = _read_text(kind, sent[0])
    if findings:
        raise InvalidInput(findings)
    return schema.read(values, "query")


def _unknown(name: str, known: Any) -> Finding:
    return Finding(
        name[:80],
        None,
        "unknown-parameter",
        "this address has no such parameter",
        f"it takes {', '.join(known)}" if known else "it takes no parameters",
    )


def _read_text(kind: str, text: str) -> Any:
    """What a text in an address says as JSON; the text itself where it says nothing of that kind."""
    try:
        if kind == "integer" and len(text) < 20:
            return json.loads(text)
        if kind == "number" and len(text) < 30:
            return json.loads(text, parse_constant=lambda _: text)
    except ValueError:
        return text
    return {"true": True, "false": False}.get(text, text) if kind == "boolean" else text


def _body(schema: Schema) -> Any:
    if request.mimetype != JSON:
        raise UnsupportedMediaType
    try:
        sent = parsed_json(request.get_data())
    except ValueError:
        raise rejected(
            "body", None, "json", "the body is not JSON", "send one JSON object in UTF-8"
        ) from None
    return schema.read(sent, "body")


def _unfit(value: Any, place: str) -> Any:
    """A finding for each text that no database stores."""
    if isinstance(value, str):
        if storable(value) != value:
            yield Finding(
                place,
                None,
                "character",
                "it has a NUL or half of a character",
                "send text in UTF-8 without NUL",
            )
    elif isinstance(value, dict):
        for name, one in value.items():
            yield from _unfit(name, place)
            yield from _unfit(one, f"{place}.{name}")
    elif isinstance(value, list):
        for number, one in enumerate(value):
            yield from _unfit(one, f"{place}.{number}")


def _findings(error: ValidationError, whole: str) -> list[Finding]:
    return [
        Finding(
            ".".join(str(part) for part in one["loc"])[:200] or whole,
            None,
            one["type"].replace("_", "-"),
            one["msg"][:1].lower() + one["msg"][1:],
            "its documentation says what it takes",
        )
        for one in error.errors(include_url=False, include_context=False, include_input=False)
    ]


def _kind(schema: Mapping[str, Any]) -> str:
    several = [_kind(one) for one in schema.get("anyOf", ()) if one.get("type") != "null"]
    return several[0] if several else str(schema.get("type", "string"))


def _once(stated: Operation, act: Callable[[], Any]) -> Response:
    """The response of an act, which under an idempotency key is done once."""
    key = request.headers.get(IDEMPOTENCY_KEY) if request.method == "POST" else None
    if key is None:
        return _response(stated, act())
    database, owner = app_context().database, viewer().id
    fingerprint = _fingerprint(stated)
    with database.writing() as db:
        before = begin_request(db, owner, checked_key(key), fingerprint)
    if before is not None:
        return _again(before)
    try:
        response = _response(stated, act())
    except BaseException:
        with database.writing() as db:
            give_up_request(db, owner, key)
        raise
    answer = None if stated.secret else response.get_data(as_text=True)
    with database.writing() as db:
        complete_request(db, owner, key, GivenResponse(response.status_code, answer))
    return response


def _again(before: GivenResponse) -> Response:
    if before.answer is None:
        raise rejected(
            IDEMPOTENCY_KEY,
            None,
            "shown-once",
            "this request was already answered, and its answer contained secrets that are shown only once",
            "check what is there, and make new links with a new key",
        )
    response = Response(before.answer, before.status, content_type=JSON)
    response.headers[REPLAYED] = "true"
    return response


def _fingerprint(stated: Operation) -> str:
    """The SHA-256 of what a request asks for: method, address and body."""
    found = hashlib.sha256(f"{request.method} {request.full_path} {request.mimetype}\n".encode())
    source = request.environ["wsgi.input"]
    if not stated.takes_file:
        found.update(request.get_data())
    elif source.seekable():
        while part := source.read(CHUNK):
            found.update(part)
        source.seek(0)
    else:
        # A server whose bodies cannot be read twice: their length has to do.
        found.update(str(request.content_length).encode())
    return found.hexdigest()


def _response(stated: Operation, answer: Any) -> Response:
    if isinstance(answer, Response):
        return answer
    if answer is None:
        return Response(status=204)
    text = json.dumps(answer, ensure_ascii=True, allow_nan=False, default=_plain)
    documented = stated.returns
    if current_app.testing and isinstance(documented, Schema):
        # What is documented is what is answered; a server does not spend the time.
        documented.adapter.validate_json(text, extra="forbid")
    return Response(text, stated.status, content_type=JSON)


def _plain(value: Any) -> Any:
    """A moment, a set or a tuple as JSON has it."""
    if hasattr(value, "isoformat"):
        return value.isoformat()
    return sorted(value)
