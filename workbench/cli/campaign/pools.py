"""The pools of a campaign: created, listed, and taken from draft to closed."""

from __future__ import annotations

import io
from contextlib import nullcontext

import click

from workbench.cli.database import ChosenCampaign, assessors_named, campaign_command
from workbench.cli.files import open_input
from workbench.cli.output import (
    JSON_ARRAY,
    JSON_OBJECT,
    OneOf,
    Texts,
    arguments,
    flag,
    needed,
    number_option,
    number_setting,
    record_json,
    repeatable,
    say_aside,
    say_figures,
    say_json,
    say_list,
    say_table,
    setting,
    text_option,
)
from workbench.cli.pool import (
    campaign_recipe_options,
    pairs_in_words,
    part_options,
    say_analysis,
    say_hours,
    work_options,
)
from workbench.errors import WorkbenchError
from workbench.figures import counted, percent
from workbench.formats.identifiers import read_docnos
from workbench.frozen import filled
from workbench.pooling.comparison import PoolChange
from workbench.pooling.planning import Certainty
from workbench.pooling.strategies import LEARNER, PoolRecipe
from workbench.records import TieRule, id_bytes
from workbench.workflow.judging.assignments import Distribution, distribute, in_turn
from workbench.workflow.judging.handout import OrderRule
from workbench.workflow.people.membership import assessors_of
from workbench.workflow.pools import drafts
from workbench.workflow.pools.additions import AddedPairs, Additions, add_documents
from workbench.workflow.pools.analysis import analyse as analyse_campaign
from workbench.workflow.pools.comparison import ComparedPools, compare_pools
from workbench.workflow.pools.drafts import BeforeOpening
from workbench.workflow.pools.learner_rounds import CollectionVectors, make_rounds
from workbench.workflow.pools.listing import made_pool_json, pool_json, pool_summary, pools_of
from workbench.workflow.pools.making import NewPool, make_while_others_write
from workbench.workflow.pools.planning import plan_json, plan_pool
from workbench.workflow.pools.pool_rows import PoolState

POOL = click.argument("pool_name", metavar="POOL")
YES = flag("--yes", help="Do not ask for confirmation.")


@campaign_command("pools")
@JSON_ARRAY
def pools(at: ChosenCampaign, as_json: bool) -> None:
    """List the pools of CAMPAIGN, drafts too, oldest first."""
    lines = at.read(pools_of)
    say_list(
        [pool_json(line) for line in lines],
        as_json,
        ["pool", "state", "recipe", "runs", "pairs", "added by hand"],
        [(one.name, one.state, one.recipe, len(one.tags), one.pairs, one.added) for one in lines],
        numeric_from=3,
    )


@campaign_command("pool-open")
@POOL
@YES
def pool_open(at: ChosenCampaign, pool_name: str, yes: bool) -> None:
    """Open the draft POOL of CAMPAIGN for judging."""
    with at.open() as (database, campaign_id):
        with database.reading() as db:
            if pool_summary(db, campaign_id, pool_name).open:
                click.echo(f"{pool_name} is already open")
                return
            found = drafts.before_opening(db, campaign_id, pool_name)
        _say_opening(found)
        if not yes:
            click.confirm(f"Open {pool_name} for judging?", abort=True, err=True)
        drafts.open_while_others_write(database, campaign_id, pool_name, seen=found.sha256)
    click.echo(f"{pool_name} is open for judging: {counted(found.pool.pairs, 'pair')}")


@campaign_command("pool-close")
@POOL
@YES
def pool_close(at: ChosenCampaign, pool_name: str, yes: bool) -> None:
    """Close POOL of CAMPAIGN permanently: it accepts no more judgments, assignments or documents."""
    found = at.read(drafts.before_closing, pool_name)
    if found.pool.closed:
        click.echo(f"{pool_name} is already closed")
        return
    say_aside(
        f"{found.judged} of {found.pool.pairs} pairs are judged; {found.assignments} active assignments"
    )
    if not yes:
        click.confirm(f"Close {pool_name} permanently?", abort=True, err=True)
    at.write(drafts.close_pool, pool_name)
    click.echo(f"{pool_name} is closed")


def _say_opening(found: BeforeOpening) -> None:
    hours = f", {found.hours:.1f} hours for one assessor ({found.pace.in_words})"
    say_aside(f"{counted(found.pool.pairs, 'pair')} in {counted(found.topics, 'topic')}{hours}")
    if found.judged:
        say_aside(f"{found.judged} of its pairs are already judged")
    for shared in found.shared:
        say_aside(f"{shared.pairs} of its pairs are in {shared.pool} ({shared.state})")
    if found.without_text:
        say_aside(f"{found.without_text} of its documents have no text yet")
    for run in found.changed:
        happened = "was removed" if run.sha256_now is None else "was replaced"
        say_aside(f"run {run.tag} {happened} since: make the pool anew, or rebuild the draft on its page")


@campaign_command("pool")
@campaign_recipe_options
@text_option("--name", help="Name of the pool; default its recipe.")
@flag("--draft", help="Do not open it for judging yet; see pool-open.")
@JSON_OBJECT
def pool(
    at: ChosenCampaign,
    recipe: PoolRecipe,
    name: str,
    draft: bool,
    as_json: bool,
) -> None:
    """Create a pool from the runs of CAMPAIGN and open it for judging, unless it is to be a draft.

    The pool of an adaptive strategy starts empty: each document is chosen while people judge, from the
    judgments so far, for one assessor. Its order may hint at what was found to be relevant.
    """
    with at.open() as (database, campaign_id):
        made = make_while_others_write(database, NewPool(campaign_id, recipe, name=name, draft=draft))
        if recipe.strategy == LEARNER.name:
            make_rounds(database, campaign_id, CollectionVectors())
    if as_json:
        say_json(made_pool_json(made))
        return
    say_table(["topic", "pairs", "largest"], [(s.topic, s.pairs, s.largest_possible) for s in made.by_topic])
    if made.pool.adaptive:
        click.echo(f"{made.pool.name}: at most {counted(made.pool.pairs, 'pair')}, chosen while people judge")
        return
    click.echo(
        f"{made.pool.name}: {made.pool.pairs} pairs, {percent(made.pool.share, 1)} of the largest possible "
        f"{made.pool.largest_possible}" + (", a draft" if draft else "")
    )


@campaign_command("assign")
@click.option("--pool", "pool_name", help="Name of the pool; the newest if not given.")
@repeatable("--assessor", "names", help="Assessor name (repeatable); by default, all with an account.")
@repeatable("--topic", "topics", help="Assign only these topics, each to every named assessor.")
@number_setting("--per-topic", default=1, help="Assessors per topic, in rotation.")
@setting("--order", default="shuffled", type=OneOf(OrderRule))
@click.option(
    "--seed", type=click.IntRange(0), help="Random seed of the shuffled order; drawn and stored if not given."
)
def assign(
    at: ChosenCampaign,
    pool_name: str | None,
    names: Texts,
    topics: Texts,
    per_topic: int,
    order: OrderRule,
    seed: int | None,
) -> None:
    """Give the topics of a pool to assessors."""
    with at.writing() as (db, campaign_id):
        pools = [line for line in pools_of(db, campaign_id) if not line.draft]
        if not pools:
            raise WorkbenchError("no pool is open yet", remedy=f"workbench campaign pool {at.slug}")
        chosen = pool_summary(db, campaign_id, pool_name) if pool_name else pools[-1]
        if not any(one.assignable for one in assessors_of(db, campaign_id)):
            message = "nobody with an account judges here yet"
            raise WorkbenchError(message, remedy=f"workbench campaign invite {at.slug}")
        ids = assessors_named(db, campaign_id, names)
        if topics:
            given = [(topic, assessor_id) for topic in topics for assessor_id in ids]
        else:
            given = in_turn(db, chosen.id, ids, per_topic)
        new = distribute(db, Distribution(chosen.id, given, order, seed))
    click.echo(f"{new} new assignments in {chosen.name}")


@campaign_command("pool-compare")
@arguments("names", metavar="[BEFORE] AFTER")
@flag("--pairs", help="Every pair: change, topic, docno, judged, origin.")
@JSON_OBJECT
def pool_compare(at: ChosenCampaign, names: Texts, pairs: bool, as_json: bool) -> None:
    """Compare pool or draft BEFORE of CAMPAIGN with AFTER: pairs added, removed, and left to judge.

    With one name it is compared with all pairs that people have judged.
    """
    if len(names) > 2:
        raise click.UsageError("name two pools, or one to compare with all judged pairs")
    found = at.read(compare_pools, names[0] if len(names) == 2 else None, names[-1])
    if as_json:
        say_json(_json(found, pairs=pairs))
    elif pairs:
        say_table(["change", "topic", "docno", "judged", "origin"], _rows(found))
    else:
        _say(found)


@campaign_command("add-to-pool")
@click.option("--pool", "pool_name", help="Name of the pool; default the newest open one.")
@needed("--topic", help="Topic of the documents.")
@needed("--reason", help="How the documents were found, or why they belong here.")
@click.option("--from", "file", help="File of docnos, one per line, plain or gzip; - for standard input.")
@arguments("docnos", metavar="[DOCNO]...", required=False)
@JSON_OBJECT
def add_to_pool(
    at: ChosenCampaign,
    pool_name: str | None,
    topic: str,
    reason: str,
    file: str | None,
    docnos: Texts,
    as_json: bool,
) -> None:
    """Add documents by hand to a topic of a draft or an open pool of CAMPAIGN.

    Documents that are already pooled are skipped. If any docno is unknown, none is added.
    """
    if (file is None) == (not docnos):
        raise click.UsageError("give docnos, or a file of them with --from")
    typed = io.BytesIO(id_bytes("\n".join(docnos)))
    with nullcontext((typed, "docnos")) if file is None else open_input(file) as (stream, source):
        listed = read_docnos(stream, source=source)
    with at.writing() as (db, campaign_id):
        if pool_name is None:
            able = [line.name for line in pools_of(db, campaign_id) if line.state is PoolState.OPEN]
            if not able:
                raise click.UsageError("no pool is open; name a draft with --pool")
            pool_name = able[-1]
        done = add_documents(
            db, campaign_id, pool_name, topic, Additions(listed, reason, source=source), added_by=None
        )
    say_list(
        filled(AddedPairs, done, passed=[one.docno for one in done.passed]),
        as_json,
        ["docno", "result"],
        [
            *((one, "added, no text yet" if one in done.without_text else "added") for one in done.added),
            *((one.docno, f"already in {one.pool}") for one in done.passed),
        ],
    )
    say_aside(f"{len(done.added)} added to topic {topic} of {done.pool}")


def _rows(found: ComparedPools) -> list[tuple[str, str, str, str, str]]:
    return [
        (one.turn, one.topic, one.docno, "judged" if one.judged else "unjudged", one.origin)
        for one in found.pairs
    ]


def _say(found: ComparedPools) -> None:
    headings = ["before", "enter", "leave", "after", "to judge"]
    compared = found.comparison
    rows = [(change.name, *_numbers(change)) for change in compared.by_topic]
    say_figures(["topic", *headings], rows)
    click.echo()
    rows = [(change.name, *_numbers(change)) for change in compared.by_run]
    if compared.by_hand.before or compared.by_hand.after:
        rows.append(("added by hand", *_numbers(compared.by_hand)))
    say_figures(["run", *headings], rows)
    click.echo()
    total = compared.total
    hours = "" if found.hours is None else f", {found.hours:.1f} hours"
    click.echo(
        f"{total.added} added, {total.removed} removed, {total.kept} unchanged; {total.to_judge} to "
        f"judge{hours}"
    )


def _numbers(change: PoolChange) -> tuple[int, int, int, int, int]:
    return change.before, change.added, change.removed, change.after, change.to_judge


def _json(found: ComparedPools, *, pairs: bool) -> dict[str, object]:
    compared = found.comparison
    answer: dict[str, object] = {
        "before": None if found.before is None else found.before.name,
        "after": found.after.name,
        "total": _change_json(compared.total),
        "topics": {change.name: _change_json(change) for change in compared.by_topic},
        "runs": {change.name: _change_json(change) for change in compared.by_run},
        "added_by_hand": _change_json(compared.by_hand),
        "seconds_a_pair": found.pace.seconds,
        "seconds_from": str(found.pace.source),
        "hours": found.hours,
    }
    if pairs:
        names = ("change", "topic", "docno", "judged", "origin")
        answer["pairs"] = [dict(zip(names, row, strict=True)) for row in _rows(found)]
    return answer


def _change_json(change: PoolChange) -> dict[str, int]:
    return record_json(change, name="", added="entering", removed="leaving", kept="staying")


@campaign_command("plan")
@campaign_recipe_options
@work_options
@JSON_OBJECT
def plan(
    at: ChosenCampaign,
    recipe: PoolRecipe,
    assessors: int | None,
    per_pair: int,
    seconds: float | None,
    as_json: bool,
) -> None:
    """Estimate the size of a pool of CAMPAIGN and the hours of judging it, without creating it.

    Seconds default to the median of the campaign's timed answers, or to 30 before there are
    enough; assessors default to those of the campaign.
    """
    planned = at.read(plan_pool, recipe, per_pair=per_pair, assessors=assessors, seconds=seconds)
    if as_json:
        say_json(plan_json(planned))
        return
    work, certainty = planned.work, planned.certainty
    say_hours("topic", ((one.topic, one.pairs) for one in planned.topics), certainty, work)
    click.echo()
    if planned.growth:
        say_hours("depth", planned.growth, Certainty.EXACT, work, numeric=[0, 1, 2])
        click.echo()
    click.echo(
        f"{planned.recipe}: {pairs_in_words(planned.pairs, planned.certainty)} pairs, {work.per_pair} times "
        f"{work.seconds:g} s ({planned.pace.in_words}): {work.hours(planned.pairs):.1f} hours, "
        f"{work.hours_each(planned.pairs):.1f} for each of {work.assessors}"
    )


@campaign_command("analyse")
@click.option("--pool", help="Name of a pool; by default, the depth pool of the runs.")
@number_option("--depth", help="Documents per run and topic.  [default: that of the pool, else 100]")
@click.option(
    "--ties",
    type=OneOf(TieRule),
    help="Which of two documents with the same score comes first.  [default: as the pool, else trec_eval]",
)
@repeatable("--run", "tags", help="Tag of a run to analyse (repeatable); default all.")
@part_options
def analyse(
    at: ChosenCampaign,
    pool: str | None,
    depth: int | None,
    ties: TieRule | None,
    tags: Texts,
    part: str | None,
    as_json: bool,
) -> None:
    """Analyse the runs of CAMPAIGN, or a pool: growth, contributions, overlap, ties at the cut, topics."""
    if pool is not None and tags:
        raise click.UsageError("a pool has its own runs: use --pool or --run, not both")
    done = at.read(analyse_campaign, pool=pool, tags=tags or None, depth=depth, ties=ties)
    say_analysis(done.found, part, as_json=as_json)
