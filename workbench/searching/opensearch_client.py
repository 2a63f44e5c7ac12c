"""Talking to a search cluster: its client, and its answers in plain words where it refuses."""

from __future__ import annotations

import logging
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from workbench.errors import WorkbenchError
from workbench.search_cluster import SearchCluster
from workbench.searching.engine import DamagedIndex, EngineUnavailable, RefusedQuery

INSTALL = "pip install 'ir-workbench[opensearch]'"
SEARCH_SECONDS = 5.0
"""After which a search is given up; somebody waits for it."""
WORK_SECONDS = 60.0
"""After which a portion of documents, or another step of indexing, is given up."""
_TRIED_AGAIN = 2


@cache
def client_of(cluster: SearchCluster) -> Any:
    """The client of a cluster, which keeps its connections; nothing is asked yet.

    Raises WorkbenchError where the client is not installed, or the file of certificates cannot be read.
    """
    try:
        from opensearchpy import OpenSearch
    except ImportError as error:
        raise WorkbenchError("the OpenSearch client is not installed", remedy=INSTALL) from error
    # It would log every request; what fails is logged by whoever asked.
    logging.getLogger("opensearch").setLevel(logging.ERROR)
    encrypted = any(node.startswith("https://") for node in cluster.nodes)
    # The client encodes both in Latin-1.
    login, password = (text.encode().decode("latin-1") for text in (cluster.login, cluster.password))
    return OpenSearch(
        hosts=list(cluster.nodes),
        http_auth=(login, password) if login else None,
        ssl_context=_trusting(cluster.authorities) if encrypted else None,
        timeout=SEARCH_SECONDS,
        max_retries=_TRIED_AGAIN,
    )


def _trusting(authorities: str) -> ssl.SSLContext:
    """Trusts the certificates in this file, of the system's authorities if none is named."""
    try:
        return ssl.create_default_context(cafile=authorities or None)
    except OSError as error:
        message = f"the certificates in {authorities} cannot be read: {error.strerror or error}"
        raise WorkbenchError(message, remedy="set WORKBENCH_OPENSEARCH_CA to a PEM file") from error


@contextmanager
def asking(cluster: SearchCluster) -> Iterator[None]:
    """Raises what a cluster answers as errors of ours: EngineUnavailable, or DamagedIndex for no index."""
    from opensearchpy import exceptions as raised

    where = ", ".join(cluster.nodes)
    try:
        yield
    except raised.SSLError as error:
        remedy = "set WORKBENCH_OPENSEARCH_CA to the certificate of its authority"
        raise EngineUnavailable(f"the certificate of {where} cannot be verified", remedy=remedy) from error
    except raised.ConnectionTimeout as error:
        message = f"the search cluster at {where} does not answer in time"
        raise EngineUnavailable(message, remedy="try again when it is less busy") from error
    except raised.ConnectionError as error:
        message = f"the search cluster at {where} cannot be reached"
        raise EngineUnavailable(message, remedy="check its address, and whether it runs") from error
    except raised.AuthenticationException as error:
        remedy = "check WORKBENCH_OPENSEARCH_LOGIN and WORKBENCH_OPENSEARCH_PASSWORD"
        raise EngineUnavailable(f"{where} does not accept the login and password", remedy=remedy) from error
    except raised.AuthorizationException as error:
        message = f"{where} does not let this login do that: {_reason(error)}"
        raise EngineUnavailable(message, remedy="give it rights on the indexes of the prefix") from error
    except raised.NotFoundError as error:
        raise DamagedIndex("the cluster has no such index", remedy="index again") from error
    except raised.RequestError as error:
        message = f"the search cluster at {where} cannot answer: {_reason(error)}"
        raise RefusedQuery(message, remedy="use fewer words") from error
    except raised.TransportError as error:
        message = f"the search cluster at {where} refuses: {_reason(error)}"
        raise EngineUnavailable(message, remedy="see the log of the cluster") from error
    except raised.SerializationError as error:
        message = f"{where} does not answer as OpenSearch does"
        raise EngineUnavailable(message, remedy="check its address") from error


def _reason(error: Any) -> str:
    """What a cluster said, or its status."""
    given = error.info.get("error") if isinstance(error.info, dict) else None
    if isinstance(given, dict):
        causes = given.get("root_cause") or [given]
        return str(causes[0].get("reason") or given.get("reason") or error.status_code)
    return f"status {error.status_code}"
