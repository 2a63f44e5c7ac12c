"""Command groups that import a command when it is used."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import click


class LazyGroup(click.Group):
    """A group that imports a command when it is used, and lists commands in the given order.

    `parts` maps the name of a command to `module:attribute`. `workbench pool` in a shell loop must not wait
    for the imports of every other command.
    """

    def __init__(self, *arguments: Any, parts: Mapping[str, str], **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self._parts = parts

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names in the given order."""
        return list(self._parts)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name, imported, or None."""
        if cmd_name not in self._parts:
            return None
        module, _, attribute = self._parts[cmd_name].partition(":")
        command = getattr(importlib.import_module(module), attribute)
        if not isinstance(command, click.Command):
            raise TypeError(f"{self._parts[cmd_name]} is not a command")
        return command
