"""Creating a campaign and changing its settings: name, scale, guidelines, questions, breaks."""

from __future__ import annotations

from dataclasses import dataclass

from flask import Blueprint, render_template, request, url_for
from werkzeug.wrappers import Response

from workbench.errors import Finding, InvalidInput, WorkbenchError
from workbench.records import SCALES, Scale
from workbench.web import notices
from workbench.web.access import administrator, here, organiser, takes_guidelines, viewer
from workbench.web.context import reading, writing
from workbench.web.forms import findings_of, sent_text, status_of, whole_number
from workbench.web.pages.overview.steps import announce_step
from workbench.web.pages.settings.scale_form import (
    ScaleForm,
    read_scale,
    scale_form_of,
    scale_in_words,
    typed_scale_form,
)
from workbench.web.requests import see_other
from workbench.workflow.campaigns.campaigns import (
    LONGEST_GUIDELINES,
    LONGEST_NAME,
    campaign_of,
    change_campaign,
    create_campaign,
)
from workbench.workflow.judging.desk_rules import (
    BREAK_RULE,
    COMMENT_FOR,
    QUESTIONS,
    allows_search_of,
    break_minutes_of,
    desk_questions_of,
    questions_as_text,
    read_questions,
    save_allows_search,
    save_break_minutes,
    save_desk_questions,
)

blueprint = Blueprint("settings", __name__)
Answer = str | Response | tuple[str, int]


@dataclass(frozen=True, slots=True)
class CampaignForm:
    """The form of a campaign as it was filled in."""

    name: str
    guidelines: str
    scale: ScaleForm


@blueprint.get("/campaigns/new")
@administrator
def new() -> str:
    """The form for a new campaign."""
    return _new_page(CampaignForm("", "", scale_form_of(None)))


@blueprint.post("/campaigns/new")
@takes_guidelines
@administrator
def create() -> Answer:
    """Create a campaign with the viewer as its organiser."""
    typed = _sent_form()
    try:
        scale = _checked(typed)
        with writing() as db:
            made = create_campaign(
                db, name=typed.name, scale=scale, guidelines=typed.guidelines, organiser=viewer().id
            )
    except WorkbenchError as error:
        return _new_page(typed, findings_of(error, "Campaign", "name")), status_of(error)
    return see_other(url_for("setup.index", slug=made.slug))


@blueprint.get("/c/<slug>/settings")
@organiser
def index() -> str:
    """The settings of the campaign."""
    with reading() as db:
        made = campaign_of(db, here().id)
    return _settings_page(CampaignForm(made.name, made.guidelines, scale_form_of(made.scale)))


@blueprint.post("/c/<slug>/settings")
@takes_guidelines
@organiser
def change() -> Answer:
    """Save name, scale and guidelines."""
    typed = _sent_form()
    try:
        scale = _checked(typed)
        with writing() as db:
            change_campaign(db, here().id, name=typed.name, guidelines=typed.guidelines, scale=scale)
    except WorkbenchError as error:
        return _settings_page(typed, findings_of(error, "Scale", "scale")), status_of(error)
    announce_step("Settings saved.")
    return see_other(url_for("settings.index"))


@blueprint.post("/c/<slug>/settings/breaks")
@organiser
def breaks() -> Answer:
    """Set after how many minutes of judging a break is suggested; empty for never."""
    text = request.form.get(BREAK_RULE, "").strip()
    try:
        minutes = whole_number(text)
        if text and minutes is None:
            raise InvalidInput(
                [Finding("Break", None, BREAK_RULE, f"{text!r} is not a number", "minutes, or empty")]
            )
        with writing() as db:
            save_break_minutes(db, here().id, minutes)
    except InvalidInput as error:
        with reading() as db:
            made = campaign_of(db, here().id)
        typed = CampaignForm(made.name, made.guidelines, scale_form_of(made.scale))
        return _settings_page(typed, error.findings, text), 422
    notices.add("Breaks will be suggested." if minutes else "No breaks will be suggested.")
    return see_other(url_for("settings.index"))


@blueprint.post("/c/<slug>/settings/search")
@organiser
def search() -> Answer:
    """Allow searching the documents, or no longer."""
    allowed = "search" in request.form
    with writing() as db:
        save_allows_search(db, here().id, allowed)
    notices.add("Searching is turned on." if allowed else "Searching is turned off.")
    return see_other(url_for("settings.index", _anchor="search"))


@blueprint.post("/c/<slug>/settings/asked")
@organiser
def ask() -> Answer:
    """Set the additional questions about every document, and the grades that require a comment."""
    numbers = [whole_number(value) for value in request.form.getlist(COMMENT_FOR)]
    chosen = tuple(number for number in numbers if number is not None)
    text = sent_text(QUESTIONS)
    try:
        questions = read_questions(text)
        with writing() as db:
            save_desk_questions(db, here().id, questions, chosen)
    except WorkbenchError as error:
        with reading() as db:
            made = campaign_of(db, here().id)
        typed = CampaignForm(made.name, made.guidelines, scale_form_of(made.scale))
        findings = findings_of(error, "Questions", QUESTIONS)
        return _settings_page(typed, findings, sent_questions=(text, chosen)), status_of(error)
    notices.add("Questions saved. They apply the next time a judging desk is opened.")
    return see_other(url_for("settings.index", _anchor="asked"))


def _sent_form() -> CampaignForm:
    return CampaignForm(sent_text("name"), sent_text("guidelines"), typed_scale_form(request.form))


def _checked(typed: CampaignForm) -> Scale:
    """The scale of a form; raises InvalidInput with every error in the form."""
    findings: list[Finding] = []
    name = " ".join(typed.name.split())
    if not name:
        findings.append(Finding("Name", None, "name", "the name is missing"))
    if len(name) > LONGEST_NAME:
        short = f"at most {LONGEST_NAME} characters"
        findings.append(Finding("Name", None, "name", f"the name has {len(name)} characters", short))
    if len(typed.guidelines) > LONGEST_GUIDELINES:
        long = f"the guidelines have {len(typed.guidelines):,} characters"
        findings.append(Finding("Guidelines", None, "guidelines", long, f"at most {LONGEST_GUIDELINES:,}"))
    try:
        scale = read_scale(typed.scale)
    except InvalidInput as error:
        raise InvalidInput([*findings, *error.findings]) from None
    if findings:
        raise InvalidInput(findings)
    return scale


def _new_page(typed: CampaignForm, findings: tuple[Finding, ...] = ()) -> str:
    return render_template("settings/new.html", **_for_form(typed, findings))


def _settings_page(
    typed: CampaignForm,
    findings: tuple[Finding, ...] = (),
    sent_breaks: str | None = None,
    sent_questions: tuple[str, tuple[int, ...]] | None = None,
) -> str:
    with reading() as db:
        kept = break_minutes_of(db, here().id)
        asked = desk_questions_of(db, here().id)
        searchable = allows_search_of(db, here().id)
        grades = campaign_of(db, here().id).scale.grades
    shown = str(kept or "") if sent_breaks is None else sent_breaks
    questions, comment_for = sent_questions or (questions_as_text(asked.questions), asked.comment_for)
    return render_template(
        "settings/index.html",
        breaks=shown,
        searchable=searchable,
        asked={"questions": questions, "comment_for": comment_for, "grades": grades},
        **_for_form(typed, findings),
    )


def _for_form(typed: CampaignForm, findings: tuple[Finding, ...]) -> dict[str, object]:
    ready = {name: (scale, scale_in_words(scale)) for name, scale in SCALES.items()}
    return {"typed": typed, "findings": findings, "ready": ready}
