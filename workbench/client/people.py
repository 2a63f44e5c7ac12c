"""People and assignments of a campaign, from another program."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, cast

from workbench.client.calls import CampaignCalls
from workbench.client.transport import segment
from workbench.json_forms import (
    AssignmentJson,
    InvitationJson,
    InvitedJson,
    MemberJson,
)


class PeopleCalls(CampaignCalls):
    """Who judges what."""

    def people(self) -> Iterator[MemberJson]:
        """The people of the campaign by login name."""
        return self._list("/people")

    def invitations(self) -> Iterator[InvitationJson]:
        """The invitations with their state."""
        return self._list("/invitations")

    def invite(self, people: Iterable[str], *, role: str = "assessor", group: str = "") -> list[InvitedJson]:
        """Invite people; their links are in this answer only."""
        sent = {"people": list(people), "role": role, "group": group}
        return cast(list[InvitedJson], self._post("/invitations", sent)["invitations"])

    def renew_invitations(self, numbers: Iterable[int]) -> list[InvitedJson]:
        """Give invitations new links; those before stop working."""
        found = self._post("/invitations/links", {"invitations": list(numbers)})["invitations"]
        return cast(list[InvitedJson], found)

    def withdraw_invitations(self, numbers: Iterable[int]) -> int:
        """Withdraw invitations, whose links stop working."""
        return int(self._post("/invitations/withdrawals", {"invitations": list(numbers)})["count"])

    def add_role(self, login: str, role: str, *, both_sides: bool = False) -> MemberJson:
        """Give a person of the campaign another role; `both_sides` lets one judge and submit runs."""
        sent = {"role": role, "both_sides": both_sides}
        return cast(MemberJson, self._post(f"/people/{segment(login)}/roles", sent))

    def remove_role(self, login: str, role: str) -> None:
        """Remove a role of a person; the judgments stay."""
        self._delete(f"/people/{segment(login)}/roles/{segment(role)}")

    def assignments(self) -> Iterator[AssignmentJson]:
        """Who judges which topic, and how much is answered."""
        return self._list("/assignments")

    def assign(self, pool: str, **how: Any) -> int:
        """Assign topics: `assessors`, `topics`, `per_topic`, `order`, `seed`; returns how many are new."""
        return int(self._post("/assignments", {"pool": pool, **how})["added"])

    def revoke(self, assignment: int) -> None:
        """Remove an assignment; its judgments stay."""
        self._delete(f"/assignments/{assignment}")
