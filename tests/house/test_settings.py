"""Every environment variable is in the table that the manual shows, and nothing reads any other."""

from __future__ import annotations

import re

from tests.tree import ROOT, project_files
from workbench.settings import COMMANDS, VARIABLES, read_settings

NAMED = re.compile(r"""["'](WORKBENCH_[A-Z_]+)["']""")
# Set by the server itself, for the processes that it starts.
OWN = {"WORKBENCH_WORKERS"}


class Asked(dict[str, str]):
    """An environment that remembers which variables were asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()

    def get(self, key: str, default: str | None = None) -> str | None:  # type: ignore[override]
        self.names.add(key)
        return default


def test_the_table_has_every_variable_that_the_settings_read() -> None:
    environment = Asked()
    read_settings(environment)
    listed = [one.name for one in VARIABLES if one.use != COMMANDS]
    assert sorted(environment.names) == sorted(listed)


def test_no_module_reads_a_variable_that_is_not_in_the_table() -> None:
    found = {
        name
        for path in project_files()
        if path.parts[0] == "workbench" and path.suffix == ".py"
        for name in NAMED.findall((ROOT / path).read_text(encoding="utf-8"))
    }
    assert found - {one.name for one in VARIABLES} == OWN
