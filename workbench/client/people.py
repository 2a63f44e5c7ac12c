"""People, assignments and quality checks of a campaign, from another program."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, cast

from workbench.client.calls import CampaignCalls, File
from workbench.client.transport import segment
from workbench.json_forms import (
    AssignmentJson,
    CheckRulesJson,
    InvitationJson,
    InvitedJson,
    KnownAnswerJson,
    KnownLoadedJson,
    MemberJson,
    TraineeJson,
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

    def quality_checks(self) -> CheckRulesJson:
        """Repeats, training, and how many pairs have a known grade."""
        return cast(CheckRulesJson, self._get("/quality-checks"))

    def change_quality_checks(self, **fields: Any) -> CheckRulesJson:
        """Change `one_in`, `distance`, `training` or `least`."""
        return cast(CheckRulesJson, self._patch("/quality-checks", fields))

    def known_answers(self) -> Iterator[KnownAnswerJson]:
        """The pairs with a known grade, and how many assessors gave it."""
        return self._list("/quality-checks/known-answers")

    def load_known_answers(self, file: File, *, purpose: str) -> KnownLoadedJson:
        """Load pairs with a known grade for a `purpose`: planted or training."""
        asked = {"purpose": purpose}
        return cast(KnownLoadedJson, self._upload("/quality-checks/known-answers", file, asked))

    def correct_known_answer(self, topic: str, docno: str, grade: int, *, purpose: str) -> None:
        """Correct the known grade of a pair."""
        sent = {"purpose": purpose, "topic": topic, "docno": docno, "grade": grade}
        self._patch("/quality-checks/known-answers", sent)

    def remove_known_answers(self, *, purpose: str, topic: str = "", docno: str = "") -> int:
        """Remove all pairs of a purpose, or one of them; returns how many."""
        named = {"purpose": purpose, "topic": topic, "docno": docno}
        return int(self._delete("/quality-checks/known-answers", **named)["count"])

    def trainees(self) -> list[TraineeJson]:
        """Who is still in training."""
        return cast(list[TraineeJson], self._get("/quality-checks/trainees"))

    def waive_training(self, assignment: int) -> None:
        """Waive the training of an assignment."""
        self._post("/quality-checks/waivers", {"assignment": assignment})
