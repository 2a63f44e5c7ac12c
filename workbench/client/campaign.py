"""One campaign from another program, in the order in which a campaign goes."""

from __future__ import annotations

from typing import Any, cast

from workbench.client.collecting import CollectingCalls
from workbench.client.connecting import ConnectingCalls
from workbench.client.judging import JudgingCalls
from workbench.client.people import PeopleCalls
from workbench.client.pools import PoolCalls
from workbench.client.results import ResultCalls
from workbench.json_forms import (
    OwnCampaign,
)


class CampaignClient(
    CollectingCalls,
    PoolCalls,
    PeopleCalls,
    JudgingCalls,
    ResultCalls,
    ConnectingCalls,
):
    """A campaign on a server; see `Client` for what methods raise."""

    def show(self) -> OwnCampaign:
        """Name, scale, guidelines, and your roles."""
        return cast(OwnCampaign, self._get(""))

    def change(self, **fields: Any) -> OwnCampaign:
        """Change `name`, `guidelines` or `scale`."""
        return cast(OwnCampaign, self._patch("", fields))

    def archive(self) -> OwnCampaign:
        """Let nothing be changed any more."""
        return cast(OwnCampaign, self._post("/state", {"state": "archived"}))

    def restore(self) -> OwnCampaign:
        """Let it be changed again."""
        return cast(OwnCampaign, self._post("/state", {"state": "active"}))

    def progress(self) -> dict[str, Any]:
        """Pooled, judged and disputed pairs, by topic and by assessor."""
        return cast(dict[str, Any], self._get("/progress"))
