"""`workbench help`: the manual in the terminal."""

from __future__ import annotations

import sys

import click

from workbench.cli.output import printable, say_table
from workbench.errors import NotFound
from workbench.help.manual import Page, page_named, pages
from workbench.help.search import search, terminal_markdown


@click.command()
@click.argument("topic", required=False)
@click.option("--search", "words", metavar="WORDS", help="List the sections about these words.")
def command(topic: str | None, words: str | None) -> None:
    """Read the manual: list its pages, print the page TOPIC, or search them.

    In a terminal the page is laid out; elsewhere it is printed as Markdown. `workbench COMMAND --help` has
    the options of a command.
    """
    if topic and words:
        raise click.UsageError("give a TOPIC or --search, not both")
    if words is not None:
        _find(words)
    elif topic:
        _print(page_named(topic))
    else:
        say_table(
            ("topic", "for", "what it says"), [(one.name, one.reader.lower(), one.summary) for one in pages()]
        )


def to_terminal() -> bool:
    """Whether somebody reads the output as it comes."""
    return sys.stdout.isatty()


def _find(words: str) -> None:
    hits = search(words)
    if not hits:
        raise NotFound(f'nothing in the manual is about "{printable(words)}"', remedy="try fewer words")
    rows = [
        (one.section.page.name, one.section.title, "".join(piece.text for piece in one.snippet))
        for one in hits
    ]
    say_table(("topic", "section", "text"), rows)


def _print(page: Page) -> None:
    text = terminal_markdown(page)
    if not to_terminal():
        click.echo(text, nl=False)
        return
    # Imported where it is used: programs that read the Markdown need not wait for it.
    from rich.console import Console
    from rich.markdown import Markdown

    Console(width=min(Console().width, 100)).print(Markdown(text))
