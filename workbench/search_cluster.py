"""Where a search cluster is, and how one signs in there."""

from __future__ import annotations

from dataclasses import dataclass, field

CLUSTER_PREFIX = "workbench"


@dataclass(frozen=True, slots=True)
class SearchCluster:
    """An OpenSearch cluster: the addresses of its nodes, and the first part of the names of its indexes.

    Without a `login` it asks for none. `authorities` is a file of certificates that its own is checked
    against; if it is empty, the well-known ones are.
    """

    nodes: tuple[str, ...]
    login: str = ""
    password: str = field(default="", repr=False)
    authorities: str = ""
    prefix: str = CLUSTER_PREFIX
