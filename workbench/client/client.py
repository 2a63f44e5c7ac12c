"""The client of a server: its campaigns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from workbench.client.campaign import CampaignClient
from workbench.client.transport import Transport
from workbench.json_forms import OwnCampaign


class Client:
    """A server of Workbench, for whoever the token belongs to.

    Methods raise ApiError for what the server refuses, and Unreachable where it does not answer after four
    attempts. `timeout` is in seconds, for each attempt.
    """

    def __init__(self, address: str, token: str, *, timeout: float = 60) -> None:
        self._transport = Transport(address, token, timeout=timeout)

    def __repr__(self) -> str:
        return f"Client({self._transport!r})"

    def campaigns(self) -> Iterator[OwnCampaign]:
        """Your campaigns, archived ones too, by slug."""
        return self._transport.pages("/campaigns")

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
        sent = {"name": name, "scale": scale, "guidelines": guidelines, "slug": slug}
        return self.campaign(self._transport.send("POST", "/campaigns", sent)["slug"])
