"""Collections that a campaign's server loads, from another program."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from workbench.client.calls import CampaignCalls
from workbench.json_forms import DatasetFetchJson


class ConnectingCalls(CampaignCalls):
    """What goes to other servers, and comes from them."""

    def load_dataset(self, dataset: str, parts: Sequence[str], *, assessor: str = "") -> DatasetFetchJson:
        """Begin to load `topics`, `documents`, `qrels` or `runs` of a collection of `ir_datasets`."""
        sent = {"dataset": dataset, "parts": list(parts), "assessor": assessor}
        return cast(DatasetFetchJson, self._post("/dataset", sent))

    def dataset(self) -> DatasetFetchJson:
        """How far the collection is that is being loaded, or what became of the last one."""
        return cast(DatasetFetchJson, self._get("/dataset"))
