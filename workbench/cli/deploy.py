"""`workbench deploy`: the files with which the server is run for others."""

from __future__ import annotations

from pathlib import Path

import click

from workbench.cli.output import FOLDER, announce, setting, text_option
from workbench.deployment.papers import EXAMPLE_HOST, PAPERS, Deployment, filled_in, write_paper
from workbench.settings import read_settings

PAPER_LIST = "\n".join(f"{one.name}: {one.summary}." for one in PAPERS.values())


@click.command("deploy", help=f"Print the files needed to run the server for others.\n\n\b\n{PAPER_LIST}")
@click.argument("paper", type=click.Choice(PAPERS))
@setting("--host", default=EXAMPLE_HOST, help="Host name of the site.")
@text_option("--prefix", help="Path of the site, such as /workbench.")
@setting(
    "--port",
    default=8765,
    type=click.IntRange(1, 65535),
    help="Port of the server behind the proxy.",
)
@click.option(
    "--to",
    "folder",
    type=FOLDER,
    help="Write the files into this folder instead; existing files are never replaced.",
)
def command(paper: str, host: str, prefix: str, port: int, folder: Path | None) -> None:
    """Print the files needed to run the server for others."""
    path = read_settings({"WORKBENCH_PREFIX": prefix}).prefix
    site = Deployment(host=host, prefix=path, port=port)
    chosen = PAPERS[paper]
    if folder is not None:
        for written in write_paper(chosen, site, folder):
            announce(f"Written: {written}")
        return
    for name, text in filled_in(chosen, site):
        if len(chosen.files) > 1:
            click.echo(f"# ---- {name}")
        click.echo(text)
