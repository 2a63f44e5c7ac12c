"""Tables by which pages look up a value of an enum: one that lacks a member is a page that fails one day."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from enum import Enum

from workbench.web import pages


def test_every_table_of_a_page_has_all_members_of_its_enum() -> None:
    lacking = {}
    for module in pkgutil.walk_packages(pages.__path__, f"{pages.__name__}."):
        for name, table in vars(importlib.import_module(module.name)).items():
            kinds = {type(key) for key in table} if isinstance(table, Mapping) else set()
            if len(kinds) == 1 and issubclass(kind := kinds.pop(), Enum) and set(table) != set(kind):
                lacking[f"{module.name}.{name}"] = sorted(map(str, set(kind) - set(table)))
    assert lacking == {}
