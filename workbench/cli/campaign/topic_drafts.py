"""The drafts of topics that people develop by searching."""

from __future__ import annotations

import click

from workbench.cli.database import database_options, open_database
from workbench.cli.output import one_form, print_export, say_table
from workbench.settings import Settings
from workbench.workflow.campaigns.campaigns import campaign_by_slug
from workbench.workflow.searching import topic_drafts as drafts
from workbench.workflow.searching.draft_lines import drafts_export


@click.command("topic-drafts")
@click.argument("campaign")
@click.option("--json", "as_json", is_flag=True, help="A JSON list with the statements.")
@click.option("--csv", "as_csv", is_flag=True, help="The same as CSV.")
@database_options
def topic_drafts(settings: Settings, campaign: str, as_json: bool, as_csv: bool) -> None:
    """List the topics that people develop in CAMPAIGN, with what they judged and the verdict."""
    form = one_form(as_json=as_json, as_csv=as_csv, as_latex=False)
    with open_database(settings) as database, database.reading() as db:
        found = drafts.topic_drafts(db, campaign_by_slug(db, campaign).id)
    if print_export(drafts_export(found), form):
        return
    say_table(
        ["draft", "title", "author", "state", "topic", "judged", "relevant", "verdict"],
        [_row(one) for one in sorted(found, key=lambda one: one.number)],
        numeric=(0, 5, 6),
    )


def _row(draft: drafts.TopicDraft) -> tuple[str, ...]:
    progress = draft.progress
    return (
        str(draft.number),
        draft.statement.title or "untitled",
        draft.author,
        str(draft.state),
        draft.topic or "-",
        str(progress.judged),
        f"{progress.counted_relevant} of {progress.counted}",
        str(progress.fitness),
    )
