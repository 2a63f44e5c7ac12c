"""The job that makes a page of a large campaign, and all kinds of jobs that a site's worker does."""

from __future__ import annotations

import json
from collections.abc import Mapping

from workbench.web.access import ASKED_BY
from workbench.web.app import create_app
from workbench.web.large_pages import PAGE, asked_by
from workbench.workflow.clock import shared_now
from workbench.workflow.jobs import Doing, Work
from workbench.workflow.large_campaigns import newest_event
from workbench.workflow.worker import KINDS


def make_page(doing: Doing) -> bytes:
    """A page as its view makes it, behind a line with its status, when it was made and after which event."""
    app, asked = create_app(doing.settings, doing.database), doing.job.arguments
    with doing.database.reading() as db:
        made = {"at": shared_now(db).isoformat(), "newest": newest_event(db, doing.campaign_id)}
    # Not through the servers' part of the application: it looks at names and addresses of visitors.
    with app.test_request_context(
        asked["address"],
        base_url=f"http://localhost{doing.settings.prefix}/",
        environ_overrides={ASKED_BY: asked_by(asked)},
    ):
        response = app.full_dispatch_request()
    return json.dumps(made | {"status": response.status_code}).encode() + b"\n" + response.get_data()


ALL_KINDS: Mapping[str, Work] = {**KINDS, PAGE: make_page}
