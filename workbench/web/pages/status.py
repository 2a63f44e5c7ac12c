"""The state of the server, for administrators."""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime

from flask import Blueprint, render_template

from workbench.storage.migrate import known_revisions
from workbench.web.access import administrator
from workbench.web.context import app_context, reading
from workbench.workflow.upkeep.status import installation_status

blueprint = Blueprint("status", __name__, url_prefix="/administration/status")


@blueprint.get("")
@administrator
def index() -> str:
    """Version, database, last backup, and this process: since when, how busy, and how many errors."""
    context = app_context()
    with reading() as db:
        found = installation_status(db, context.settings.instance, idle=context.settings.session_idle)
    return render_template(
        "administration/status.html",
        found=found,
        latest=known_revisions()[-1],
        began=datetime.fromtimestamp(context.observed.began, UTC),
        uptime=_duration(time.time() - context.observed.began),
        process=os.getpid(),
        errors=context.observed.errors.last_hour(),
        days=(datetime.now(UTC) - found.backup.made_at).days if found.backup else None,
    )


def _duration(seconds: float) -> str:
    minutes = int(seconds // 60)
    days, hours = minutes // 1440, minutes // 60 % 24
    if days:
        return f"{days} d {hours} h"
    return f"{hours} h {minutes % 60} min" if hours else f"{minutes} min"
