"""What runs must keep to: which findings are errors, documents a topic at most, which documents exist."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import Blueprint, render_template, request, url_for
from werkzeug.wrappers import Response

from workbench.counts import counted
from workbench.errors import Finding, InvalidInput, WorkbenchError
from workbench.formats.run_rules import CODES, DEFAULT_RULES, RunRules, Treatment, changed_rules
from workbench.web import notices
from workbench.web.access import here, organiser, viewer
from workbench.web.context import reading, writing
from workbench.web.forms import findings_of, sent_files, sent_text, status_of, whole_number
from workbench.web.meanwhile import marks, merged
from workbench.web.requests import see_other
from workbench.workflow.runs.run_rules import (
    collection_list,
    keep_list,
    keep_rules,
    read_list,
    remove_list,
    rules_of,
)

blueprint = Blueprint("run_rules", __name__, url_prefix="/c/<slug>/runs/rules")
Answer = Response | tuple[str, int]


@blueprint.get("")
@organiser
def index() -> str:
    """The rules and the list."""
    return _page()


@blueprint.post("")
@organiser
def change() -> Answer:
    """Keep the rules."""
    most, typed = sent_text("max_per_topic").strip(), None
    try:
        typed = _typed(most)
        with writing() as db:
            found = merged(_values(typed), _values(rules_of(db, here().id)))
            limit = found.pop("max_per_topic")
            keep_rules(db, here().id, _rules(found, limit))
    except WorkbenchError as error:
        return _page(findings_of(error, "Rules"), most=most, typed=typed), status_of(error)
    notices.add("The rules are saved. They apply to files checked from now on.")
    return see_other(url_for("run_rules.index"))


@blueprint.post("/list")
@organiser
def give_list() -> Answer:
    """Take a list of docnos in the place of the one there is."""
    try:
        files = sent_files()
        if len(files) > 1:
            raise InvalidInput([Finding("Files", None, "files", "there is one list", "choose a single file")])
        found = read_list(*files[0])
        with writing() as db:
            keep_list(db, here().id, found, added_by=viewer().id)
    except WorkbenchError as error:
        return _page(findings_of(error, "List")), status_of(error)
    notices.add(f"The list has {counted(found.docnos, 'document')}; new runs are checked against it.")
    return see_other(url_for("run_rules.index"))


@blueprint.post("/list/remove")
@organiser
def forget_list() -> Response:
    """Forget the list."""
    with writing() as db:
        remove_list(db, here().id)
    notices.add("The list is removed; documents of runs are no longer checked.")
    return see_other(url_for("run_rules.index"))


def _typed(most: str) -> RunRules:
    limit = whole_number(most) if most else None
    if most and limit is None:
        message = f"{most[:20]!r} is no number of documents"
        raise InvalidInput(
            [Finding("Rules", None, "max_per_topic", message, "give 1 or more, or leave it empty")]
        )
    return _rules({name: request.form.get(f"code-{name}", "") for name in CODES}, limit)


def _rules(treatments: Mapping[str, str], limit: int | None) -> RunRules:
    known = {str(treatment) for treatment in Treatment}
    given = [
        (name, Treatment(value))
        for name, value in treatments.items()
        if value in known and not CODES[name].fixed
    ]
    return changed_rules(DEFAULT_RULES, given, max_per_topic=limit)


def _values(rules: RunRules) -> dict[str, Any]:
    """The fields of the form."""
    codes = {name: str(rules.of(name)) for name, code in CODES.items() if not code.fixed}
    return {"max_per_topic": rules.max_per_topic} | codes


def _page(
    findings: tuple[Finding, ...] = (), *, most: str | None = None, typed: RunRules | None = None
) -> str:
    with reading() as db:
        rules = rules_of(db, here().id)
        docnos = collection_list(db, here().id)
    limit = "" if rules.max_per_topic is None else str(rules.max_per_topic)
    return render_template(
        "runs/rules.html",
        rules=typed or rules,
        was=marks(_values(rules)),
        codes=CODES.values(),
        docnos=docnos,
        most=limit if most is None else most,
        findings=findings,
    )
