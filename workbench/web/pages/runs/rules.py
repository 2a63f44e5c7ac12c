"""What runs must keep to: which findings are errors, documents a topic at most, which documents exist."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import Blueprint, render_template, request
from werkzeug.wrappers import Response

from workbench.errors import Finding, InvalidInput, rejected
from workbench.figures import counted
from workbench.formats.run_rules import CODES, RuleSet, RunRules
from workbench.web.access import here, organiser, viewer
from workbench.web.context import reading, writing
from workbench.web.forms import (
    Findings,
    accepted,
    errors_on,
    named,
    sent_files,
    sent_text,
    whole_number,
)
from workbench.web.meanwhile import marks, merged
from workbench.web.requests import Values
from workbench.workflow.runs.run_rules import (
    collection_list,
    keep_list,
    keep_rules,
    read_list,
    remove_list,
    rules_of,
)

blueprint = Blueprint("run_rules", __name__, url_prefix="/c/<slug>/runs/rules")


@blueprint.get("")
@organiser
def index(findings: Findings = ()) -> str:
    """The rules and the list."""
    with reading() as db:
        rules = rules_of(db, here().id)
        return render_template(
            "runs/rules.html",
            typed=_typed() if "max_per_topic" in request.form else _values(rules),
            was=marks(_values(rules)),
            rule_sets=tuple(RuleSet),
            codes=CODES.values(),
            docnos=collection_list(db, here().id),
            findings=findings,
        )


@blueprint.post("")
@organiser
def change() -> Response:
    """Keep the rules."""
    with errors_on(index, "Rules"), writing() as db:
        found = merged(_typed(), _values(rules_of(db, here().id)))
        keep_rules(db, here().id, _rules(found))
    return accepted("The rules are saved. They apply to files checked from now on.", "run_rules.index")


@blueprint.post("/list")
@organiser
def give_list() -> Response:
    """Take a list of docnos in the place of the one there is."""
    with errors_on(index, "List"):
        files = sent_files()
        if len(files) > 1:
            raise rejected("Files", None, "files", "there is one list", "choose a single file")
        found = read_list(*files[0])
        with writing() as db:
            keep_list(db, here().id, found, added_by=viewer().id)
    return accepted(
        f"The list has {counted(found.docnos, 'document')}; new runs are checked against it.",
        "run_rules.index",
    )


@blueprint.post("/list/remove")
@organiser
def forget_list() -> Response:
    """Forget the list."""
    with writing() as db:
        remove_list(db, here().id)
    return accepted("The list is removed; documents of runs are no longer checked.", "run_rules.index")


def _typed() -> Values:
    most = sent_text("max_per_topic").strip()
    number = whole_number(most)
    # What is no number is shown again as it was typed.
    return {"max_per_topic": (most or None) if number is None else number, "rule_set": sent_text("rule_set")}


def _rules(typed: Mapping[str, Any]) -> RunRules:
    limit = typed["max_per_topic"]
    chosen = named(RuleSet, typed["rule_set"])
    findings = []
    if isinstance(limit, str):
        findings.append(
            Finding(
                "Rules",
                None,
                "max_per_topic",
                f"{limit[:20]!r} is not a number of documents",
                "give 1 or more, or leave it empty",
            )
        )
    if chosen is None:
        findings.append(Finding("Rules", None, "rule_set", "no set of rules is chosen", "choose one"))
    if findings or chosen is None:
        raise InvalidInput(findings)
    return RunRules(limit, chosen)


def _values(rules: RunRules) -> Values:
    """The fields of the form."""
    return {"max_per_topic": rules.max_per_topic, "rule_set": str(rules.rule_set)}
