"""Command groups that import a command when it is used."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

# As click itself: two columns of margin before and between a command and what it does.
_MARGIN = 6


class LazyGroup(click.Group):
    """A group that imports a command when it is used, and lists commands in the given order.

    `parts` says by name where a command is: `module:function`. `workbench pool` in a shell loop must not
    wait for the imports of every other command, nor must `workbench --help`.
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

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands with the first sentence of their help, which is read without importing them."""
        limit = formatter.width - _MARGIN - max(map(len, self._parts), default=0)
        rows = [(name, self._short_help(ctx, name, limit)) for name in self.list_commands(ctx)]
        if rows:
            with formatter.section("Commands"):
                formatter.write_dl(rows)

    def _short_help(self, ctx: click.Context, name: str, limit: int) -> str:
        docstring = _docstring_of(self._parts[name])
        if docstring is not None:
            return click.Command(name, help=docstring).get_short_help_str(limit)
        command = self.get_command(ctx, name)
        return command.get_short_help_str(limit) if command else ""


def _docstring_of(part: str) -> str | None:
    """The docstring of a command's function, from the source; None where it cannot be found there."""
    module, _, function = part.partition(":")
    spec = find_spec(module)
    if spec is None or not spec.origin or not spec.origin.endswith(".py"):
        return None
    for node in ast.parse(Path(spec.origin).read_bytes()).body:
        if isinstance(node, ast.FunctionDef) and node.name == function:
            return ast.get_docstring(node)
    return None
