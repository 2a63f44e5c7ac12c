"""Qrels: choosing a rule, what it makes, and downloading that."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping

from flask import Blueprint, render_template
from werkzeug.wrappers import Response

from workbench.consensus.rules import (
    ASSESSOR,
    PARAMETERS,
    RULES,
    THEN,
    RuleChoice,
    choices_of,
    default_rules,
    rule_choice,
)
from workbench.consensus.settle import label_export
from workbench.consensus.sums import soft_export
from workbench.consensus.votes import RuleParameter
from workbench.errors import WorkbenchError
from workbench.formats.judgments import group_names
from workbench.frozen import frozen_dataclass
from workbench.records import Scale
from workbench.storage import Session
from workbench.web.access import here, reader
from workbench.web.context import read_here, reading, reading_here
from workbench.web.downloads import MadeResult, TextFile, attachment, result
from workbench.web.forms import Findings, findings_of, query_text, status_of
from workbench.web.large_pages import made_by_job_if_large
from workbench.web.navigation import disputes_way
from workbench.web.requests import Reply
from workbench.workflow.campaigns.campaigns import campaign_of
from workbench.workflow.campaigns.collection import topic_titles
from workbench.workflow.judging.current_judgments import judgment_groups
from workbench.workflow.people.membership import AssessorLine, assessors_of
from workbench.workflow.pools.additions import pairs_added_by_hand
from workbench.workflow.qrels.qrels import (
    QrelsReport,
    assessors_with_grades,
    compare_rules,
    default_rule,
    make_qrels,
    make_soft_labels,
    who_graded_most,
)


@frozen_dataclass
class RuleForm:
    """What is chosen, and the assessors there are to choose from."""

    choice: RuleChoice
    assessors: tuple[AssessorLine, ...]

    def arguments(self) -> dict[str, str]:
        """The choice in an address."""
        machines = "yes" if self.choice.machines else ""
        chosen = {"rule": self.choice.rule, **self.choice.parameters(), "machines": machines}
        return {name: value for name, value in chosen.items() if value}

    @property
    def fields(self) -> tuple[RuleField, ...]:
        """A field for every parameter that a rule may have."""
        # The rule for the rest comes before the parameters of that rule.
        order = sorted(PARAMETERS.values(), key=lambda parameter: parameter is not THEN)
        return tuple(RuleField(parameter, self.choice.value(parameter.name)) for parameter in order)


@frozen_dataclass
class RuleField:
    """A parameter in a form with its value."""

    parameter: RuleParameter
    value: str | None

    @property
    def chosen(self) -> str:
        """The value that the field shows: the one given, else the default."""
        return self.value or self.parameter.default or ""


def styles_of_rules() -> str:
    """The stylesheet that shows only the fields of the chosen rules, also where no script runs."""
    first = [rule for rule in RULES.values() if THEN in rule.parameters]
    sheet = []
    for parameter in PARAMETERS.values():
        selector = ""
        for rule in RULES.values():
            if parameter in rule.parameters:
                selector += f":not(:has({_chosen(rule.name)}))"
                if rule.for_the_rest:
                    rest = f"[name={THEN.name}] [value={rule.name}]:checked"
                    selector += "".join(f":not(:has({_chosen(one.name)}):has({rest}))" for one in first)
        sheet.append(f"form{selector} .for-{parameter.name} {{ display: none; }}")
    # Whoever names an assessor has said whether a machine counts.
    for rule in RULES.values():
        if ASSESSOR in rule.parameters:
            sheet.append(f"form:has({_chosen(rule.name)}) .for-machines {{ display: none; }}")
    return "\n".join(sheet) + "\n"


def _chosen(rule: str) -> str:
    return f"[name=rule][value={rule}]:checked, [name=rule] [value={rule}]:checked"


def rule_form(db: Session) -> RuleForm:
    """The rule that the address names, else the one to begin with; `one` is of whoever graded most."""
    rule = query_text("rule") or default_rule(db, here().id)
    given = {name: query_text(name).strip() or None for name in PARAMETERS}
    given[ASSESSOR.name] = given[ASSESSOR.name] or who_graded_most(db, here().id)
    # So that the form shows the fields of the rule for the rest.
    given[THEN.name] = given[THEN.name] or THEN.default
    choice = rule_choice(rule, machines=query_text("machines") == "yes", **given)
    return RuleForm(choice, assessors_of(db, here().id))


def rule_name(choice: RuleChoice) -> str:
    """The rule with its parameters, for the name of a file: `majority-higher`."""
    machines = ["machines"] if choice.machines else []
    return "-".join([choice.rule, *choice.parameters().values(), *machines])


@frozen_dataclass
class GradeCountRow:
    """The number of lines of a grade; `weight` 0 to 3 is the depth of its colour."""

    value: int
    label: str
    weight: int
    count: int


def grade_rows(report: QrelsReport, scale: Scale) -> tuple[GradeCountRow, ...]:
    """The grades in descending order; those that are not the scale's are labelled relevant or not."""
    by_grade = report.summary.by_grade
    highest = max((value for value, _ in by_grade), default=0)
    rows = []
    for value, count in sorted(by_grade, reverse=True):
        if RULES[report.choice.rule].own_scale:
            label = "relevant" if value >= report.relevant_from else "not relevant"
            # A third of the way up is the first colour; nothing is none.
            weight = min(3, -(-3 * value // highest)) if highest else 0
        else:
            label, weight = scale.grade(value).label, scale.grade(value).weight
        rows.append(GradeCountRow(value, label, weight, count))
    return tuple(rows)


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
@made_by_job_if_large
def index() -> Reply:
    """The qrels that the rule of the address makes of the current judgments."""
    findings: Findings = ()
    report, soft, status = None, None, 200
    with reading_here() as (db, campaign_id):
        scale = campaign_of(db, campaign_id).scale
        form = rule_form(db)
        by_hand = pairs_added_by_hand(db, campaign_id)
        titles = topic_titles(db, campaign_id)
        groups = group_names(assessors_with_grades(db, campaign_id))
        try:
            if _is_soft(form):
                soft = make_soft_labels(db, campaign_id, machines=form.choice.machines)
            else:
                report = make_qrels(
                    db, campaign_id, form.choice, unjudged=_with_unjudged(), empty=_with_empty()
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
@made_by_job_if_large
def rules() -> str:
    """What each rule would make of the judgments."""
    with reading() as db:
        form = rule_form(db)
        people = [one.name for one in form.assessors if not one.machine]
        names = [name for name in default_rules(slow=True) if name != "one" or len(people) <= MOST_ALONE]
        found = compare_rules(db, here().id, choices_of(names, form.choice, assessors=people))
        made = [one.found for one in found if one.found is not None]
        return render_template(
            "qrels/rules.html",
            form=form,
            found=found,
            sizes=[one.settled for one in made],
            relevant=[one.relevant for one in made],
        )


@blueprint.get("/fields.css")
@reader
def field_styles() -> Response:
    """The stylesheet that shows only the parameters of the chosen rule, made from the registry."""
    return Response(styles_of_rules(), content_type="text/css; charset=utf-8")


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
    found = read_here(make_soft_labels, machines=query_text("machines") == "yes")
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
