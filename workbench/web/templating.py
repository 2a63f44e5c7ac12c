"""Jinja's options, filters and globals, and static files; undefined names are errors, everything is escaped.

The address of a static file contains a hash of its content, so that browsers may cache it for ever.
"""

from __future__ import annotations

import hashlib
import re
import uuid
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Any

from flask import Flask, g, request, url_for
from jinja2 import StrictUndefined
from markupsafe import Markup
from werkzeug.wrappers import Response

from workbench import __version__
from workbench.figures import percent, share_of
from workbench.help.manual import page_for
from workbench.web import navigation, notices
from workbench.web.access import anyone, here_or_none, viewer, viewer_or_none
from workbench.web.context import app_context, reading, sends_mail
from workbench.web.large_pages import place_of_age
from workbench.web.rendering import marked_pieces, paragraphs, plain_words, render_document, render_guidelines
from workbench.web.requests import Values, write_id
from workbench.web.stand_ins import ImageAddress
from workbench.workflow.campaigns.originals import ShownForm
from workbench.workflow.judging.desk_settings import (
    TEXT_OPTIONS,
    TextOption,
    TextSettings,
    own_words,
    text_settings_of,
)
from workbench.workflow.people.accounts import HINT as PASSWORD_HINT

_SURROGATE = re.compile(r"[\ud800-\udfff]")

# For `app.jinja_options`, which must be set before the first template is loaded.
OPTIONS: Values = {
    "undefined": StrictUndefined,
    "autoescape": True,
    "trim_blocks": True,
    "lstrip_blocks": True,
    "finalize": lambda value: _printable(value),
}


def init_app(app: Flask) -> None:
    """Register the filters, globals and context that templates use."""
    app.add_template_filter(grouped)
    app.add_template_filter(share_of, "share")
    app.add_template_filter(percent)
    app.add_template_filter(day)
    app.add_template_filter(moment)
    app.add_template_filter(write_id)
    app.add_template_filter(options)
    app.add_template_filter(plain_words, "words")
    app.add_template_filter(marked_pieces, "marked")
    app.add_template_filter(paragraphs)
    app.add_template_filter(document_text)
    app.add_template_filter(render_guidelines)
    app.add_template_global(fresh_id)
    app.add_template_global(sends_mail)
    app.add_template_global(openid_name)
    app.add_template_global(help_address)
    app.add_template_global(navigation.exists, "page_exists")
    app.add_template_global(navigation.opens, "page_opens")
    app.add_template_global(navigation.first_page, "first_page")
    app.add_template_global(place_of_age)
    app.add_template_global(text_look)
    app.add_template_global(text_choices)
    app.add_template_global(highlighted_words)
    # Last: the macros are compiled here, and their filters must be known.
    app.jinja_env.globals["ui"] = app.jinja_env.get_template("_macros.html").module

    @app.context_processor
    def common() -> Values:
        return {
            "viewer": viewer_or_none(),
            "campaign": here_or_none(),
            "navigation": navigation.navigation,
            "notices": notices.notices,
            "password_hint": PASSWORD_HINT,
            "version": __version__,
        }


def openid_name() -> str:
    """The name of the OpenID provider with which people sign in here; empty without one."""
    provider = app_context().provider
    return provider.settings.name if provider is not None else ""


def grouped(number: int) -> str:
    """A number for people: `28,412`."""
    return f"{number:,}"


def day(when: datetime) -> Markup:
    """A day for people: `2 December 2026`."""
    return _time(when, f"{when.day} {when:%B %Y}")


def moment(when: datetime) -> Markup:
    """A time for people, in UTC: `2 December 2026, 14:05 UTC`."""
    return _time(when, f"{when.day} {when:%B %Y, %H:%M} UTC")


def fresh_id() -> str:
    """A unique id for a form: if the form is submitted twice, it is recorded once."""
    return str(uuid.uuid4())


def options(
    items: Iterable[object], text: str = "{0}", value: str = "{0}", *, ids: bool = False
) -> list[tuple[str, str]]:
    """Things to choose as (value, text) for `ui.choice`, each by its format; `ids` may have any byte."""
    write = write_id if ids else str
    return [(write(value.format(one)), text.format(one)) for one in items]


def _time(when: datetime, text: str) -> Markup:
    # Nothing in a date needs escaping, which would take most of the time of a long table.
    return Markup(f'<time datetime="{when.isoformat(timespec="seconds")}">{text}</time>')  # noqa: S704


def _printable(value: Any) -> Any:
    # A byte outside UTF-8 is a lone surrogate, which no response can encode: it is shown as \xNN.
    if value is None:
        return ""
    if not isinstance(value, str) or value.isascii() or not _SURROGATE.search(value):
        return value
    shown = _SURROGATE.sub(lambda match: f"\\x{ord(match[0]) & 0xFF:02x}", value)
    return Markup(shown) if isinstance(value, Markup) else shown  # noqa: S704  # was safe before


def document_text(text: str, form: ShownForm) -> Markup:
    """The text of a document, with the images of the collection where a page names them."""
    images = {
        source: ImageAddress(url_for("files.shown", sha256=one.sha256), one.width, one.height)
        for source, one in form.images.items()
    }
    return render_document(text, images)


def text_look() -> TextSettings:
    """The viewer's settings for reading text; the defaults if not signed in."""
    return text_settings_of(g.get("look"))


def text_choices() -> tuple[TextOption, ...]:
    """The settings for reading text, with their options."""
    return TEXT_OPTIONS


def highlighted_words(assignment_id: int) -> tuple[str, ...]:
    """The words that the viewer highlights in the topic of an assignment."""
    with reading() as db:
        return own_words(db, assignment_id, viewer().id)


def help_address() -> str:
    """The address of the help for the page that is being shown."""
    page = page_for(request.endpoint)
    return url_for("help.page", page=page.name) if page else url_for("help.index")


FOR_EVER = "public, max-age=31536000, immutable"


class Assets:
    """The hashes of the files in a folder, recomputed when a file changes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()
        self._known: dict[str, tuple[Path, float, str]] = {}

    def hash_of(self, name: str) -> str | None:
        """Twelve hexadecimal digits of the SHA-256 of a file, or None if there is no such file."""
        known = self._known.get(name)
        path = known[0] if known else (self._folder / name).resolve()
        if known is None and not path.is_relative_to(self._folder):
            return None
        try:
            changed = path.stat().st_mtime
            if known is None or known[1] != changed:
                known = (path, changed, hashlib.sha256(path.read_bytes()).hexdigest()[:12])
                self._known[name] = known
        except OSError:
            return None
        return known[2]


def serve_assets(app: Flask, folder: Path) -> None:
    """Have `url_for('static', ...)` add the hash and responses state how long they may be cached."""
    assets = Assets(folder)
    anyone(app.view_functions["static"])

    @app.url_defaults
    def add_hash(endpoint: str, values: dict[str, Any]) -> None:
        if endpoint == "static" and "v" not in values and (found := assets.hash_of(values["filename"])):
            values["v"] = found

    @app.after_request
    def add_cache_control(response: Response) -> Response:
        if request.endpoint == "static" and response.status_code in {200, 206, 304}:
            given = request.args.get("v")
            current = given is not None and given == assets.hash_of((request.view_args or {})["filename"])
            response.headers["Cache-Control"] = FOR_EVER if current else "no-cache"
        return response
