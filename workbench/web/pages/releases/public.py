"""The page of a public release: for outsiders, without an account; a run is scored here and never kept."""

from __future__ import annotations

import threading
from functools import partial

from flask import Blueprint, g, render_template
from werkzeug.wrappers import Response

from workbench.errors import Unavailable
from workbench.web.access import anyone, takes_from_strangers
from workbench.web.context import reading
from workbench.web.forms import Findings, errors_on, sent_files
from workbench.web.pages.releases.releases import score_command, zip_of
from workbench.workflow.releases.reading import public_release, release_sheet
from workbench.workflow.releases.scoring import MOST_BYTES, StrangersScore, score_strangers_run

blueprint = Blueprint("public_release", __name__, url_prefix="/releases/<slug>/<version>")
# The fields around the file.
FORM_BYTES = MOST_BYTES + 16 * 1024
# One at a time in a process: scoring competes with the saves of assessors for Python's lock.
_SCORING = threading.BoundedSemaphore(1)
PATIENCE_SECONDS = 10


@blueprint.get("")
@anyone
def index(version: str, *, scores: StrangersScore | None = None, findings: Findings = ()) -> str:
    """What the release is, how to cite it, how to score a run, and its file."""
    with reading() as db:
        _, found = public_release(db, g.slug or "", version)
        sheet = release_sheet(db, found)
    return render_template(
        "releases/public.html",
        release=found,
        sheet=sheet,
        command=score_command(found),
        scores=scores,
        most_mib=MOST_BYTES // 2**20,
        findings=findings,
    )


@blueprint.get("/zip")
@anyone
def download(version: str) -> Response:
    """The bytes as they were made, of a withdrawn release too, so that papers can be checked."""
    with reading() as db:
        _, found = public_release(db, g.slug or "", version)
    return zip_of(found, g.slug or "")


@blueprint.post("/score")
@takes_from_strangers(FORM_BYTES)
@anyone
def score(version: str) -> str:
    """The scores of a run, which is forgotten with the answer."""
    with errors_on(partial(index, version), "Run"):
        return index(version, scores=_scored(version))


def _scored(version: str) -> StrangersScore:
    name, stream = sent_files("run")[0]
    # Before the database is asked: whoever waits holds nothing but a stranger's place.
    if not _SCORING.acquire(timeout=PATIENCE_SECONDS):
        raise Unavailable
    try:
        with reading() as db:
            _, found = public_release(db, g.slug or "", version)
            return score_strangers_run(db, found, stream, name)
    finally:
        _SCORING.release()
