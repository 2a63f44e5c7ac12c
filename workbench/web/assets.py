"""Static files: their URLs contain a hash of their content, so that browsers may cache them for ever."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from flask import Flask, request
from werkzeug.wrappers import Response

from workbench.web.access import anyone

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


def init_app(app: Flask, folder: Path) -> None:
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
