"""The application over a database of the test's own, and its cast."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import wraps
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import update

from tests.cast import CHEAP, Cast, assemble, signed_in_client
from tests.databases import fill, opened_copy
from tests.support import share_compiled_templates
from workbench.settings import Settings, read_settings
from workbench.storage.engine import Database
from workbench.storage.tables import PoolRow
from workbench.web.app import create_app
from workbench.web.context import Context, init_app

share_compiled_templates()
Enter = Callable[[str], FlaskClient]


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return read_settings({}, instance=tmp_path)


@pytest.fixture(scope="session")
def shared_app() -> Flask:
    """The application that tests share, since it takes longer to make than most tests run.

    It has answered already: whoever would add a route to it is told so and takes `own_app`.
    """
    nowhere = read_settings({}, instance=Path("nowhere"))
    application = create_app(nowhere, Database("sqlite://"), passwords=CHEAP)
    application.testing = True
    application.test_client().get("/static/workbench.css", buffered=True)
    return application


@pytest.fixture
def app(shared_app: Flask, settings: Settings, sqlite_database: Database) -> Iterator[Flask]:
    """The application over the database of the test; what a test changes about it is undone."""
    config, views = dict(shared_app.config), dict(shared_app.view_functions)
    init_app(shared_app, Context(settings, sqlite_database, CHEAP))
    yield shared_app
    for changed, before in ((shared_app.config, config), (shared_app.view_functions, views)):
        changed.clear()
        changed.update(before)


@pytest.fixture
def reached(app: Flask) -> list[str]:
    """The endpoints whose views were reached, in order; the views work as they do."""
    seen: list[str] = []

    def watch(endpoint: str) -> None:
        view = app.view_functions[endpoint]

        @wraps(view)
        def watched(*args: Any, **kwargs: Any) -> Any:
            seen.append(endpoint)
            return view(*args, **kwargs)

        app.view_functions[endpoint] = watched

    for endpoint in list(app.view_functions):
        watch(endpoint)
    return seen


@pytest.fixture
def own_app(settings: Settings, sqlite_database: Database) -> Flask:
    """An application of the test's own, to which it may add routes."""
    application = create_app(settings, sqlite_database, passwords=CHEAP)
    application.testing = True
    return application


@pytest.fixture(scope="session")
def saved_cast(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Cast]:
    """A database file with the cast and its campaign in it, and who they are."""
    folder = tmp_path_factory.mktemp("cast")
    with opened_copy(migrated_sqlite, folder) as database:
        cast = assemble(database)
    return folder / "workbench.sqlite3", cast


@pytest.fixture
def cast(sqlite_database: Database, saved_cast: tuple[Path, Cast]) -> Cast:
    """The cast, in the database of the test; its pool is newly made, by which processes know it."""
    saved, cast = saved_cast
    fill(sqlite_database, saved)
    with sqlite_database.writing() as db:
        db.execute(update(PoolRow).values(created_at=datetime.now(UTC)))
    return cast


@pytest.fixture
def enter(app: Flask, sqlite_database: Database, cast: Cast) -> Enter:
    """Give a member of the cast a browser in which that person is signed in."""

    def enter(name: str) -> FlaskClient:
        return signed_in_client(app, sqlite_database, cast.accounts[name])

    return enter


@pytest.fixture
def olga(enter: Enter) -> FlaskClient:
    """The organiser's browser."""
    return enter("Olga")


@pytest.fixture
def ada(enter: Enter) -> FlaskClient:
    """An assessor's browser."""
    return enter("Ada")


@pytest.fixture
def desk(cast: Cast) -> str:
    """Where Ada judges topic T1."""
    return f"/c/harbour/judge/{cast.assignments['Ada', 'T1']}"


@pytest.fixture
def stranger(app: Flask) -> FlaskClient:
    """A browser in which nobody is signed in."""
    return app.test_client()
