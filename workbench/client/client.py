"""The client of a server: its campaigns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from workbench.client.campaign import CampaignClient
from workbench.client.transport import Transport


class Client:
    """A server of Workbench, for whoever the token belongs to.

    Methods raise ApiError for what the server refuses, and Unreachable where it does not answer after four
    attempts. `timeout` is in seconds, for each attempt.
    """

    def __init__(self, address: str, token: str, *, timeout: float = 60) -> None:
        self._transport = Transport(address, token, timeout=timeout)

    def __repr__(self) -> str:
        return f"Client({self._transport!r})"

    def call(self, operation: str, **fields: Any) -> Any:
        """Do an operation by its name in the API's document, as `CampaignClient.call`."""
        return self._transport.call(operation, fields)

    def campaigns(self) -> Iterator[Any]:
        """Your campaigns, archived ones too, by slug."""
        found: Iterator[Any] = self.call("campaigns.index")
        return found

    def campaign(self, slug: str) -> CampaignClient:
        """A campaign by its slug; nothing is asked of the server yet."""
        return CampaignClient(self._transport, slug)

    def create_campaign(
        self,
        name: str,
        *,
        scale: str | dict[str, Any] = "binary",
        guidelines: str = "",
        slug: str | None = None,
    ) -> CampaignClient:
        """Make a campaign, for administrators; the scale is a predefined one by name, or its grades."""
        made = self.call("campaigns.create", name=name, scale=scale, guidelines=guidelines, slug=slug)
        return self.campaign(made["slug"])


LIBRARIES = ("polars", "pandas")


def to_frame(rows: Iterable[Mapping[str, Any]], library: str | None = None) -> Any:
    """The rows as a data frame, a column for each field: of polars if it is installed, else of pandas.

    `library` names one of the two. Raises ImportError where it is not installed.
    """
    chosen = library or next((name for name in LIBRARIES if find_spec(name)), None)
    if chosen not in LIBRARIES or find_spec(chosen) is None:
        raise ImportError(f"data frames need {' or '.join(LIBRARIES)}: pip install pandas")
    return import_module(chosen).DataFrame([dict(row) for row in rows])
