"""Judging and disputes of a campaign, from another program."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from typing import Any, cast

from workbench.client.calls import CampaignCalls, File
from workbench.json_forms import (
    DecisionJson,
    DisputeRulesJson,
    DisputesJson,
    ImportedJson,
    OwnAddedJson,
    OwnAdditionJson,
    OwnAssignmentJson,
    ReceiptJson,
    TaskDocument,
    WithdrawnDecision,
    WorkJson,
)


class JudgingCalls(CampaignCalls):
    """What people say, and what is decided."""

    def own_assignments(self) -> Iterator[OwnAssignmentJson]:
        """Your own assignments."""
        return self._list("/judging")

    def work(self, assignment: int) -> WorkJson:
        """An own assignment: its documents in the order of judging, and your answers."""
        return cast(WorkJson, self._get(f"/judging/{assignment}"))

    def task_documents(self, assignment: int, docnos: Sequence[str]) -> list[TaskDocument]:
        """Documents of an own assignment, at most 50."""
        found = self._get(f"/judging/{assignment}/documents", docno=list(docnos))
        return cast(list[TaskDocument], found)

    def judge(self, assignment: int, docno: str, grade: int | None = None, **more: Any) -> ReceiptJson:
        """Give a document a grade, or `answer="unsure"`; `comment`, `reason`, `client_id` and more.

        The receipt says whether it was recorded.
        """
        event = {"client_id": str(uuid.uuid4()), "assignment": assignment, "docno": docno}
        event |= {"answer": "grade", "grade": grade} if grade is not None else {}
        receipts = self._post("/judging/judgments", {"events": [event | more]})["receipts"]
        return cast(ReceiptJson, receipts[0])

    def own_additions(self, assignment: int) -> list[OwnAdditionJson]:
        """The documents that you added to an own assignment."""
        return cast(list[OwnAdditionJson], self._get(f"/judging/{assignment}/additions")["additions"])

    def add_to_own(self, assignment: int, docnos: Sequence[str], *, reason: str) -> OwnAddedJson:
        """Add documents to an own assignment, and why; all of them, or none."""
        sent = {"docnos": list(docnos), "reason": reason}
        return cast(OwnAddedJson, self._post(f"/judging/{assignment}/additions", sent))

    def load_judgments(
        self, file: File, *, machines: Sequence[str] = (), discussed: bool = False
    ) -> list[ImportedJson]:
        """Import judgments made elsewhere, for organisers; all of them, or none."""
        asked = {"machine": list(machines), "discussed": discussed}
        return cast(list[ImportedJson], self._upload("/judgments", file, asked))

    def judgments(self) -> Iterator[dict[str, Any]]:
        """Every current judgment with what was recorded beside it, for organisers."""
        return self._list("/judgments")

    def disputes(self, *, order: str = "", topic: str = "", state: str = "") -> DisputesJson:
        """The disputed pairs under `pairs`, with their influence on the ranking."""
        return cast(DisputesJson, self._get("/disputes", order=order, topic=topic, state=state))

    def decide(self, topic: str, docno: str, grade: int, *, reason: str = "") -> DecisionJson:
        """Decide a disputed pair."""
        return self._decided(topic=topic, docno=docno, decision="grade", grade=grade, reason=reason)

    def send_back(self, topic: str, docno: str, *, reason: str = "") -> DecisionJson:
        """Send a disputed pair back to its assessors, who discuss it."""
        return self._decided(topic=topic, docno=docno, decision="back", reason=reason)

    def withdraw_decision(self) -> WithdrawnDecision:
        """Withdraw your latest decision that holds."""
        sent = {"client_id": str(uuid.uuid4())}
        return cast(WithdrawnDecision, self._post("/disputes/decisions/withdrawals", sent))

    def dispute_rules(self) -> DisputeRulesJson:
        """What counts as disputed, and how disputes are shown and discussed."""
        return cast(DisputeRulesJson, self._get("/disputes/rules"))

    def change_dispute_rules(self, **fields: Any) -> DisputeRulesJson:
        """Change the rules, such as `difference`, `steps`, `names_hidden` or `blind_discussion`."""
        return cast(DisputeRulesJson, self._patch("/disputes/rules", fields))

    def _decided(self, **sent: Any) -> DecisionJson:
        body = {"client_id": str(uuid.uuid4()), **sent}
        return cast(DecisionJson, self._post("/disputes/decisions", body))
