"""Releases of a campaign: the list, making one, and one release with what is in it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from flask import Blueprint, render_template, request, url_for
from werkzeug.wrappers import Response

from workbench.consensus.rules import RULES, RuleChoice, choice_label
from workbench.errors import WorkbenchError
from workbench.releases.contents import Included
from workbench.web.access import here, in_archive, organiser, reader, viewer
from workbench.web.context import reading, writing
from workbench.web.downloads import streamed
from workbench.web.forms import Findings, accepted, errors_on, findings_of, sent_text, status_of
from workbench.web.long_work import make_release_soon
from workbench.web.pages.qrels.rule_form import rule_form
from workbench.web.requests import Reply
from workbench.workflow.campaigns.campaigns import campaign_of
from workbench.workflow.releases.collecting import ReleaseRequest
from workbench.workflow.releases.making import LONGEST_LINE, LONGEST_TEXT
from workbench.workflow.releases.reading import release_sheet
from workbench.workflow.releases.releases import (
    LONGEST_REASON,
    Release,
    publish_release,
    release_by_version,
    release_parts,
    release_readiness,
    releases_of,
    unpublish_release,
    withdraw_release,
)
from workbench.workflow.releases.scoring import measures_for

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


@dataclass(frozen=True, slots=True)
class ReleaseForm:
    """What the form of a new release says; `authors` has one a line."""

    version: str
    title: str
    description: str = ""
    authors: str = ""
    licence: str = ""
    homepage: str = ""
    included: frozenset[Included] = frozenset()

    def request(self, choice: RuleChoice) -> ReleaseRequest:
        """The release by a rule that the form asks for."""
        return ReleaseRequest(
            self.version,
            choice,
            self.included,
            self.title,
            self.description,
            tuple(self.authors.splitlines()),
            self.licence,
            self.homepage,
        )


@blueprint.get("")
@reader
def index() -> str:
    """The releases of the campaign, the latest first."""
    with reading() as db:
        found = releases_of(db, here().id)
    current = next((one for one in found if not one.withdrawn), None)
    return render_template("releases/index.html", releases=found, current=current)


@blueprint.get("/new")
@organiser
def new() -> Reply:
    """The form of a new release: what is still open first."""
    return _form_page(None)


@blueprint.post("/new")
@organiser
def create() -> Response:
    """Make the release; the rule is that of the address."""
    form = _sent_form()
    with errors_on(partial(_form_page, form), "Version", "version"):
        with reading() as db:
            choice = rule_form(db).choice
        made = make_release_soon(form.request(choice), made_by=viewer().id)
    release = made.release
    return accepted(
        f"Release {release.version} created: {release.lines:,} qrels lines on {release.topics:,} topics. "
        "Only members see it until you publish it.",
        "releases.release",
        version=release.version,
    )


@blueprint.get("/v/<version>")
@reader
def release(version: str, reason: str = "", findings: Findings = ()) -> str:
    """One release: what is in it, how it is cited, and what can be done with it."""
    with reading() as db:
        found = release_by_version(db, here().id, version)
        sheet = release_sheet(db, found)
    return render_template(
        "releases/release.html",
        release=found,
        sheet=sheet,
        command=score_command(found),
        public_address=_public_address(found),
        reason=reason,
        longest_reason=LONGEST_REASON,
        findings=findings,
    )


@blueprint.get("/v/<version>/zip")
@reader
def download(version: str) -> Response:
    """The bytes as they were made, of a withdrawn release too."""
    with reading() as db:
        found = release_by_version(db, here().id, version)
    return zip_of(found, here().slug)


@blueprint.post("/v/<version>/publish")
@in_archive
@organiser
def publish(version: str) -> Response:
    """Let outsiders see it."""
    with writing() as db:
        publish_release(db, here().id, version)
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
    with writing() as db:
        unpublish_release(db, here().id, version)
    return accepted(f"Release {version} is no longer public.", "releases.release", version=version)


@blueprint.post("/v/<version>/withdraw")
@in_archive
@organiser
def withdraw(version: str) -> Reply:
    """Withdraw it for a reason that stays on its pages."""
    reason = sent_text("reason")
    try:
        with writing() as db:
            withdraw_release(db, here().id, version, reason=reason, by=viewer().id)
    except WorkbenchError as error:
        found = findings_of(error, "Reason", "reason")
        return release(version, reason, found), status_of(error)
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


def _public_address(found: Release) -> str:
    # Of this site as its viewer reached it: it is to be sent to others.
    return url_for("public_release.index", version=found.version, _external=True)


def _form_page(form: ReleaseForm | None, findings: Findings = ()) -> str:
    readiness, refused = None, None
    with reading() as db:
        rule = rule_form(db)
        campaign = campaign_of(db, here().id)
        latest = next(iter(releases_of(db, here().id)), None)
        before = release_sheet(db, latest) if latest else None
        try:
            readiness = release_readiness(db, here().id, rule.choice)
        except WorkbenchError as error:
            refused = error
    if form is None:
        form = ReleaseForm(
            version=readiness.version if readiness else "",
            title=latest.title if latest else campaign.name,
            description=before.description if before else "",
            licence=before.licence if before else "",
            homepage=before.homepage if before else "",
        )
    ways = {
        "empty-topics": (url_for("qrels.index", **dict[str, Any](rule.arguments())), "View the qrels"),
        "disputes": (url_for("adjudication.index"), "Adjudicate"),
        "unjudged": (url_for("assignments.index"), "Assignments"),
        "unsettled": (url_for("qrels.index", **dict[str, Any](rule.arguments())), "View the pairs"),
    }
    return render_template(
        "releases/new.html",
        form=rule,
        sent=form,
        rules=RULES,
        rule_label=choice_label(rule.choice) if readiness else "",
        readiness=readiness,
        refused=refused,
        ways=ways,
        included=INCLUDED,
        longest=(LONGEST_LINE, LONGEST_TEXT),
        findings=findings,
    )


def _sent_form() -> ReleaseForm:
    asked = set(request.form.getlist("include"))
    return ReleaseForm(
        version=sent_text("version").strip(),
        title=sent_text("title"),
        description=sent_text("description"),
        authors=sent_text("authors"),
        licence=sent_text("licence"),
        homepage=sent_text("homepage"),
        included=frozenset(one for one in Included if one in asked),
    )
