"""Programs of the cast: each with an access token, over the application of a test."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import fields
from urllib.parse import parse_qsl, urlencode

from flask import Flask
from flask.testing import FlaskClient

from workbench.storage.engine import Database
from workbench.web.api.operations import operation_of
from workbench.workflow.people.accounts import Account
from workbench.workflow.people.sessions import Scope, make_access_token

API = "/api/v1"


def token_of(database: Database, account: Account, scopes: Collection[str] = tuple(Scope)) -> str:
    """A new token of an account."""
    with database.writing() as db:
        return make_access_token(db, account.id, name="a program", scopes=scopes).secret


def bearing(client: FlaskClient, token: str) -> FlaskClient:
    """The client, which sends a token with every request."""
    client.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {token}"
    return client


def program(
    app: Flask, database: Database, account: Account, scopes: Collection[str] = tuple(Scope)
) -> FlaskClient:
    """A program that acts for an account."""
    return bearing(app.test_client(), token_of(database, account, scopes))


def takes(app: Flask, address: str, query: str) -> str:
    """What an address of the API takes of a query."""
    endpoint, _ = app.url_map.bind("localhost").match(address, method="GET")
    stated = operation_of(app, endpoint)
    names = {one.name for one in fields(stated.query.of)} if stated and stated.query else set()
    known = [(name, value) for name, value in parse_qsl(query.removeprefix("?")) if name in names]
    return f"?{urlencode(known)}" if known else ""
