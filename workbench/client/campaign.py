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
    CampaignContentsJson,
    DeskSettings,
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

    def settings(self) -> DeskSettings:
        """What the desks ask, after how long they suggest a break, and whether documents can be searched."""
        return cast(DeskSettings, self._get("/settings"))

    def change_settings(self, **fields: Any) -> DeskSettings:
        """Change `break_minutes`, `search`, `questions` or `comment_for`."""
        return cast(DeskSettings, self._patch("/settings", fields))

    def duplicate(self, name: str) -> CampaignClient:
        """Make a campaign with the scale, guidelines and rules of this one, for administrators."""
        return CampaignClient(self._transport, self._post("/copies", {"name": name})["slug"])

    def contents(self) -> CampaignContentsJson:
        """How much it contains, all of which is lost when it is deleted."""
        return cast(CampaignContentsJson, self._get("/contents"))

    def delete(self, *, name: str) -> None:
        """Delete it with everything in it; `name` is its name, so that no other is deleted by mistake."""
        self._delete("", name=name)
