"""The Flask application: `from_environment` for servers, `create_app` for tests."""

from __future__ import annotations

from typing import Any, ClassVar

from flask import Flask

from workbench.settings import Settings, read_settings
from workbench.storage.engine import Database
from workbench.storage.limits import log_slow_statements
from workbench.storage.migrate import migrate
from workbench.web import access, api, context, errors, notices, security, templating, trail
from workbench.web.pages import BLUEPRINTS
from workbench.web.requests import IdConverter, NumberConverter, StorableRequest, TextConverter
from workbench.web.security import Application as Answering
from workbench.web.security import KnownHosts, TrustedProxies, UnderPrefix
from workbench.workflow.openid.provider import OpenIdProvider
from workbench.workflow.people.accounts import Passwords

# Limit of all fields of one form together, without files: guidelines are the longest.
MAX_FIELDS_BYTES = 8 * 1024**2


class Application(Flask):
    """Flask with the template options of Workbench, and with fields that every database can store."""

    request_class = StorableRequest
    jinja_options: ClassVar[dict[str, Any]] = templating.OPTIONS  # type: ignore[misc]  # Flask: an instance's


def create_app(settings: Settings, database: Database, *, passwords: Passwords | None = None) -> Flask:
    """The application over an open, migrated database."""
    app = Application(
        "workbench",
        template_folder=str(settings.templates),
        static_folder=str(settings.static),
        static_url_path="/static",
        instance_path=str(settings.instance),
    )
    app.config.update(
        MAX_CONTENT_LENGTH=settings.max_upload_bytes,
        MAX_FORM_MEMORY_SIZE=MAX_FIELDS_BYTES,
        MAX_FORM_PARTS=5000,
    )
    app.url_map.converters.update(
        {"id": IdConverter, "int": NumberConverter, "string": TextConverter, "default": TextConverter}
    )
    context.init_app(
        app,
        context.Context(
            settings,
            database,
            passwords or Passwords(),
            provider=OpenIdProvider(settings.openid) if settings.openid is not None else None,
        ),
    )
    # The trail first: it gives the request its id, and sees how it was answered last.
    if settings.slow_statement_ms:
        log_slow_statements(database.engine, settings.slow_statement_ms)
    for part in (trail, security, access, errors, notices, templating):
        part.init_app(app)
    templating.serve_assets(app, settings.static)
    for blueprint in (*BLUEPRINTS, api.blueprint):
        app.register_blueprint(blueprint)
    # The name that a proxy forwards is looked at after it is believed.
    answers: Answering = app.wsgi_app
    if settings.hosts:
        answers = KnownHosts(answers, settings.hosts)
    if settings.behind_proxy:
        answers = TrustedProxies(answers, settings)
    if settings.prefix:
        answers = UnderPrefix(answers, settings.prefix)
    app.wsgi_app = answers  # type: ignore[method-assign, assignment]  # as Flask's documentation does
    return app


def from_environment() -> Flask:
    """The application configured by environment variables; migrates the database first."""
    settings = read_settings()
    database = Database(settings.database_url)
    migrate(database)
    return create_app(settings, database)
