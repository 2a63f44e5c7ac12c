"""The settings of a campaign: its name, scale and guidelines, its archive and its end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import Blueprint, render_template, request
from werkzeug.wrappers import Response

from workbench.errors import Finding, InvalidInput, NotAllowed, WorkbenchError, rejected
from workbench.formats.identifiers import storable
from workbench.frozen import frozen_dataclass
from workbench.records import FOUR_GRADES, SCALES, Scale
from workbench.web.access import administrator, here, in_archive, organiser, takes_guidelines, viewer
from workbench.web.context import app_context, reading, reading_here, write_here, writing, writing_here
from workbench.web.forms import (
    Findings,
    accepted,
    errors_on,
    findings_of,
    form_text,
    in_a_line,
    mark,
    marks,
    merged,
    sent_numbers,
    sent_text,
    theirs,
    whole_number,
)
from workbench.web.navigation import announce_step
from workbench.web.requests import Reply, Values, go_to
from workbench.workflow.campaigns.archive import (
    archive_campaign,
    contents_of,
    delete_campaign,
    duplicate_campaign,
    restore_campaign,
)
from workbench.workflow.campaigns.campaigns import (
    LONGEST_GUIDELINES,
    LONGEST_NAME,
    Campaign,
    anything_judged,
    campaign_of,
    change_campaign,
    changed_meanings,
    create_campaign,
    instructions_of,
    scale_from_json,
    scale_to_json,
)
from workbench.workflow.judging.desk_rules import (
    BREAK_RULE,
    COMMENT_FOR,
    QUESTIONS,
    DeskQuestions,
    allows_search_of,
    break_minutes_of,
    desk_questions_of,
    questions_as_text,
    read_questions,
    save_allows_search,
    save_break_minutes,
    save_desk_questions,
)

ROWS = 8
OWN = "own"
CODE = "scale"
COLUMNS = ("value", "label", "key", "definition", "weight")


@frozen_dataclass
class GradeRow:
    """One row of the table of grades, as typed."""

    value: str = ""
    label: str = ""
    key: str = ""
    definition: str = ""
    weight: str = ""

    @property
    def blank(self) -> bool:
        """Whether the row is empty."""
        return not (self.value or self.label or self.definition)


@frozen_dataclass
class ScaleForm:
    """The form: a predefined scale by name, or `own` with its rows; `relevant` is the index of a row."""

    kind: str
    rows: tuple[GradeRow, ...]
    relevant: int | None


def scale_form_of(scale: Scale | None) -> ScaleForm:
    """The form of a scale; for None the binary scale, with four grades in the rows of a custom one."""
    shown = scale or FOUR_GRADES
    kind = next((name for name, known in SCALES.items() if known == scale), OWN if scale else "binary")
    rows = [
        GradeRow(str(grade.value), grade.label, grade.key, grade.definition, str(grade.weight))
        for grade in shown.grades
    ]
    relevant = [grade.value for grade in shown.grades].index(shown.relevant_from)
    return ScaleForm(kind, (*rows, *[GradeRow()] * (ROWS - len(rows))), relevant)


def typed_scale_form(form: Mapping[str, str]) -> ScaleForm:
    """The form as it was sent, valid or not."""
    # A scale created on the command line may have more grades than a new form has rows.
    sent = min(100, sum(name.startswith("value-") for name in form))
    rows = [
        GradeRow(*(storable(form.get(f"{column}-{row}", "")).strip() for column in COLUMNS))
        for row in range(max(ROWS, sent))
    ]
    return ScaleForm(form.get("scale", ""), tuple(rows), whole_number(form.get("relevant", "")))


def read_scale(form: ScaleForm) -> Scale:
    """The scale that the form describes; raises InvalidInput with every error."""
    if form.kind in SCALES:
        return SCALES[form.kind]
    if form.kind != OWN:
        raise rejected("Scale", None, CODE, "no scale is chosen", "choose a predefined scale or a custom one")
    findings: list[Finding] = []
    grades = [(index, _grade(index, row, findings)) for index, row in enumerate(form.rows) if not row.blank]
    relevant = dict(grades).get(-1 if form.relevant is None else form.relevant)
    if relevant is None:
        findings.append(
            Finding(
                "Scale",
                None,
                CODE,
                "no grade is marked as the lowest relevant one",
                "mark the lowest grade that counts as relevant",
            )
        )
    if findings or relevant is None:
        raise InvalidInput(findings)
    ordered = sorted((grade for _, grade in grades), key=lambda grade: int(grade["value"]))
    try:
        return scale_from_json({"grades": ordered, "relevant_from": relevant["value"]})
    except WorkbenchError as error:
        raise InvalidInput(findings_of(error, "Scale", CODE)) from None


def scale_in_words(scale: Scale) -> str:
    """A scale in a line: `grades 0 to 3, relevant from 2`."""
    data = scale_to_json(scale)["grades"]
    return f"grades {data[0]['value']} to {data[-1]['value']}, relevant from {scale.relevant_from}"


def _grade(index: int, row: GradeRow, findings: list[Finding]) -> Values:
    place = f"Grade in row {index + 1}"
    value = whole_number(row.value)
    if value is None or not 0 <= value <= 1000:
        findings.append(
            Finding(place, None, CODE, f"the value is {row.value!r}", "enter a whole number of 0 or more")
        )
    if not row.label:
        findings.append(
            Finding(place, None, CODE, "the label is missing", "enter a word or two for the grade")
        )
    grade: Values = {"value": value or 0, "label": row.label, "definition": row.definition}
    if row.key:
        grade["key"] = row.key
    if row.weight:
        weight = whole_number(row.weight)
        if weight is None:
            findings.append(
                Finding(place, None, CODE, f"the colour is {row.weight!r}", "choose 0, 1, 2 or 3")
            )
        grade["weight"] = weight or 0
    return grade


blueprint = Blueprint("settings", __name__)


@frozen_dataclass
class CampaignForm:
    """The form of a campaign as it was filled in."""

    name: str
    guidelines: str
    scale: ScaleForm


class _Unconfirmed(Exception):
    """What was judged would mean something else: `changes` in words, and the mark of the new scale."""

    def __init__(self, changes: tuple[str, ...], mark: str) -> None:
        super().__init__(*changes)
        self.changes, self.mark = changes, mark


@blueprint.get("/campaigns/new")
@administrator
def new(findings: Findings = ()) -> str:
    """The form for a new campaign."""
    typed = _sent_form() if findings else CampaignForm("", "", scale_form_of(None))
    return render_template("settings/new.html", **_for_form(typed, findings))


@blueprint.post("/campaigns/new")
@takes_guidelines
@administrator
def create() -> Response:
    """Create a campaign with the viewer as its organiser."""
    typed = _sent_form()
    with errors_on(new, "Campaign", "name"):
        scale = _checked(typed)
        with writing() as db:
            made = create_campaign(
                db, name=typed.name, scale=scale, guidelines=typed.guidelines, organiser=viewer().id
            )
    return go_to("setup.index", slug=made.slug)


@blueprint.get("/c/<slug>/settings")
@organiser
def index(findings: Findings = (), changes: tuple[str, ...] = (), confirmed: str = "") -> str:
    """The settings of the campaign."""
    with reading_here() as (db, campaign_id):
        kept = break_minutes_of(db, campaign_id)
        asked = desk_questions_of(db, campaign_id)
        searchable = allows_search_of(db, campaign_id)
        made = campaign_of(db, campaign_id)
        versions = instructions_of(db, campaign_id)
    questions, comment_for = questions_as_text(asked.questions), asked.comment_for
    if QUESTIONS in request.form:
        questions, comment_for = sent_text(QUESTIONS), tuple(sent_numbers(COMMENT_FOR))
    typed, values = CampaignForm(made.name, made.guidelines, scale_form_of(made.scale)), _values(made)
    return render_template(
        "settings/index.html",
        breaks=request.form.get(BREAK_RULE, str(kept or "")).strip(),
        searchable=searchable,
        asked={"questions": questions, "comment_for": comment_for, "grades": made.scale.grades},
        was={
            "campaign": marks(values),
            "asked": marks(_asked_values(asked)),
            "breaks": marks({BREAK_RULE: kept}),
            "search": marks({"search": searchable}),
        },
        versions=versions,
        changes=changes,
        confirmed=confirmed,
        theirs={
            name: _in_words(value)
            for name, value in theirs().items()
            if name in values and in_a_line(value) is None
        },
        **_for_form(_sent_form() if "guidelines" in request.form else typed, findings),
    )


@blueprint.post("/c/<slug>/settings")
@takes_guidelines
@organiser
def change() -> Reply:
    """Save what was changed of name, scale and guidelines; other meanings of grades are asked for twice."""
    typed = _sent_form()
    try:
        with errors_on(index, "Scale", "scale"):
            sent = {
                "name": typed.name,
                "guidelines": typed.guidelines,
                "scale": scale_to_json(_checked(typed)),
            }
            with writing() as db:
                made = campaign_of(db, here().id)
                found = merged(sent, _values(made))
                found["scale"] = scale_from_json(scale := found["scale"])
                change_campaign(db, made.id, by=viewer().id, **found)
                changes = changed_meanings(made.scale, found["scale"]) if anything_judged(db, made.id) else ()
                if changes and form_text("confirmed") != mark(scale):
                    raise _Unconfirmed(changes, mark(scale))
    except _Unconfirmed as asked:
        return index(changes=asked.changes, confirmed=asked.mark), 409
    announce_step("Settings saved.")
    return go_to("settings.index")


@blueprint.post("/c/<slug>/settings/breaks")
@organiser
def breaks() -> Response:
    """Set after how many minutes of judging a break is suggested; empty for never."""
    text = form_text(BREAK_RULE).strip()
    with errors_on(index):
        minutes = whole_number(text)
        if text and minutes is None:
            raise rejected(
                "Break", None, BREAK_RULE, f"{text!r} is not a number", "enter minutes, or leave it empty"
            )
        with writing_here() as (db, campaign_id):
            found = merged({BREAK_RULE: minutes}, {BREAK_RULE: break_minutes_of(db, campaign_id)})
            save_break_minutes(db, campaign_id, found[BREAK_RULE])
    return accepted(
        "Breaks will be suggested." if minutes else "No breaks will be suggested.", "settings.index"
    )


@blueprint.post("/c/<slug>/settings/search")
@organiser
def search() -> Response:
    """Allow searching the documents, or no longer."""
    allowed = "search" in request.form
    with writing_here() as (db, campaign_id):
        found = merged({"search": allowed}, {"search": allows_search_of(db, campaign_id)})
        save_allows_search(db, campaign_id, found["search"])
    return accepted(
        "Searching is turned on." if allowed else "Searching is turned off.",
        "settings.index",
        _anchor="search",
    )


@blueprint.post("/c/<slug>/settings/asked")
@organiser
def ask() -> Response:
    """Set the additional questions about every document, and the grades that require a comment."""
    with errors_on(index, "Questions", QUESTIONS):
        questions = questions_as_text(read_questions(sent_text(QUESTIONS)))
        sent = {QUESTIONS: questions, COMMENT_FOR: sorted(sent_numbers(COMMENT_FOR))}
        with writing_here() as (db, campaign_id):
            found = merged(sent, _asked_values(desk_questions_of(db, campaign_id)))
            save_desk_questions(db, campaign_id, read_questions(found[QUESTIONS]), found[COMMENT_FOR])
    return accepted(
        "Questions saved. They apply the next time a judging desk is opened.",
        "settings.index",
        _anchor="asked",
    )


def _sent_form() -> CampaignForm:
    return CampaignForm(sent_text("name"), sent_text("guidelines"), typed_scale_form(request.form))


def _checked(typed: CampaignForm) -> Scale:
    """The scale of a form; raises InvalidInput with every error in the form."""
    findings: list[Finding] = []
    name = " ".join(typed.name.split())
    if not name:
        findings.append(Finding("Name", None, "name", "the name is missing"))
    if len(name) > LONGEST_NAME:
        findings.append(
            Finding(
                "Name",
                None,
                "name",
                f"the name has {len(name)} characters",
                f"at most {LONGEST_NAME} characters",
            )
        )
    if len(typed.guidelines) > LONGEST_GUIDELINES:
        findings.append(
            Finding(
                "Guidelines",
                None,
                "guidelines",
                f"the guidelines have {len(typed.guidelines):,} characters",
                f"at most {LONGEST_GUIDELINES:,}",
            )
        )
    try:
        scale = read_scale(typed.scale)
    except InvalidInput as error:
        raise InvalidInput([*findings, *error.findings]) from None
    if findings:
        raise InvalidInput(findings)
    return scale


def _values(made: Campaign) -> Values:
    return {"name": made.name, "guidelines": made.guidelines, "scale": scale_to_json(made.scale)}


def _asked_values(asked: DeskQuestions) -> Values:
    return {QUESTIONS: questions_as_text(asked.questions), COMMENT_FOR: sorted(asked.comment_for)}


def _in_words(value: Any) -> str:
    """What somebody else saved, to read beside what was typed."""
    if not isinstance(value, dict):
        return str(value)
    grades = [f"{one['value']} {one['label']} (key {one['key']})" for one in value["grades"]]
    return f"{', '.join(grades)}; relevant from {value['relevant_from']}"


def _for_form(typed: CampaignForm, findings: Findings) -> dict[str, object]:
    ready = {name: (scale, scale_in_words(scale)) for name, scale in SCALES.items()}
    return {"typed": typed, "findings": findings, "ready": ready}


ending = Blueprint("archive", __name__, url_prefix="/c/<slug>/settings/archive")


@ending.get("", endpoint="index")
@organiser
def archive_page(findings: Findings = ()) -> str:
    """What can be done with the campaign as a whole, and what each of it means."""
    with reading() as db:
        return render_template(
            "settings/archive.html",
            contents=contents_of(db, here().id),
            copy_name=request.form.get("copy_name", f"Copy of {here().name}"),
            typed_name=form_text("name"),
            findings=findings,
        )


@ending.post("")
@organiser
def archive() -> Response:
    """Archive the campaign."""
    write_here(archive_campaign)
    return accepted("Campaign archived. It is read only until it is restored.", "archive.index")


@ending.post("/restore")
@in_archive
@organiser
def restore() -> Response:
    """Restore the archived campaign."""
    write_here(restore_campaign)
    return accepted("Campaign restored. Judging can go on.", "overview.index")


@ending.post("/duplicate")
@in_archive
@organiser
def duplicate() -> Response:
    """Create a campaign with the scale, guidelines and rules of this one; for administrators."""
    if not viewer().administrator:
        raise NotAllowed("only administrators create campaigns", remedy="ask an administrator")
    with errors_on(archive_page, "Name", of="copy_name"):
        made = write_here(duplicate_campaign, name=sent_text("copy_name"), organiser=viewer().id)
    return accepted(
        f"{made.name} has the scale, guidelines and rules of {here().name}.", "overview.index", slug=made.slug
    )


@ending.post("/delete")
@in_archive
@organiser
def delete() -> Response:
    """Delete the campaign with everything in it, if its name was typed."""
    name = here().name
    with errors_on(archive_page, "Name", "name"):
        delete_campaign(app_context().database, here().id, typed_name=sent_text("name"))
    return accepted(f"Campaign {name} deleted.", "campaigns.index")
