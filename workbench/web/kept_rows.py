"""Rows of long tables as HTML, rendered once: after a save one row of a thousand says something else."""

from __future__ import annotations

from collections.abc import Hashable
from typing import cast

from flask import g, request
from jinja2.runtime import Macro
from markupsafe import Markup

from workbench.workflow.caching import Cache

MOST = 10_000
"""Rows that are kept in memory, some kilobyte each."""


def kept_row(name: str, macro: Macro, *arguments: Hashable) -> Markup:
    """What a macro makes of its arguments, made before or made now; no two macros have one `name`.

    The macro must be of a file that is imported without context, so that it knows nothing but its arguments
    and the addresses of this campaign and blueprint.
    """
    place = request.script_root, g.get("slug"), request.blueprint
    return _ROWS.get((name, place, arguments), lambda: cast("Markup", macro(*arguments)))


_ROWS: Cache[Hashable, Markup] = Cache(MOST)
