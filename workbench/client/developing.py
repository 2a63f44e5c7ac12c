"""Topics that people develop by searching, from another program."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any, cast

from workbench.client.calls import CampaignCalls
from workbench.json_forms import (
    DevelopmentRulesJson,
    DraftJson,
    DraftRecordJson,
    KeptJudgmentsJson,
    SearchJson,
    SearchLineJson,
    TaskDocument,
)

DRAFTS = "/topics/drafts"


class DevelopingCalls(CampaignCalls):
    """What becomes a topic."""

    def drafts(self) -> Iterator[DraftJson]:
        """The drafts of topics, oldest first; for assessors those of their own."""
        return self._list(DRAFTS)

    def begin_draft(self, title: str = "", description: str = "", narrative: str = "") -> DraftJson:
        """Begin a draft of a topic."""
        sent = {"title": title, "description": description, "narrative": narrative}
        return cast(DraftJson, self._post(DRAFTS, {"client_id": str(uuid.uuid4()), **sent}))

    def draft(self, number: int) -> DraftRecordJson:
        """A draft with what was judged for it."""
        return cast(DraftRecordJson, self._get(f"{DRAFTS}/{number}"))

    def change_draft(self, number: int, revision: int, **statement: str) -> DraftJson:
        """Change the `title`, `description` or `narrative` of an own draft that you saw at a revision."""
        return cast(DraftJson, self._patch(f"{DRAFTS}/{number}", {"revision": revision, **statement}))

    def draft_searches(self, number: int) -> Iterator[SearchLineJson]:
        """Your latest searches for an own draft."""
        return self._list(f"{DRAFTS}/{number}/searches")

    def search_for_draft(self, number: int, query: str = "", **how: Any) -> SearchJson:
        """Search the documents for an own draft; `like` a document, `among` which ones."""
        return cast(SearchJson, self._post(f"{DRAFTS}/{number}/searches", {"query": query, **how}))

    def draft_search(self, number: int, search: int) -> SearchJson:
        """A search for an own draft with its hits so far, and your grades."""
        return cast(SearchJson, self._get(f"{DRAFTS}/{number}/searches/{search}"))

    def more_draft_hits(self, number: int, search: int) -> SearchJson:
        """Show the next hits of a search for an own draft."""
        return cast(SearchJson, self._post(f"{DRAFTS}/{number}/searches/{search}/more", None))

    def open_draft_hit(self, number: int, search: int, docno: str) -> TaskDocument:
        """Open a document that a search for an own draft has shown."""
        found = self._post(f"{DRAFTS}/{number}/searches/{search}/opened", {"docno": docno})
        return cast(TaskDocument, found)

    def judge_for_draft(self, number: int, search: int, docno: str, grade: int) -> DraftJson:
        """Give a document that a search for an own draft has shown a grade; a further one counts instead."""
        sent = {"client_id": str(uuid.uuid4()), "docno": docno, "grade": grade}
        return cast(DraftJson, self._post(f"{DRAFTS}/{number}/searches/{search}/judgments", sent))

    def put_draft_aside(self, number: int, reason: str) -> DraftJson:
        """Put a draft aside for a reason."""
        sent = {"state": "aside", "reason": reason}
        return cast(DraftJson, self._post(f"{DRAFTS}/{number}/state", sent))

    def take_draft_up(self, number: int) -> DraftJson:
        """Go on with a draft that was put aside."""
        return cast(DraftJson, self._post(f"{DRAFTS}/{number}/state", {"state": "open"}))

    def take_draft(self, number: int, topic: str, *, revision: int | None = None) -> DraftJson:
        """Make a topic of the campaign of a draft, with this id, for organisers.

        Refused where its author has changed it since the `revision` that you have read.
        """
        sent = {"topic": topic, "revision": revision}
        return cast(DraftJson, self._post(f"{DRAFTS}/{number}/topic", sent))

    def keep_draft_judgments(self, number: int, pool: str) -> KeptJudgmentsJson:
        """Let an open pool take what was judged for a draft, for organisers."""
        return cast(KeptJudgmentsJson, self._post(f"{DRAFTS}/{number}/judgments", {"pool": pool}))

    def development_rules(self) -> DevelopmentRulesJson:
        """When a topic is fit, and whether assessors develop topics."""
        return cast(DevelopmentRulesJson, self._get(f"{DRAFTS}/rules"))

    def change_development_rules(self, **fields: Any) -> DevelopmentRulesJson:
        """Change `first`, `least`, `most` or `assessors`, for organisers."""
        return cast(DevelopmentRulesJson, self._patch(f"{DRAFTS}/rules", fields))
