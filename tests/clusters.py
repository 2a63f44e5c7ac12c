"""A search cluster for tests: one that speaks OpenSearch's protocol, or a real one that somebody names."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit
from uuid import uuid4

from workbench.records import SearchCluster
from workbench.searching.opensearch_engine import client_of

REAL = "WORKBENCH_TEST_OPENSEARCH_URL"


@contextmanager
def running_cluster() -> Iterator[str]:
    """The address of a cluster: our own in memory, or the one that the environment names."""
    given = os.environ.get(REAL)
    if given:
        yield given
        return
    from osmem_server import OsmemServer

    with OsmemServer.start() as server:
        yield server.url
    # It closes its input alone.
    if server.process.stdout is not None:
        server.process.stdout.close()


@contextmanager
def own_prefix(url: str) -> Iterator[SearchCluster]:
    """The cluster with a prefix that nobody else has; its indexes are deleted in the end."""
    parts = urlsplit(url)
    node = parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
    cluster = SearchCluster((node,), parts.username or "", parts.password or "", prefix=f"test-{uuid4().hex}")
    yield cluster
    indices = client_of(cluster).indices
    for name in indices.get(index=f"{cluster.prefix}*"):
        indices.delete(index=name)
