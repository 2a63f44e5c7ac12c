"""What is in a pool: compared with another, and added to by hand."""

from __future__ import annotations

import io

import click

from workbench.cli.database import database_options, open_database
from workbench.cli.inputs import open_input
from workbench.cli.output import say_json, say_table
from workbench.formats.identifiers import read_docnos
from workbench.pooling.comparison import PoolChange
from workbench.settings import Settings
from workbench.workflow.campaigns.campaigns import campaign_by_slug
from workbench.workflow.pools.additions import Additions, add_documents
from workbench.workflow.pools.comparison import ComparedPools, compare_pools
from workbench.workflow.pools.listing import pools_of
from workbench.workflow.pools.pool_rows import PoolState


@click.command("pool-compare")
@click.argument("campaign")
@click.argument("names", nargs=-1, required=True, metavar="[BEFORE] AFTER")
@click.option("--pairs", is_flag=True, help="Every pair: change, topic, docno, judged, origin.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@database_options
def pool_compare(
    settings: Settings, campaign: str, names: tuple[str, ...], pairs: bool, as_json: bool
) -> None:
    """Compare pool or draft BEFORE of CAMPAIGN with AFTER: pairs added, removed, and left to judge.

    With one name it is compared with all pairs that people have judged.
    """
    if len(names) > 2:
        raise click.UsageError("name two pools, or one to compare with all judged pairs")
    with open_database(settings) as database, database.reading() as db:
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
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
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
    with open_database(settings) as database, database.writing() as db:
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
