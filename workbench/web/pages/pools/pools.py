"""Pools: their list, the form for a new one, one pool with its topics and pairs, downloads."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Concatenate

from flask import Blueprint, render_template, request, url_for
from werkzeug.wrappers import Response

from workbench.errors import Finding, InvalidInput, NotFound, WorkbenchError, rejected
from workbench.figures import counted
from workbench.frozen import frozen_dataclass
from workbench.pooling.strategies import ALL_STRATEGIES, WHILE_JUDGING, PoolRecipe
from workbench.pooling.strategy import Parameter, Strategy
from workbench.records import TieRule, Verdict
from workbench.storage import Session
from workbench.web import notices
from workbench.web.access import here, organiser, reader, viewer
from workbench.web.context import Given, Result, read_here, reading, reading_here, writing
from workbench.web.downloads import attachment, csv_file
from workbench.web.forms import (
    Findings,
    errors_on,
    findings_of,
    form_text,
    named,
    query_text,
    sent_id,
    sent_ids,
    whole_number,
)
from workbench.web.jobs import make_pool_soon
from workbench.web.large_pages import made_by_job_if_large
from workbench.web.paging import A_PAGE, ListPage, start_within
from workbench.web.requests import go_to, of_api
from workbench.workflow.campaigns.collection import document_count
from workbench.workflow.people.membership import Role
from workbench.workflow.pools.drafts import changed_runs, shared_with
from workbench.workflow.pools.listing import (
    PoolLine,
    origin_lines,
    pool_report,
    pool_topics,
    pools_of,
    topic_pairs,
    topic_size,
)
from workbench.workflow.pools.making import NewPool
from workbench.workflow.pools.planning import plan_pool
from workbench.workflow.pools.pool_rows import reasons_of
from workbench.workflow.runs.run_records import longest_list, runs_of


def pools_shown(db: Session) -> tuple[PoolLine, ...]:
    """The pools that the viewer of this page may know of, oldest first.

    Drafts are for organisers: what is in one may be given to any of the others, who is to judge it blind.
    """
    organiser = Role.ORGANISER in here().roles
    return tuple(line for line in pools_of(db, here().id) if organiser or not line.draft)


def pool_line(db: Session, which: int | str | None) -> PoolLine:
    """The pool with this number or name in this campaign, if the viewer may know of it; raises NotFound."""
    for line in pools_shown(db):
        if which in (line.id, line.name):
            return line
    raise NotFound("there is no such pool in this campaign", remedy="see the list of pools")


def read_pool(
    which: int | str,
    function: Callable[Concatenate[Session, int, str, Given], Result],
    *given: Given.args,
    **named: Given.kwargs,
) -> tuple[PoolLine, Result]:
    """The pool with this number or name, and what a function makes of its campaign and name."""
    with reading() as db:
        line = pool_line(db, which)
        return line, function(db, here().id, line.name, *given, **named)


def write_pool(
    which: int | str,
    function: Callable[Concatenate[Session, int, str, Given], Result],
    *given: Given.args,
    **named: Given.kwargs,
) -> tuple[PoolLine, Result]:
    """The same in one transaction that changes it; raises as `writing`."""
    with writing() as db:
        line = pool_line(db, which)
        return line, function(db, here().id, line.name, *given, **named)


def pool_sent(db: Session, text: str) -> PoolLine:
    """The pool that an address names by its number, or a program by its name."""
    number = whole_number(text)
    return pool_line(db, text if of_api() and number is None else number)


blueprint = Blueprint("pools", __name__, url_prefix="/c/<slug>/pools")
MOST_RUNS = 20
"""Named of each pair: of a thousand runs hundreds may have contributed one."""
MOST_OF_TAGS = 4_000
"""Characters of tags that an address takes; of more runs the plan is that of all accepted ones."""
TIES: Mapping[TieRule, str] = {
    TieRule.TREC_EVAL: "equal scores by docno, descending, as trec_eval reads a run (TREC-8's pools)",
    TieRule.DOCNO_ASCENDING: "equal scores by docno, ascending (TREC-COVID's pools)",
    TieRule.FILE: "equal scores in the order of the file",
}


@blueprint.get("")
@reader
def index(findings: Findings = ()) -> str:
    """The list of pools, and the form for one more."""
    typed = request.form
    with reading_here() as (db, campaign_id):
        runs = runs_of(db, campaign_id)
        offered = [one for one in ALL_STRATEGIES.values() if runs or not one.reads_runs]
        return render_template(
            "pools/index.html",
            pools=pools_shown(db),
            runs=runs,
            ties=TIES,
            usual_ties=str(TieRule.TREC_EVAL),
            name=typed.get("name", ""),
            documents=document_count(db, campaign_id),
            strategies=strategy_fields(typed, offered, longest_list(runs)),
            supplementary=typed.get("supplementary") == "yes",
            priority=typed.get("priority", ""),
            chosen_ties=typed.get("ties", str(TieRule.TREC_EVAL)),
            chosen_runs=set(sent_ids("run"))
            if request.form
            else {run.tag for run in runs if run.verdict is Verdict.ACCEPTED},
            tags_fit=sum(len(run.tag) for run in runs) <= MOST_OF_TAGS,
            findings=findings,
        )


@blueprint.post("")
@organiser
def make() -> Response:
    """Make a draft of a pool from the chosen runs."""
    with errors_on(index, "Pool", "name"):
        recipe = _of_runs(read_recipe(request.form), sent_ids("run"))
        made = make_pool_soon(
            NewPool(
                here().id,
                recipe,
                name=form_text("name"),
                draft=True,
                created_by=viewer().id,
            ),
        )
    asks = "of at most" if made.pool.adaptive else "of"
    pairs = counted(made.pool.pairs, "pair")
    opening = url_for("pool_states.confirm_opening", pool_id=made.pool.id)
    notices.add(
        f"Pool “{made.pool.name}” was saved as a draft {asks} {pairs}.", then=("Open for judging", opening)
    )
    return go_to("pools.pool", pool_id=made.pool.id)


@blueprint.get("/plan")
@organiser
def plan() -> str:
    """What the pool of the form would cost, while one types; with `all` that of all accepted runs."""
    sent = {"ties": str(TieRule.TREC_EVAL), **request.args.to_dict()}
    plan = None
    findings: Findings = ()
    try:
        recipe = _of_runs(read_recipe(sent), None if "all" in sent else sent_ids("run"))
        plan = read_here(plan_pool, recipe)
    except WorkbenchError as error:
        # What is half typed is no error yet.
        findings = findings_of(error, "Pool", "name")
    return render_template("pools/_plan.html", plan=plan, findings=findings, everything="all" in sent)


@blueprint.get("/<int:pool_id>")
@reader
@made_by_job_if_large
def pool(pool_id: int) -> str:
    """A pool: its recipe, its size by topic, contributions of runs, pairs shared with other pools."""
    with reading_here() as (db, campaign_id):
        line = pool_line(db, pool_id)
        return render_template(
            "pools/pool.html",
            report=pool_report(db, campaign_id, line.name),
            ties=TIES,
            shared=() if line.closed else shared_with(db, campaign_id, line.name),
            changed=changed_runs(db, campaign_id, line.name) if line.draft else (),
        )


@blueprint.get("/<int:pool_id>/topic")
@reader
def topic(pool_id: int) -> str:
    """The pairs of the topic that `?topic=` names, best rank first, with the runs that contributed each.

    Of these the first, by rank; with `?runs=all` every one of them.
    """
    topic_id = sent_id("topic")
    most_runs = None if query_text("runs") == "all" else MOST_RUNS
    with reading_here() as (db, campaign_id):
        line = pool_line(db, pool_id)
        size = topic_size(db, campaign_id, line.name, topic_id)
        start = start_within(size.pairs)
        pairs = topic_pairs(
            db, campaign_id, line.name, topic_id, start=start, most=A_PAGE, most_runs=most_runs
        )
        return render_template(
            "pools/topic.html",
            pool=line,
            topic=topic_id,
            page=ListPage(pairs, start, size.pairs, size.pairs),
            added=size.added,
            reasons=reasons_of(db, pool_id, topic_id),
        )


@blueprint.get("/<int:pool_id>/pairs.tsv")
@reader
def pairs(pool_id: int) -> Response:
    """The pairs as `topic<TAB>docno<TAB>origin`, sorted by both as bytes.

    The origin is `runs`, `manual` for what a person added, `runs+manual`, or `learner`.
    """
    with reading() as db:
        line = pool_line(db, pool_id)
        lines = origin_lines(db, here().id, line.name)
        return attachment(lines, f"{here().slug}.{line.name}.tsv", kind="text/tab-separated-values")


@blueprint.get("/<int:pool_id>/topics.csv")
@reader
def topics_csv(pool_id: int) -> Response:
    """The sizes by topic as CSV."""
    line, topics = read_pool(pool_id, pool_topics)
    rows = [(size.topic, size.title, size.pairs, size.largest_possible, size.added) for size in topics]
    name = f"{here().slug}.{line.name}.topics.csv"
    return csv_file(("topic", "title", "pairs", "largest_possible", "added_by_hand"), rows, name)


def _of_runs(recipe: PoolRecipe, tags: list[str] | None) -> PoolRecipe:
    """The recipe for these runs, None for all accepted ones."""
    if tags == [] and ALL_STRATEGIES[recipe.strategy].reads_runs:
        raise rejected("Runs", None, "run", "no run is chosen", "choose one or more")
    return replace(recipe, tags=tags)


FIRST = "depth"
# The strategies that most campaigns choose from, and when; the others are one click away.
USE_WHEN: Mapping[str, str] = {
    "depth": "The usual choice for a collection that others will reuse: all runs are treated alike.",
    "take-n": "For a number of judgments that is fixed in advance.",
    "stratified": "For estimates with intervals from few judgments.",
}


@frozen_dataclass
class ParameterField:
    """A parameter as a field of the form."""

    name: str
    label: str
    hint: str
    value: str


@frozen_dataclass
class StrategyFields:
    """A strategy as a choice of the form, with the fields of its parameters."""

    strategy: Strategy[Any]
    adaptive: bool
    chosen: bool
    fields: tuple[ParameterField, ...]
    use_when: str


def strategy_fields(
    sent: Mapping[str, str], offered: Sequence[Strategy[Any]], deepest: int | None
) -> tuple[StrategyFields, ...]:
    """The offered strategies, with what was sent or the defaults in their fields.

    With `deepest`, the length of the longest list, no depth begins beyond it.
    """
    chosen = sent.get("strategy", offered[0].name)
    return tuple(
        StrategyFields(
            strategy,
            strategy.name in WHILE_JUDGING,
            strategy.name == chosen,
            tuple(_field(strategy.name, parameter, sent, deepest) for parameter in strategy.parameters),
            USE_WHEN.get(strategy.name, ""),
        )
        for strategy in offered
    )


def field_name(strategy: str, parameter: str) -> str:
    """The name of a parameter's field: several strategies have a `budget`."""
    return parameter if parameter == strategy else f"{strategy}-{parameter}"


def read_recipe(form: Mapping[str, str]) -> PoolRecipe:
    """The recipe that was sent, of all runs; raises InvalidInput with every error, coded by its field."""
    findings: list[Finding] = []
    ties = named(TieRule, form.get("ties"))
    if ties is None:
        findings.append(Finding("Ties", None, "ties", "no tie rule is chosen", "choose one"))
    strategy = ALL_STRATEGIES.get(form.get("strategy", FIRST))
    given: dict[str, str] = {}
    if strategy is None:
        findings.append(Finding("Strategy", None, "strategy", "no strategy is chosen", "choose one"))
    else:
        names = {one.name: field_name(strategy.name, one.name) for one in strategy.parameters}
        typed = {name: form.get(field, "").strip() for name, field in names.items()}
        # An empty field is as if it were not there: the default.
        given = {name: text for name, text in typed.items() if text}
        try:
            strategy.values(given)
        except InvalidInput as error:
            findings.extend(replace(one, code=names.get(one.source, one.code)) for one in error.findings)
    priority = _priority(form, findings)
    if findings or strategy is None or ties is None:
        raise InvalidInput(findings)
    return PoolRecipe(
        strategy.name, given, ties, priority=priority, supplementary=form.get("supplementary") == "yes"
    )


def _field(
    strategy: str, parameter: Parameter, sent: Mapping[str, str], deepest: int | None
) -> ParameterField:
    name = field_name(strategy, parameter.name)
    default = parameter.default
    usual = parameter.text(min(default, deepest) if deepest and parameter.name == "depth" else default)
    bounds = f"; {parameter.bounds}" if parameter.bounds else ""
    empty = f"; {parameter.text(default)} if empty" if parameter.text(default) else ""
    return ParameterField(
        name,
        parameter.name.replace("_", " ").capitalize(),
        f"{parameter.help[:1].upper()}{parameter.help[1:]} ({parameter.kind.name}{bounds}{empty})",
        sent.get(name, usual),
    )


def _priority(form: Mapping[str, str], findings: list[Finding]) -> int | None:
    """The lowest priority of the runs that are pooled, None for all."""
    text = form.get("priority", "").strip()
    number = whole_number(text)
    if text and (number is None or number < 1):
        findings.append(
            Finding(
                "Priority",
                None,
                "priority",
                f"{text[:40]!r} is not a priority",
                "give a whole number from 1, or leave it empty for all runs",
            )
        )
    return number
