"""Pages of large campaigns: each shows at once what a job has last made of it, and how old that is.

Pages with figures of all judgments take seconds where a campaign has hundreds of thousands of pairs. There a
page is a job (`web.page_job`), with who asked for it and how among its arguments.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from datetime import datetime
from functools import wraps
from typing import Any

from flask import g, render_template, request
from markupsafe import Markup
from werkzeug.wrappers import Response

from workbench.web.access import ASKED_BY, AskedBy, Here, Viewer, here, viewer
from workbench.web.context import app_context, read_here
from workbench.web.jobs import job_now
from workbench.web.requests import wants_fragment
from workbench.workflow.large_campaigns import is_large, judgments_since, state_for_page
from workbench.workflow.people.membership import Role

PAGE = "page"
PLACE = Markup("<!-- as of -->")
"""Where in a page that a job makes it is said how old it is."""
AS_OF = "Workbench-As-Of"
"""What a browser has, when it asks whether there is anything newer."""


def made_by_job_if_large(view: Callable[..., Any]) -> Callable[..., Any]:
    """Have a page with figures of all judgments made by a job where the campaign is large."""

    @wraps(view)
    def answer(*refused: Any, **values: Any) -> Any:
        whole = request.method in {"GET", "HEAD"} and not wants_fragment()
        by_job = whole and app_context().settings.worker and ASKED_BY not in request.environ
        return _last_made() if by_job and read_here(is_large) else view(*refused, **values)

    return answer


def asked() -> dict[str, Any]:
    """The arguments of the job that makes this page, from which `asked_by` reads who asked."""
    place = asdict(here()) | {"roles": sorted(here().roles)}
    archived_at = here().archived_at
    place["archived_at"] = None if archived_at is None else archived_at.isoformat()
    return {"address": request.full_path, "viewer": asdict(viewer()), "here": place, "look": g.look}


def asked_by(arguments: Mapping[str, Any]) -> AskedBy:
    """Who has asked for a page by these arguments of a job."""
    place = dict(arguments["here"])
    archived_at = place["archived_at"]
    place["archived_at"] = None if archived_at is None else datetime.fromisoformat(archived_at)
    place["roles"] = frozenset(map(Role, place["roles"]))
    return AskedBy(Viewer(**arguments["viewer"]), Here(**place), arguments["look"])


def place_of_age() -> Markup:
    """What stands above a page: its place where a job makes it, nothing elsewhere."""
    return PLACE if ASKED_BY in request.environ else Markup()


def _last_made() -> Any:
    arguments = asked()
    shown = job_now(PAGE, arguments, depends_on=read_here(state_for_page, PAGE, arguments))
    if shown.refused is not None:
        raise shown.refused
    if shown.under_way is not None and request.headers.get(AS_OF) == _text(shown.at):
        return Response(status=204)
    if shown.result is None:
        return render_template("being_made.html", at=None, since=0, under_way=True, shown_at="")
    if request.headers.get(AS_OF) == "":
        # As a whole, with the scripts of the page, which whoever waits for it has not loaded.
        return Response(headers={"HX-Refresh": "true"})
    head, _, page = shown.result.partition(b"\n")
    made = json.loads(head)
    age = render_template(
        "_as_of.html",
        at=datetime.fromisoformat(made["at"]),
        since=read_here(judgments_since, made["newest"]),
        under_way=shown.under_way is not None,
        shown_at=_text(shown.at),
    )
    return page.decode().replace(PLACE, age, 1), made["status"]


def _text(at: datetime | None) -> str:
    return "" if at is None else at.isoformat()
