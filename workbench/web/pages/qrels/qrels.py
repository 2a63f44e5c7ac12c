"""Qrels: the rule that makes one grade of several, its result, and the files."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping

from flask import Blueprint, render_template
from werkzeug.wrappers import Response

from workbench.consensus.rules import RULES, choices_of, default_rules
from workbench.consensus.settle import label_export
from workbench.consensus.sums import soft_export
from workbench.errors import WorkbenchError
from workbench.formats.judgments import group_names
from workbench.web.access import here, reader
from workbench.web.context import reading
from workbench.web.downloads import attachment
from workbench.web.forms import Findings, findings_of, query_text, status_of
from workbench.web.pages.overview.steps import disputes_way
from workbench.web.pages.qrels.rule_form import (
    RuleForm,
    grade_rows,
    rule_form,
    rule_name,
)
from workbench.web.pages.qrels.rule_form import field_styles as styles_of_fields
from workbench.web.requests import Reply
from workbench.web.results import MadeResult, TextFile, result
from workbench.workflow.campaigns.campaigns import campaign_of
from workbench.workflow.campaigns.collection import topic_titles
from workbench.workflow.judging.current_judgments import judgment_groups
from workbench.workflow.pools.additions import pairs_added_by_hand
from workbench.workflow.qrels.qrels import (
    QrelsReport,
    assessors_with_grades,
    compare_rules,
    make_qrels,
    make_soft_labels,
)

blueprint = Blueprint("qrels", __name__, url_prefix="/c/<slug>/qrels")
MOST_UNSETTLED = 50
MOST_ALONE = 8
# The rules that most campaigns choose from, and when; the others are one click away.
USE_WHEN: Mapping[str, str] = {
    "majority": "Use when several assessors judged each pair.",
    "adjudicated": "Use when an adjudicator has decided the disputed pairs.",
    "one": "Use when one assessor’s judgments are the reference.",
}


@blueprint.get("")
@reader
def index() -> Reply:
    """The qrels that the rule of the address makes of the current judgments."""
    findings: Findings = ()
    report, soft, status = None, None, 200
    with reading() as db:
        scale = campaign_of(db, here().id).scale
        form = rule_form(db)
        by_hand = pairs_added_by_hand(db, here().id)
        titles = topic_titles(db, here().id)
        groups = group_names(assessors_with_grades(db, here().id))
        try:
            if _is_soft(form):
                soft = make_soft_labels(db, here().id, machines=form.choice.machines)
            else:
                report = make_qrels(
                    db, here().id, form.choice, unjudged=_with_unjudged(), empty=_with_empty()
                )
        except WorkbenchError as error:
            findings, status = findings_of(error, "Rule"), status_of(error)
    page = render_template(
        "qrels/index.html",
        form=form,
        rules=RULES,
        use_when=USE_WHEN,
        rule=RULES.get(form.choice.rule),
        report=report,
        soft=soft,
        arguments=_arguments(form),
        with_unjudged=_with_unjudged(),
        with_empty=_with_empty(),
        groups=groups,
        renamed={name: group for name, group in groups.items() if name != group},
        grades=grade_rows(report, scale) if report else (),
        reasons=report.summary.left if report else (),
        unsettled=report.settled.unsettled[:MOST_UNSETTLED] if report else (),
        titles=titles,
        by_hand=by_hand,
        sha256=_sha256(report) if report else "",
        findings=findings,
        decide=disputes_way() if report else None,
    )
    return page, status


@blueprint.get("/rules")
@reader
def rules() -> str:
    """What each rule would make of the judgments, for the page to show when it is asked for."""
    with reading() as db:
        form = rule_form(db)
        people = [one.name for one in form.assessors if not one.machine]
        names = [name for name in default_rules(slow=True) if name != "one" or len(people) <= MOST_ALONE]
        return render_template(
            "qrels/_rules.html",
            found=compare_rules(db, here().id, choices_of(names, form.choice, assessors=people)),
        )


@blueprint.get("/fields.css")
@reader
def field_styles() -> Response:
    """The stylesheet that shows only the parameters of the chosen rule, made from the registry."""
    return Response(styles_of_fields(), content_type="text/css; charset=utf-8")


@blueprint.get("/file")
@reader
def file() -> Response:
    """The qrels: nothing but lines that every scorer reads."""
    with reading() as db:
        choice = rule_form(db).choice
        report = make_qrels(db, here().id, choice, unjudged=_with_unjudged(), empty=_with_empty())
    return attachment(report.lines(), f"{here().slug}.{rule_name(choice)}.qrels")


@blueprint.get("/labels.<any(csv, json):kind>")
@reader
@result
def labels() -> MadeResult:
    """Every pair with its grade, its confidence and what settled it, or why it has none."""
    with reading() as db:
        choice = rule_form(db).choice
        found = make_qrels(db, here().id, choice).settled.consensus
    return MadeResult(f"{rule_name(choice)}.labels", label_export(found))


@blueprint.get("/soft.<any(csv, json):kind>")
@reader
@result
def soft() -> MadeResult:
    """Every pair with the mean of its grades, unrounded, and the share of each grade."""
    with reading() as db:
        found = make_soft_labels(db, here().id, machines=query_text("machines") == "yes")
    return MadeResult("soft-labels", soft_export(found))


@blueprint.get("/groups")
@reader
@result
def groups() -> MadeResult:
    """Every assessor's grades as a group of their own, as trec_eval reads them with `-R qrels_jg`."""
    return MadeResult("groups", text=TextFile("qrels_jg", "text/plain", _group_lines()))


def _group_lines() -> Iterator[bytes]:
    with reading() as db:
        yield from judgment_groups(db, here().id)[1]


def _is_soft(form: RuleForm) -> bool:
    return form.choice.rule in RULES and RULES[form.choice.rule].soft


def _with_empty() -> bool:
    return query_text("without") != "empty"


def _with_unjudged() -> bool:
    return query_text("unjudged") == "yes"


def _arguments(form: RuleForm) -> dict[str, str]:
    chosen = {"unjudged": "yes"} if _with_unjudged() else {}
    return form.arguments() | chosen | ({} if _with_empty() else {"without": "empty"})


def _sha256(report: QrelsReport) -> str:
    found = hashlib.sha256()
    for line in report.lines():
        found.update(line)
    return found.hexdigest()
