"""The application over a database of the test's own, and its cast."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.cast import CHEAP, Cast, assemble, signed_in_client
from workbench.settings import Settings, read_settings
from workbench.storage.engine import Database
from workbench.web.app import create_app

Enter = Callable[[str], FlaskClient]


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return read_settings({}, instance=tmp_path)


@pytest.fixture
def app(settings: Settings, sqlite_database: Database) -> Flask:
    application = create_app(settings, sqlite_database, passwords=CHEAP)
    application.testing = True
    return application


@pytest.fixture
def cast(sqlite_database: Database) -> Cast:
    return assemble(sqlite_database)


@pytest.fixture
def enter(app: Flask, sqlite_database: Database, cast: Cast) -> Enter:
    """Give a member of the cast a browser in which that person is signed in."""

    def enter(name: str) -> FlaskClient:
        return signed_in_client(app, sqlite_database, cast.accounts[name])

    return enter
