"""Runs: the list, the rules for participants, and late runs.

The pages of uploads and of one run serve organisers and participants alike (`run_uploads`, `run_records`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import date
from typing import Any

from flask import Blueprint, render_template, request
from werkzeug.wrappers import Response

from workbench.errors import Finding, InvalidInput, rejected
from workbench.figures import counted
from workbench.formats.run_rules import CODES, RuleSet, RunRules
from workbench.frozen import frozen_dataclass
from workbench.records import Verdict, id_bytes
from workbench.storage import Session
from workbench.tables import csv_bytes
from workbench.web.access import here, organiser, reader, viewer
from workbench.web.context import app_context, reading, reading_here, write_here, writing_here
from workbench.web.downloads import attachment
from workbench.web.forms import (
    Findings,
    accepted,
    errors_on,
    form_number,
    marks,
    merged,
    named,
    query_text,
    sent_files,
    sent_id,
    sent_ids,
    sent_text,
    whole_number,
)
from workbench.web.pages.run_records import OrganiserFace, serve_records
from workbench.web.pages.run_uploads import serve_uploads
from workbench.web.paging import page_of
from workbench.web.requests import Values, write_id
from workbench.workflow.campaigns.collection import topics_of
from workbench.workflow.judging.late_runs import HolesFilled, fill_holes, holes_of
from workbench.workflow.people.groups import group_names
from workbench.workflow.people.membership import Role
from workbench.workflow.runs.run_records import (
    HEADER,
    CampaignRun,
    give_verdict,
    metadata_rows,
    runs_of,
    without_drafts,
)
from workbench.workflow.runs.run_rules import (
    collection_list,
    keep_list,
    keep_rules,
    read_list,
    remove_list,
    rules_of,
)
from workbench.workflow.runs.uploads import waiting_batches

blueprint = Blueprint("runs", __name__, url_prefix="/c/<slug>/runs")

NO_GROUP = "none"
SORTS: Mapping[str, str] = {
    "tag": "by tag",
    "group": "by group, then priority",
    "added": "newest first",
    "warnings": "most warnings first",
}
_LAST = 10**9


@frozen_dataclass
class RunChoice:
    """Which runs a list shows, and in what order; an empty text chooses everything."""

    group: str
    verdict: str
    sort: str

    def arguments(self) -> dict[str, str]:
        """The same for an address."""
        chosen = {"group": self.group, "verdict": self.verdict, "sort": self.sort}
        return {name: value for name, value in chosen.items() if value and (name, value) != ("sort", "tag")}

    def of(self, runs: Iterable[CampaignRun]) -> tuple[CampaignRun, ...]:
        """The chosen runs in the chosen order."""
        group = whole_number(self.group)
        kept = (
            run
            for run in runs
            if (not self.verdict or run.verdict == self.verdict)
            and (not self.group or run.metadata.group_id == (None if self.group == NO_GROUP else group))
        )
        return tuple(sorted(kept, key=_KEYS[self.sort]))


@blueprint.get("")
@reader
def index() -> str:
    """The list of runs, with warnings, and the form for more."""
    choice = run_choice()
    with reading_here() as (db, campaign_id):
        runs = _shown(db)
        topics = len(topics_of(db, campaign_id))
        groups = group_names(db, campaign_id)
        batches = waiting_batches(db, campaign_id)
    chosen = choice.of(runs)
    return render_template(
        "runs/index.html",
        runs=chosen,
        page=page_of(chosen),
        count=len(runs),
        topics=topics,
        groups=groups,
        choice=choice,
        sorts=SORTS,
        verdicts=tuple(Verdict),
        waiting=[run.tag for run in chosen if run.verdict is Verdict.RECEIVED],
        batches=batches,
        own=False,
    )


@blueprint.post("/accept")
@organiser
def accept() -> Response:
    """Accept several runs at once."""
    changed = write_here(give_verdict, sent_ids("run"), Verdict.ACCEPTED, by=viewer().id)
    return accepted(f"{counted(changed, 'run')} accepted.", "runs.index")


@blueprint.get("/records.csv")
@reader
def as_csv() -> Response:
    """The metadata of the runs that the address chooses, as CSV."""
    with reading() as db:
        rows = metadata_rows(run_choice().of(_shown(db)))
    return attachment(csv_bytes(HEADER, rows, read_back=True), f"{here().slug}.runs.csv", kind="text/csv")


def run_choice() -> RunChoice:
    """The choice of this request's address; what it cannot mean chooses everything."""
    group, verdict = query_text("group"), query_text("verdict")
    sort = query_text("sort")
    return RunChoice(
        group=group if group == NO_GROUP or whole_number(group) is not None else "",
        verdict=verdict if verdict in set(Verdict) else "",
        sort=sort if sort in SORTS else "tag",
    )


def _shown(db: Session) -> tuple[CampaignRun, ...]:
    """The runs as this viewer may see them: only organisers know of drafts of pools."""
    runs = runs_of(db, here().id)
    return runs if Role.ORGANISER in here().roles else tuple(map(without_drafts, runs))


# Runs without a group or a priority come last.
_KEYS: Mapping[str, Callable[[CampaignRun], Any]] = {
    "tag": lambda run: id_bytes(run.tag),
    "group": lambda run: (
        run.group == "", run.group.casefold(), run.metadata.priority or _LAST, id_bytes(run.tag)
    ),
    "added": lambda run: (-run.added_at.timestamp(), -run.id),
    "warnings": lambda run: (-len(run.warnings), id_bytes(run.tag)),
}  # fmt: skip


LIMITS = ("max_per_topic", "max_per_group")
rules = Blueprint("run_rules", __name__, url_prefix="/c/<slug>/runs/rules")


@rules.get("", endpoint="index")
@organiser
def rules_page(findings: Findings = ()) -> str:
    """The rules and the list."""
    with reading_here() as (db, campaign_id):
        rules = rules_of(db, campaign_id)
        return render_template(
            "runs/rules.html",
            typed=_typed_rules() if "max_per_topic" in request.form else _values(rules),
            was=marks(_values(rules)),
            rule_sets=tuple(RuleSet),
            codes=CODES.values(),
            docnos=collection_list(db, campaign_id),
            findings=findings,
        )


@rules.post("")
@organiser
def change() -> Response:
    """Keep the rules."""
    with errors_on(rules_page, "Rules"), writing_here() as (db, campaign_id):
        found = merged(_typed_rules(), _values(rules_of(db, campaign_id)))
        keep_rules(db, campaign_id, _rules(found))
    return accepted("The rules are saved. They apply to files checked from now on.", "run_rules.index")


@rules.post("/list")
@organiser
def give_list() -> Response:
    """Take a list of docnos in the place of the one there is."""
    with errors_on(rules_page, "List"):
        files = sent_files()
        if len(files) > 1:
            raise rejected("Files", None, "files", "there is one list", "choose a single file")
        found = read_list(*files[0])
        write_here(keep_list, found, added_by=viewer().id)
    return accepted(
        f"The list has {counted(found.docnos, 'document')}; new runs are checked against it.",
        "run_rules.index",
    )


@rules.post("/list/remove")
@organiser
def forget_list() -> Response:
    """Forget the list."""
    write_here(remove_list)
    return accepted("The list is removed; documents of runs are no longer checked.", "run_rules.index")


def _typed_rules() -> Values:
    return {
        "rule_set": sent_text("rule_set"),
        "last_day": sent_text("last_day").strip() or None,
        **{name: _typed_number(name) for name in LIMITS},
    }


def _typed_number(name: str) -> int | str | None:
    text = sent_text(name).strip()
    number = whole_number(text)
    # What is no number is shown again as it was typed.
    return (text or None) if number is None else number


def _rules(typed: Mapping[str, Any]) -> RunRules:
    chosen = named(RuleSet, typed["rule_set"])
    findings = [
        Finding(
            "Rules", None, name, f"{typed[name][:20]!r} is not a number", "give 1 or more, or leave it empty"
        )
        for name in LIMITS
        if isinstance(typed[name], str)
    ]
    day = None
    try:
        day = date.fromisoformat(typed["last_day"]) if typed["last_day"] else None
    except ValueError:
        message = f"{typed['last_day'][:20]!r} is not a date"
        findings.append(Finding("Rules", None, "last_day", message, "write it as 2026-12-31"))
    if chosen is None:
        findings.append(Finding("Rules", None, "rule_set", "no set of rules is chosen", "choose one"))
    if findings or chosen is None:
        raise InvalidInput(findings)
    return RunRules(typed["max_per_topic"], chosen, typed["max_per_group"], day)


def _values(rules: RunRules) -> Values:
    """The fields of the form."""
    return rules.to_json()


late = Blueprint("late_runs", __name__, url_prefix="/c/<slug>/runs/holes")
DEPTH = "10"


@late.get("")
@reader
def holes(findings: Findings = ()) -> str:
    """The unjudged documents of a run by cut-off and topic; `?tag=` names it."""
    tag = sent_id("tag")
    with reading() as db:
        return render_template(
            "runs/late.html",
            holes=holes_of(db, here().id, tag),
            tag_in_address=write_id(tag),
            depth=request.form.get("depth", DEPTH),
            findings=findings,
        )


@late.post("")
@organiser
def fill() -> Response:
    """Make the supplementary pool, for the assessors who know the topics."""
    tag = sent_id("tag")
    depth = form_number("depth")
    with errors_on(holes, "Depth", "depth"):
        if depth is None or depth < 1:
            raise rejected("Depth", None, "depth", "this is not a number of documents", "enter 1 or more")
        filled = fill_holes(app_context().database, here().id, tag, depth=depth, created_by=viewer().id)
    return accepted(_in_words(filled), "assignments.index", pool=filled.pool.pool.id)


def _in_words(filled: HolesFilled) -> str:
    pool = filled.pool.pool
    size, given = counted(pool.pairs, "pair"), counted(filled.assigned, "assignment")
    message = f"Pool “{pool.name}” has {size}; {given} added."
    if filled.unassigned:
        message += (
            f" {counted(filled.unassigned, 'topic has', 'topics have')} no judgments yet: assign them here."
        )
    return message


_FACE = OrganiserFace()
_uploads = Blueprint("run_checks", __name__, url_prefix="/c/<slug>/runs/checked")
serve_uploads(_uploads, _FACE)
serve_records(blueprint, _FACE, file="/file", removal="/remove")

BLUEPRINTS = (blueprint, _uploads, rules, late)
