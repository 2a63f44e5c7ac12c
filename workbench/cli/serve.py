"""`workbench serve`: the site."""

from __future__ import annotations

import click

from workbench.cli.opening import database_options, opened
from workbench.cli.serving import DEFAULT_PORT, say_address, serve_until_interrupted, usable_port
from workbench.settings import Settings
from workbench.workflow.people.accounts import any_account


@click.command("serve")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port", default=DEFAULT_PORT, show_default=True, type=click.IntRange(0, 65535), help="0: any free."
)
@click.option("--workers", default=1, show_default=True, type=click.IntRange(1, 64), help="Worker processes.")
@database_options
def command(settings: Settings, host: str, port: int, workers: int) -> None:
    """Serve the site for organisers and assessors.

    The database is made or brought to this version first. The first visitor becomes the first organiser,
    unless `workbench init` has made one.
    """
    port = usable_port(host, port)
    with opened(settings) as database, database.reading() as db:
        empty = not any_account(db)
    say_address(host, port, settings)
    if empty:
        click.echo("Nobody has an account yet: the first visit makes the first organiser.")
    serve_until_interrupted(settings, host=host, port=port, workers=workers)
