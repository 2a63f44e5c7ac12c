"""Work side by side in a campaign, from another program."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from typing import Any, cast

from workbench.client.calls import CampaignCalls
from workbench.json_forms import (
    ComparisonTask,
    OwnComparison,
    PreferenceJson,
    PreferenceResultsJson,
    WithdrawnChoice,
)


class ComparingCalls(CampaignCalls):
    """What is better of two."""

    def comparison_tasks(self) -> Iterator[ComparisonTask]:
        """The tasks in force, and how far each is."""
        return self._list("/side-by-side/tasks")

    def compare_documents(self, pairs: Sequence[tuple[str, str, str]] | None = None, **how: Any) -> int:
        """Give assessors pairs of documents (topic, first, second), or every two of their `best`.

        `assessors`, `topics` and `seed` as in the reference; returns how many tasks are new.
        """
        named = ("topic", "first", "second")
        sent = None if pairs is None else [dict(zip(named, one, strict=True)) for one in pairs]
        return int(self._post("/side-by-side/tasks/documents", {"pairs": sent, **how})["count"])

    def compare_runs(self, first: str, second: str, **how: Any) -> int:
        """Give assessors the answers of two runs; `assessors`, `topics`, `seed`. Returns how many are new."""
        sent = {"first": first, "second": second, **how}
        return int(self._post("/side-by-side/tasks/runs", sent)["count"])

    def remove_comparison_task(self, task: int) -> None:
        """Remove a task; its answers stay."""
        self._delete(f"/side-by-side/tasks/{task}")

    def preferences(self) -> list[PreferenceJson]:
        """Every current answer, documents before runs."""
        return cast(list[PreferenceJson], self._get("/side-by-side/answers"))

    def preference_results(self) -> PreferenceResultsJson:
        """Documents ranked by topic, runs compared, and how far assessors agree."""
        return cast(PreferenceResultsJson, self._get("/side-by-side/results"))

    def prefs(self) -> str:
        """The preferences between documents as trec_eval reads them."""
        return self._transport.text(f"{self._path}/side-by-side/prefs.txt")

    def own_comparisons(self) -> list[ComparisonTask]:
        """Your own tasks."""
        return cast(list[ComparisonTask], self._get("/side-by-side/own"))

    def comparison(self, task: int, pair: int | None = None) -> OwnComparison:
        """A pair of an own task by its number, or the first without an answer."""
        return cast(OwnComparison, self._get(f"/side-by-side/own/{task}", pair=pair))

    def prefer(self, task: int, pair: int, choice: str, *, reason: str = "") -> OwnComparison:
        """Say which side is better: left, right, tie or both_bad; returns the next pair."""
        sent = {"client_id": str(uuid.uuid4()), "pair": pair, "choice": choice, "reason": reason}
        return cast(OwnComparison, self._post(f"/side-by-side/own/{task}/answers", sent))

    def withdraw_preference(self, task: int) -> WithdrawnChoice:
        """Withdraw the latest answer of an own task."""
        sent = {"client_id": str(uuid.uuid4())}
        return cast(WithdrawnChoice, self._post(f"/side-by-side/own/{task}/withdrawals", sent))
