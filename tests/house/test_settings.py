"""Every environment variable is in the table that the manual shows, and nothing reads any other."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest

from tests.tree import ROOT, project_files
from workbench.errors import WorkbenchError
from workbench.help.generated import COMMANDS, VARIABLES
from workbench.settings import read_settings

NAMED = re.compile(r"""["'](WORKBENCH_[A-Z_]+)["']""")
# Set by the server itself, for the processes that it starts.
OWN: set[str] = set()


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


CLUSTER = {
    "WORKBENCH_OPENSEARCH_URL": "https://one.example.org:9200, https://two.example.org:9200/",
    "WORKBENCH_OPENSEARCH_LOGIN": "bench",
    "WORKBENCH_OPENSEARCH_PASSWORD": "a-password",
}


def test_a_search_cluster_is_read_with_all_of_its_nodes_and_never_shown_with_its_password() -> None:
    cluster = read_settings(CLUSTER).cluster
    assert cluster is not None
    assert cluster.nodes == ("https://one.example.org:9200", "https://two.example.org:9200")
    assert (cluster.login, cluster.password, cluster.prefix) == ("bench", "a-password", "workbench")
    assert "a-password" not in repr(cluster)
    assert read_settings({}).cluster is None


@pytest.mark.parametrize(
    "changed",
    [
        {"WORKBENCH_OPENSEARCH_URL": "https://bench:a-password@one.example.org"},
        {"WORKBENCH_OPENSEARCH_URL": "one.example.org:9200"},
        {"WORKBENCH_OPENSEARCH_URL": "http://one.example.org:9200"},
        {"WORKBENCH_OPENSEARCH_PREFIX": "Bench_*"},
    ],
    ids=["a password in the address", "no scheme", "a password without encryption", "no name of an index"],
)
def test_a_search_cluster_that_cannot_be_one_is_refused_without_its_password(changed: dict[str, str]) -> None:
    with pytest.raises(WorkbenchError) as refused:
        read_settings(CLUSTER | changed)
    assert refused.value.remedy
    assert "a-password" not in str(refused.value)


@pytest.mark.parametrize(
    ("hours", "idle"),
    [("", timedelta(days=14)), ("8", timedelta(hours=8)), ("0", None), ("720", None), ("9" * 30, None)],
)
def test_after_how_long_an_unused_session_ends(hours: str, idle: timedelta | None) -> None:
    # From 30 days on every session ends anyway.
    assert read_settings({"WORKBENCH_IDLE_HOURS": hours}).session_idle == idle
