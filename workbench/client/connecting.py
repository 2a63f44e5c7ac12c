"""Webhooks of a campaign, and collections that its server loads, from another program."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, cast

from workbench.client.calls import CampaignCalls
from workbench.json_forms import DatasetFetchJson, DeliveryJson, NewWebhookJson, WebhookJson


class ConnectingCalls(CampaignCalls):
    """What goes to other servers, and comes from them."""

    def webhooks(self) -> Iterator[WebhookJson]:
        """The addresses that are told of events."""
        return self._list("/webhooks")

    def add_webhook(self, url: str, events: Sequence[str]) -> NewWebhookJson:
        """Have an address told of events such as `run.received`; its secret is in this answer only."""
        return cast(NewWebhookJson, self._post("/webhooks", {"url": url, "events": list(events)}))

    def change_webhook(self, webhook: int, **fields: Any) -> WebhookJson:
        """Choose other `events`, or turn it off and `on` again."""
        return cast(WebhookJson, self._patch(f"/webhooks/{webhook}", fields))

    def remove_webhook(self, webhook: int) -> None:
        """Remove a webhook with its deliveries."""
        self._delete(f"/webhooks/{webhook}")

    def test_webhook(self, webhook: int) -> WebhookJson:
        """Have a test delivered."""
        return cast(WebhookJson, self._post(f"/webhooks/{webhook}/test", None))

    def deliveries(self, webhook: int) -> Iterator[DeliveryJson]:
        """What was delivered within 30 days and what waits, the oldest first."""
        return self._list(f"/webhooks/{webhook}/deliveries")

    def deliver_again(self, webhook: int, delivery: int) -> None:
        """Send a delivery once more, under the same id."""
        self._post(f"/webhooks/{webhook}/deliveries/{delivery}/again", None)

    def load_dataset(self, dataset: str, parts: Sequence[str], *, assessor: str = "") -> DatasetFetchJson:
        """Begin to load `topics`, `documents`, `qrels` or `runs` of a collection of `ir_datasets`."""
        sent = {"dataset": dataset, "parts": list(parts), "assessor": assessor}
        return cast(DatasetFetchJson, self._post("/dataset", sent))

    def dataset(self) -> DatasetFetchJson:
        """How far the collection is that is being loaded, or what became of the last one."""
        return cast(DatasetFetchJson, self._get("/dataset"))
