"""The pools of a campaign: created, listed, and taken from draft to closed."""

from __future__ import annotations

import io

import click

from workbench.cli.database import database_options, open_database, reading, say_disabled, writing, writing_to
from workbench.cli.inputs import open_input
from workbench.cli.output import JSON_ARRAY, JSON_OBJECT, say_json, say_table
from workbench.cli.pool import campaign_recipe_options
from workbench.errors import Conflict, WorkbenchError
from workbench.figures import percent
from workbench.formats.identifiers import read_docnos
from workbench.pooling.comparison import PoolChange
from workbench.pooling.learner import LEARNER
from workbench.pooling.strategies import PoolRecipe
from workbench.settings import Settings
from workbench.workflow.campaigns.campaigns import campaign_by_slug
from workbench.workflow.judging.distribution import Distribution, distribute, in_turn
from workbench.workflow.judging.order import OrderRule
from workbench.workflow.people.assessors import assessors_of
from workbench.workflow.pools import drafts
from workbench.workflow.pools.additions import Additions, add_documents
from workbench.workflow.pools.comparison import ComparedPools, compare_pools
from workbench.workflow.pools.drafts import BeforeClosing, BeforeOpening
from workbench.workflow.pools.learner_rounds import CollectionVectors, make_rounds
from workbench.workflow.pools.listing import pool_summary, pools_of
from workbench.workflow.pools.making import NewPool
from workbench.workflow.pools.pool_json import made_pool_json, pool_json
from workbench.workflow.pools.pool_rows import PoolState
from workbench.workflow.pools.portions import (
    make_in_portions,
    open_in_portions,
    rebuild_in_portions,
    remove_leftovers,
)

CAMPAIGN = click.argument("campaign")
POOL = click.argument("pool_name", metavar="POOL")
YES = click.option("--yes", is_flag=True, help="Do not ask for confirmation.")


@click.command("pools")
@CAMPAIGN
@JSON_ARRAY
@database_options
def pools(settings: Settings, campaign: str, as_json: bool) -> None:
    """List the pools of CAMPAIGN, drafts too, oldest first."""
    with reading(settings) as db:
        lines = pools_of(db, campaign_by_slug(db, campaign).id)
    if as_json:
        say_json([pool_json(line) for line in lines])
        return
    say_table(
        ["pool", "state", "recipe", "runs", "pairs", "added by hand"],
        [(one.name, one.state, one.recipe, len(one.tags), one.pairs, one.added) for one in lines],
        numeric=[3, 4, 5],
    )


@click.group("draft")
def draft() -> None:
    """Rename, rebuild, delete and open pools that are drafts."""


@draft.command("open")
@CAMPAIGN
@POOL
@YES
@database_options
def pool_open(settings: Settings, campaign: str, pool_name: str, yes: bool) -> None:
    """Open the draft POOL of CAMPAIGN for judging."""
    with open_database(settings) as database:
        with database.reading() as db:
            campaign_id = campaign_by_slug(db, campaign).id
            if pool_summary(db, campaign_id, pool_name).open:
                click.echo(f"{pool_name} is already open")
                return
            found = drafts.before_opening(db, campaign_id, pool_name)
        _say_opening(found)
        if not yes:
            click.confirm(f"Open {pool_name} for judging?", abort=True, err=True)
        open_in_portions(database, campaign_id, pool_name, seen=found.sha256)
    click.echo(f"{pool_name} is open for judging: {found.pool.pairs} pairs")


@click.command("pool-close")
@CAMPAIGN
@POOL
@YES
@database_options
def pool_close(settings: Settings, campaign: str, pool_name: str, yes: bool) -> None:
    """Close POOL of CAMPAIGN permanently: it accepts no more judgments, assignments or documents."""
    with open_database(settings) as database:
        with database.reading() as db:
            campaign_id = campaign_by_slug(db, campaign).id
            found = drafts.before_closing(db, campaign_id, pool_name)
        if found.pool.closed:
            click.echo(f"{pool_name} is already closed")
            return
        _say_closing(found)
        if not yes:
            click.confirm(f"Close {pool_name} permanently?", abort=True, err=True)
        with database.writing() as db:
            drafts.close_pool(db, campaign_id, pool_name)
    click.echo(f"{pool_name} is closed")


@draft.command("rename")
@CAMPAIGN
@POOL
@click.argument("new_name", metavar="NAME")
@database_options
def pool_rename(settings: Settings, campaign: str, pool_name: str, new_name: str) -> None:
    """Rename the draft POOL of CAMPAIGN to NAME."""
    with writing(settings) as db:
        drafts.rename_draft(db, campaign_by_slug(db, campaign).id, pool_name, new_name)
    click.echo(f"{pool_name} is now named {' '.join(new_name.split())}")


@draft.command("rebuild")
@CAMPAIGN
@POOL
@JSON_OBJECT
@database_options
def pool_rebuild(settings: Settings, campaign: str, pool_name: str, as_json: bool) -> None:
    """Rebuild the draft POOL of CAMPAIGN by its recipe, from the current runs.

    Documents added by hand are kept. Runs that were replaced or removed since are listed.
    """
    with open_database(settings) as database:
        with database.reading() as db:
            campaign_id = campaign_by_slug(db, campaign).id
            changed = drafts.changed_runs(db, campaign_id, pool_name)
        done = rebuild_in_portions(database, campaign_id, pool_name)
    if as_json:
        say_json(
            {
                "name": pool_name,
                "pairs": done.pool.pool.pairs,
                "entered": done.entered,
                "left": done.left,
                "added_by_hand": done.kept,
                "changed_runs": [
                    {"tag": one.tag, "sha256": one.sha256, "sha256_now": one.sha256_now} for one in changed
                ],
            }
        )
        return
    for one in changed:
        now = "was removed" if one.sha256_now is None else f"was replaced: {one.sha256_now[:8]}"
        click.echo(f"run {one.tag} {one.sha256[:8]} {now}", err=True)
    click.echo(
        f"{pool_name}: {done.pool.pool.pairs} pairs, {done.entered} added, {done.left} removed, "
        f"{done.kept} added by hand kept"
    )


@draft.command("delete")
@CAMPAIGN
@POOL
@YES
@database_options
def pool_delete(settings: Settings, campaign: str, pool_name: str, yes: bool) -> None:
    """Delete the draft POOL of CAMPAIGN, with the documents added to it by hand."""
    with open_database(settings) as database:
        with database.reading() as db:
            campaign_id = campaign_by_slug(db, campaign).id
            line = pool_summary(db, campaign_id, pool_name)
        if line.state is not PoolState.DRAFT:
            raise Conflict(f"pool {pool_name!r} is {line.state}", remedy="only a draft can be deleted")
        if not yes:
            question = f"Delete {pool_name} with its {line.pairs} pairs, {line.added} added by hand?"
            click.confirm(question, abort=True, err=True)
        with database.writing() as db:
            drafts.delete_draft(db, campaign_id, pool_name)
        remove_leftovers(database)
    click.echo(f"{pool_name} is deleted")


def _say_opening(found: BeforeOpening) -> None:
    hours = f", {found.hours:.1f} hours for one assessor ({found.pace.in_words})"
    click.echo(f"{found.pool.pairs} pairs in {found.topics} topics{hours}", err=True)
    if found.judged:
        click.echo(f"{found.judged} of its pairs are already judged", err=True)
    for shared in found.shared:
        click.echo(f"{shared.pairs} of its pairs are in {shared.pool} ({shared.state})", err=True)
    if found.without_text:
        click.echo(f"{found.without_text} of its documents have no text yet", err=True)
    for run in found.changed:
        happened = "was removed" if run.sha256_now is None else "was replaced"
        click.echo(f"run {run.tag} {happened} since: run draft rebuild", err=True)


def _say_closing(found: BeforeClosing) -> None:
    click.echo(
        f"{found.judged} of {found.pool.pairs} pairs are judged; {found.assignments} active assignments",
        err=True,
    )


@click.command("pool")
@click.argument("campaign")
@campaign_recipe_options
@click.option("--name", default="", help="Name of the pool; default its recipe.")
@click.option("--draft", is_flag=True, help="Do not open it for judging yet; see draft open.")
@JSON_OBJECT
@database_options
def pool(
    settings: Settings,
    campaign: str,
    recipe: PoolRecipe,
    name: str,
    draft: bool,
    as_json: bool,
) -> None:
    """Create a pool from the runs of CAMPAIGN and open it for judging, unless it is to be a draft.

    The pool of an adaptive strategy starts empty: each document is chosen while people judge, from the
    judgments so far, for one assessor. Its order may hint at what was found to be relevant.
    """
    with open_database(settings) as database:
        with database.reading() as db:
            campaign_id = campaign_by_slug(db, campaign).id
        made = make_in_portions(database, NewPool(campaign_id, recipe, name=name, draft=draft))
        if recipe.strategy == LEARNER.name:
            make_rounds(database, campaign_id, CollectionVectors())
    if as_json:
        say_json(made_pool_json(made))
        return
    say_table(["topic", "pairs", "largest"], [(s.topic, s.pairs, s.largest_possible) for s in made.by_topic])
    if made.pool.adaptive:
        click.echo(f"{made.pool.name}: at most {made.pool.pairs} pairs, chosen while people judge")
        return
    click.echo(
        f"{made.pool.name}: {made.pool.pairs} pairs, {percent(made.pool.share, 1)} of the largest possible "
        f"{made.pool.largest_possible}" + (", a draft" if draft else "")
    )


@click.command("assign")
@click.argument("campaign")
@click.option("--pool", "pool_name", help="Name of the pool; the newest if not given.")
@click.option(
    "--assessor", "names", multiple=True, help="By name, several times; all with an account if none."
)
@click.option("--topic", "topics", multiple=True, help="Only these topics, each to every assessor named.")
@click.option(
    "--per-topic", default=1, show_default=True, type=click.IntRange(1), help="Assessors a topic, in turn."
)
@click.option(
    "--order", default="shuffled", show_default=True, type=click.Choice([o.value for o in OrderRule])
)
@click.option("--seed", type=click.IntRange(0), help="For the shuffled order; drawn and kept if not given.")
@database_options
def assign(
    settings: Settings,
    campaign: str,
    pool_name: str | None,
    names: tuple[str, ...],
    topics: tuple[str, ...],
    per_topic: int,
    order: str,
    seed: int | None,
) -> None:
    """Give the topics of a pool to assessors."""
    with open_database(settings) as database, writing_to(database, campaign) as db:
        found = campaign_by_slug(db, campaign)
        pools = [line for line in pools_of(db, found.id) if not line.draft]
        if not pools:
            raise WorkbenchError("no pool is open yet", remedy=f"workbench campaign pool {campaign}")
        chosen = pool_summary(db, found.id, pool_name) if pool_name else pools[-1]
        assessors = [one for one in assessors_of(db, found.id) if one.assignable]
        able = {one.name: one.id for one in assessors}
        if not able:
            message = "nobody with an account judges here yet"
            raise WorkbenchError(message, remedy=f"workbench campaign invite {campaign}")
        unknown = [name for name in names if name not in able]
        if unknown:
            raise WorkbenchError(
                f"{', '.join(unknown)} has no account that judges here",
                remedy=f"there are {', '.join(able)}",
            )
        ids = [able[name] for name in names or [one.name for one in assessors if one.able]]
        say_disabled(assessors, names)
        if topics:
            given = [(topic, assessor_id) for topic in topics for assessor_id in ids]
        else:
            given = in_turn(db, chosen.id, ids, per_topic)
        new = distribute(db, Distribution(chosen.id, given, OrderRule(order), seed))
    click.echo(f"{new} new assignments in {chosen.name}")


@click.command("pool-compare")
@click.argument("campaign")
@click.argument("names", nargs=-1, required=True, metavar="[BEFORE] AFTER")
@click.option("--pairs", is_flag=True, help="Every pair: change, topic, docno, judged, origin.")
@JSON_OBJECT
@database_options
def pool_compare(
    settings: Settings, campaign: str, names: tuple[str, ...], pairs: bool, as_json: bool
) -> None:
    """Compare pool or draft BEFORE of CAMPAIGN with AFTER: pairs added, removed, and left to judge.

    With one name it is compared with all pairs that people have judged.
    """
    if len(names) > 2:
        raise click.UsageError("name two pools, or one to compare with all judged pairs")
    with reading(settings) as db:
        before = names[0] if len(names) == 2 else None
        found = compare_pools(db, campaign_by_slug(db, campaign).id, before, names[-1])
    if as_json:
        say_json(_json(found, pairs=pairs))
    elif pairs:
        say_table(["change", "topic", "docno", "judged", "origin"], _rows(found))
    else:
        _say(found)


@click.command("add-to-pool")
@click.argument("campaign")
@click.option("--pool", "pool_name", help="Name of the pool; default the newest open one.")
@click.option("--topic", required=True, help="Topic of the documents.")
@click.option("--reason", required=True, help="How the documents were found, or why they belong here.")
@click.option("--from", "file", help="File of docnos, one per line, plain or gzip; - for standard input.")
@click.argument("docnos", nargs=-1, metavar="[DOCNO]...")
@JSON_OBJECT
@database_options
def add_to_pool(
    settings: Settings,
    campaign: str,
    pool_name: str | None,
    topic: str,
    reason: str,
    file: str | None,
    docnos: tuple[str, ...],
    as_json: bool,
) -> None:
    """Add documents by hand to a topic of a draft or an open pool of CAMPAIGN.

    Documents that are already pooled are skipped. If any docno is unknown, none is added.
    """
    if (file is None) == (not docnos):
        raise click.UsageError("give docnos, or a file of them with --from")
    if file is None:
        given = "\n".join(docnos).encode("utf-8", "surrogateescape")
        listed, source = read_docnos(io.BytesIO(given), source="docnos"), "docnos"
    else:
        with open_input(file) as (stream, source):
            listed = read_docnos(stream, source=source)
    with writing(settings) as db:
        campaign_id = campaign_by_slug(db, campaign).id
        if pool_name is None:
            able = [line.name for line in pools_of(db, campaign_id) if line.state is PoolState.OPEN]
            if not able:
                raise click.UsageError("no pool is open; name a draft with --pool")
            pool_name = able[-1]
        done = add_documents(
            db, campaign_id, pool_name, topic, Additions(listed, reason, source=source), added_by=None
        )
    if as_json:
        say_json(
            {
                "pool": done.pool,
                "topic": topic,
                "added": list(done.added),
                "passed_over": [{"docno": one.docno, "pool": one.pool} for one in done.passed],
                "without_text": list(done.without_text),
            }
        )
        return
    say_table(
        ["docno", "result"],
        [
            *((one, "added, no text yet" if one in done.without_text else "added") for one in done.added),
            *((one.docno, f"already in {one.pool}") for one in done.passed),
        ],
    )
    click.echo(f"{len(done.added)} added to topic {topic} of {done.pool}", err=True)


def _rows(found: ComparedPools) -> list[tuple[str, str, str, str, str]]:
    return [
        (one.turn, one.topic, one.docno, "judged" if one.judged else "unjudged", one.origin)
        for one in found.pairs
    ]


def _say(found: ComparedPools) -> None:
    headings = ["before", "enter", "leave", "after", "to judge"]
    compared = found.comparison
    rows = [(change.name, *_numbers(change)) for change in compared.by_topic]
    say_table(["topic", *headings], rows, numeric=range(1, 6))
    click.echo()
    rows = [(change.name, *_numbers(change)) for change in compared.by_run]
    if compared.by_hand.before or compared.by_hand.after:
        rows.append(("added by hand", *_numbers(compared.by_hand)))
    say_table(["run", *headings], rows, numeric=range(1, 6))
    click.echo()
    total = compared.total
    hours = "" if found.hours is None else f", {found.hours:.1f} hours"
    click.echo(
        f"{total.added} enter, {total.removed} leave, {total.kept} stay; {total.to_judge} to judge{hours}"
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
    return {
        "before": change.before,
        "after": change.after,
        "entering": change.added,
        "leaving": change.removed,
        "staying": change.kept,
        "to_judge": change.to_judge,
    }
