"""`workbench campaign release`: releases of a campaign are made, listed, downloaded, imported."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from workbench.cli.consensus import OUTPUT, consensus_options
from workbench.cli.database import (
    ORGANISER,
    ChosenCampaign,
    campaign_command,
    database_command,
    open_database,
)
from workbench.cli.files import open_input, write_out
from workbench.cli.main import CommandGroup
from workbench.cli.output import (
    JSON_OBJECT,
    MEASURE,
    OneOf,
    repeatable,
    say_aside,
    say_findings,
    say_json,
    say_list,
    text_option,
    with_progress,
)
from workbench.consensus.rules import RuleChoice
from workbench.errors import WorkbenchError
from workbench.figures import counted
from workbench.releases.check import check_release, undamaged
from workbench.releases.contents import Included
from workbench.settings import Settings
from workbench.workflow.people.accounts import account_by_login
from workbench.workflow.releases.collecting import ReleaseRequest
from workbench.workflow.releases.importing import import_release, released_documents
from workbench.workflow.releases.making import made_release_json, make_release, release_json
from workbench.workflow.releases.releases import (
    Release,
    release_by_version,
    release_parts,
    release_readiness,
    releases_of,
)
from workbench.workflow.trust.collection_report import collection_report, report_markdown


@click.group("release", cls=CommandGroup)
def release() -> None:
    """Freeze a campaign into releases that others can use, check and cite; list, download and import them."""


@campaign_command("create", release)
@consensus_options()
@text_option("--version", help="Version, such as 1.0; the next one if missing.")
@text_option("--title", help="Title; the campaign's name if missing.")
@text_option("--description", help="What the collection is for.")
@repeatable("--author", "authors", help="Author to be cited (repeatable).")
@text_option("--licence", help="Licence, by its SPDX id if it has one, such as CC-BY-4.0.")
@text_option("--homepage", help="Web address of the collection.")
@repeatable("--include", "included", type=OneOf(Included), help="Also include these (repeatable).")
@text_option("--at", "time", help="Time of the release in ISO 8601, to make an identical one.")
@click.option("--seed", type=click.IntRange(min=0), help="Random seed of new pseudonyms; secret.")
@JSON_OBJECT
def create(
    at: ChosenCampaign,
    choice: RuleChoice,
    included: tuple[Included, ...],
    time: str,
    as_json: bool,
    **options: Any,
) -> None:
    """Freeze CAMPAIGN into a release: qrels by a rule, with everything needed to check and cite them.

    What is still open, such as disputes, is said on the error stream. The same campaign, options, time and
    version of Workbench give the same bytes.
    """
    now = _time(time) if time else None
    # Each other option has the name of its field.
    request = ReleaseRequest(choice=choice, included=frozenset(included), **options)
    with at.open() as (database, campaign_id):
        with database.reading() as db:
            open_ = release_readiness(db, campaign_id, choice)
        made = make_release(database, campaign_id, request, now=now)
    if as_json:
        say_json(made_release_json(made, open_.warnings))
        return
    say_findings(open_.warnings)
    click.echo(f"release {made.release.version}: {counted(made.release.lines, 'qrels line')}")
    click.echo(f"SHA-256 {made.release.sha256}")


@campaign_command("list", release)
@JSON_OBJECT
def list_(at: ChosenCampaign, as_json: bool) -> None:
    """List the releases of CAMPAIGN, the latest first."""
    found = at.read(releases_of)
    say_list(
        [release_json(one) for one in found],
        as_json,
        ["version", "made", "rule", "lines", "relevant", "pooled kappa", "pairs", "state"],
        [
            (
                one.version,
                f"{one.made_at:%Y-%m-%d}",
                one.rule,
                one.lines,
                one.relevant,
                _kappa(one),
                one.kappa_pairs,
                _state(one),
            )
            for one in found
        ],
        numeric=[3, 4, 6],
    )


VERSION = click.argument("version")


@campaign_command("download", release)
@VERSION
@OUTPUT
def download(at: ChosenCampaign, version: str, output: Path | None) -> None:
    """Write the zip of release VERSION of CAMPAIGN; a withdrawn one too, with a warning."""
    with at.reading() as (db, campaign_id):
        found = release_by_version(db, campaign_id, version)
        write_out(release_parts(db, found), output)
    if found.withdrawn:
        say_aside(f"warning: release {version} was withdrawn: {found.withdrawn_reason}")


@database_command("import", release)
@click.argument("file")
@click.option("--slug", help="Short name of the campaign; the release's own, or one derived from its title.")
@ORGANISER
@JSON_OBJECT
def import_(settings: Settings, file: str, slug: str | None, organiser: str | None, as_json: bool) -> None:
    """Make a campaign from the release FILE: topics, scale, judgments, decisions, pools; `-` is standard
    input.

    Assessors come under their pseudonyms, without accounts. A release of the campaign with the same options
    and time has the same bytes.
    """
    with open_input(file) as (stream, source):
        # The runs are read from the zip one by one.
        checked = check_release(stream, source=source, leaving={"runs"})
        contents = undamaged(checked)
        documents = released_documents(contents)
        with open_database(settings) as database:
            with database.reading() as db:
                owner = account_by_login(db, organiser).id if organiser else None
            made = import_release(
                database,
                contents,
                slug=slug,
                organiser=owner,
                documents=documents,
                files=checked.files,
            )
    if as_json:
        say_json(asdict(made) | {"campaign": made.campaign.slug})
        return
    click.echo(made.campaign.slug)
    parts = (made.topics, "topic"), (made.answers, "answer"), (made.pools, "pool"), (made.runs, "run")
    counts = ", ".join(counted(number, noun) for number, noun in parts)
    say_aside(f"release {made.version}: {counts}")


def _state(found: Release) -> str:
    if found.withdrawn:
        return "withdrawn"
    return "public" if found.public else "for members"


def _kappa(found: Release) -> str:
    if found.kappa is None:
        return "-"
    if found.kappa_low is None or found.kappa_high is None:
        return f"{found.kappa:.2f}"
    return f"{found.kappa:.2f} ({found.kappa_low:.2f} to {found.kappa_high:.2f})"


def _time(text: str) -> datetime:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        found = datetime.min
    if found.tzinfo is None:
        raise WorkbenchError(
            f"{text!r} is not a time with a time zone", remedy="write it like 2026-11-22T12:00:00Z"
        )
    return found


@campaign_command("report")
@consensus_options()
@MEASURE
def report(at: ChosenCampaign, choice: RuleChoice, measure: str) -> None:
    """Write the report on the collection of CAMPAIGN as Markdown.

    It has the size of the collection, its pools, judgments, agreement and qrels, how stable the ranking of
    its runs is, and in sentences what may and may not be concluded.
    """
    found = at.read(collection_report, choice=choice, measure=measure, steps=with_progress)
    click.echo(report_markdown(found), nl=False)
