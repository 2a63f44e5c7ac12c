"""Releases: made and withdrawn by organisers, and the page of one that outsiders may be given."""

from __future__ import annotations

import threading
from functools import partial

from flask import Blueprint, g, render_template, request, url_for
from werkzeug.wrappers import Response

from workbench.consensus.rules import RULES, RuleChoice, choice_label
from workbench.errors import Unavailable, WorkbenchError
from workbench.releases.contents import Included
from workbench.web.access import anyone, here, in_archive, organiser, reader, takes_from_strangers, viewer
from workbench.web.context import read_here, reading, reading_here, write_here
from workbench.web.downloads import streamed
from workbench.web.forms import Findings, accepted, errors_on, sent_files, sent_text
from workbench.web.jobs import make_release_soon
from workbench.web.pages.qrels import rule_form
from workbench.web.requests import Reply, Values
from workbench.workflow.campaigns.campaigns import campaign_of
from workbench.workflow.releases.collecting import ReleaseRequest
from workbench.workflow.releases.making import LONGEST_LINE, LONGEST_TEXT
from workbench.workflow.releases.releases import (
    LONGEST_REASON,
    MOST_BYTES,
    Release,
    StrangersScore,
    measures_for,
    public_release,
    publish_release,
    release_by_version,
    release_parts,
    release_readiness,
    release_sheet,
    releases_of,
    score_strangers_run,
    unpublish_release,
    withdraw_release,
)

blueprint = Blueprint("releases", __name__, url_prefix="/c/<slug>/releases")
INCLUDED = (
    (
        Included.DOCUMENTS,
        "Documents",
        "Titles and texts of what was pooled or judged. Check their licence.",
    ),
    (
        Included.ORIGINALS,
        "Originals",
        "The bytes that these documents were read from. Check their licence, and what else they hold.",
    ),
    (Included.RUNS, "Runs", "The files as the groups sent them. Ask the groups."),
    (Included.COMMENTS, "Comments", "What assessors and adjudicators wrote as reasons. It may name people."),
)
"""What is in a release by choice: the value, its label and what to consider."""


@blueprint.get("")
@reader
def index() -> str:
    """The releases of the campaign, the latest first."""
    found = read_here(releases_of)
    return render_template(
        "releases/index.html", releases=found, current=next((one for one in found if not one.withdrawn), None)
    )


@blueprint.get("/new")
@organiser
def new(findings: Findings = ()) -> str:
    """The form of a new release: what is still open first."""
    readiness, refused = None, None
    with reading_here() as (db, campaign_id):
        rule = rule_form(db)
        campaign = campaign_of(db, campaign_id)
        latest = next(iter(releases_of(db, campaign_id)), None)
        before = release_sheet(db, latest) if latest else None
        try:
            readiness = release_readiness(db, campaign_id, rule.choice)
        except WorkbenchError as error:
            refused = error
    proposed = ReleaseRequest(
        readiness.version if readiness else "",
        rule.choice,
        title=latest.title if latest else campaign.name,
        description=before.description if before else "",
        licence=before.licence if before else "",
        homepage=before.homepage if before else "",
    )
    qrels = url_for("qrels.index", **Values(rule.arguments()))
    return render_template(
        "releases/new.html",
        form=rule,
        sent=_sent(rule.choice) if findings else proposed,
        rules=RULES,
        rule_label=choice_label(rule.choice) if readiness else "",
        readiness=readiness,
        refused=refused,
        ways={
            "empty-topics": (qrels, "View the qrels"),
            "disputes": (url_for("adjudication.index"), "Adjudicate"),
            "unjudged": (url_for("assignments.index"), "Assignments"),
            "unsettled": (qrels, "View the pairs"),
        },
        included=INCLUDED,
        longest=(LONGEST_LINE, LONGEST_TEXT),
        findings=findings,
    )


@blueprint.post("/new")
@organiser
def create() -> Response:
    """Make the release; the rule is that of the address."""
    with errors_on(new, "Version", "version"):
        with reading() as db:
            asked = _sent(rule_form(db).choice)
        release = make_release_soon(asked, made_by=viewer().id).release
    return accepted(
        f"Release {release.version} created: {release.lines:,} qrels lines on {release.topics:,} topics. "
        "Only members see it until you publish it.",
        "releases.release",
        version=release.version,
    )


@blueprint.get("/v/<version>")
@reader
def release(version: str, findings: Findings = ()) -> str:
    """One release: what is in it, how it is cited, and what can be done with it."""
    with reading() as db:
        found = release_by_version(db, here().id, version)
        sheet = release_sheet(db, found)
    return render_template(
        "releases/release.html",
        release=found,
        sheet=sheet,
        command=score_command(found),
        # Of this site as its viewer reached it: it is to be sent to others.
        public_address=url_for("public_release.index", version=version, _external=True),
        reason=sent_text("reason") if findings else "",
        longest_reason=LONGEST_REASON,
        findings=findings,
    )


@blueprint.get("/v/<version>/zip")
@reader
def download(version: str) -> Response:
    """The bytes as they were made, of a withdrawn release too."""
    found = read_here(release_by_version, version)
    return zip_of(found, here().slug)


@blueprint.post("/v/<version>/publish")
@in_archive
@organiser
def publish(version: str) -> Response:
    """Let outsiders see it."""
    write_here(publish_release, version)
    return accepted(
        f"Release {version} is public: everybody who has its address can see and download it.",
        "releases.release",
        version=version,
    )


@blueprint.post("/v/<version>/unpublish")
@in_archive
@organiser
def unpublish(version: str) -> Response:
    """Show it to members only."""
    write_here(unpublish_release, version)
    return accepted(f"Release {version} is no longer public.", "releases.release", version=version)


@blueprint.post("/v/<version>/withdraw")
@in_archive
@organiser
def withdraw(version: str) -> Reply:
    """Withdraw it for a reason that stays on its pages."""
    with errors_on(partial(release, version), "Reason", "reason"):
        write_here(withdraw_release, version, reason=sent_text("reason"), by=viewer().id)
    return accepted(f"Release {version} withdrawn. Its pages say why.", "releases.release", version=version)


def zip_of(release: Release, slug: str) -> Response:
    """The zip of a release as a file; `slug` is of its campaign."""
    name = f"{slug}-{release.file_name}"
    with reading() as db:
        return streamed(release_parts(db, release), name, kind="application/zip", size=release.size)


def score_command(release: Release) -> str:
    """How a run is scored with the release, in one line."""
    # A shell takes parentheses for its own.
    measures = (f"'{one}'" if "(" in one else one for one in measures_for(release).split())
    return f"ir_measures qrels.txt my.run {' '.join(measures)}"


def _sent(choice: RuleChoice) -> ReleaseRequest:
    included = set(request.form.getlist("include"))
    return ReleaseRequest(
        sent_text("version").strip(),
        choice,
        frozenset(one for one in Included if one in included),
        sent_text("title"),
        sent_text("description"),
        tuple(sent_text("authors").splitlines()),
        sent_text("licence"),
        sent_text("homepage"),
    )


public = Blueprint("public_release", __name__, url_prefix="/releases/<slug>/<version>")
# The fields around the file.
FORM_BYTES = MOST_BYTES + 16 * 1024
# One at a time in a process: scoring competes with the saves of assessors for Python's lock.
_SCORING = threading.BoundedSemaphore(1)
PATIENCE_SECONDS = 10


@public.get("", endpoint="index")
@anyone
def public_page(version: str, *, scores: StrangersScore | None = None, findings: Findings = ()) -> str:
    """What the release is, how to cite it, how to score a run, and its file."""
    with reading() as db:
        found = public_release(db, g.slug or "", version)
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


@public.get("/zip", endpoint="download")
@anyone
def public_download(version: str) -> Response:
    """The bytes as they were made, of a withdrawn release too, so that papers can be checked."""
    with reading() as db:
        found = public_release(db, g.slug or "", version)
    return zip_of(found, g.slug or "")


@public.post("/score")
@takes_from_strangers(FORM_BYTES)
@anyone
def score(version: str) -> str:
    """The scores of a run, which is forgotten with the answer."""
    with errors_on(partial(public_page, version), "Run"):
        return public_page(version, scores=_scored(version))


def _scored(version: str) -> StrangersScore:
    name, stream = sent_files("run")[0]
    # Before the database is asked: whoever waits holds nothing but a stranger's place.
    if not _SCORING.acquire(timeout=PATIENCE_SECONDS):
        raise Unavailable
    try:
        with reading() as db:
            found = public_release(db, g.slug or "", version)
            return score_strangers_run(db, found, stream, name)
    finally:
        _SCORING.release()


BLUEPRINTS = (
    blueprint,
    public,
)
