"""`workbench campaign`: the whole line on a database, from the terminal."""

from workbench.cli.campaign.commands import command

__all__ = ["command"]
