"""Agreement, qrels, scores and releases of a campaign, from another program."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from workbench.client.calls import CampaignCalls, File
from workbench.client.transport import segment
from workbench.json_forms import (
    AgreementJson,
    MadeReleaseJson,
    QrelsReportJson,
    ReleaseJson,
    ScoreJson,
)


class ResultCalls(CampaignCalls):
    """What came of it."""

    def agreement(self, **options: Any) -> AgreementJson:
        """How far the assessors agree; options as in the reference, such as `graded=True`."""
        return cast(AgreementJson, self._get("/agreement", **options))

    def qrels(self, rule: str = "majority", **parameters: Any) -> str:
        """The qrels that a rule makes, as scorers read them."""
        return self._transport.text(f"{self._path}/qrels", {"rule": rule, **parameters})

    def qrels_report(self, rule: str = "majority", **parameters: Any) -> QrelsReportJson:
        """What a rule settles and what it leaves, in numbers."""
        return cast(QrelsReportJson, self._get("/qrels/report", rule=rule, **parameters))

    def scores(self, measures: str = "", *, rule: str = "majority", **parameters: Any) -> list[ScoreJson]:
        """The runs by measures on the qrels of a rule, best first."""
        return cast(list[ScoreJson], self._get("/scores", measures=measures, rule=rule, **parameters))

    def table(self, page: str, **options: Any) -> Any:
        """A table of a page as JSON, such as `scores/table` or `agreement/topics/table`, by its options."""
        return json.loads(self._transport.page(f"/c/{segment(self.slug)}/{page}.json", options))

    def file(self, page: str, file: File, **options: Any) -> int:
        """Write a file of a page, such as `scores/pairs/table.csv`; returns its bytes."""
        content = self._transport.page(f"/c/{segment(self.slug)}/{page}", options)
        return Path(file).write_bytes(content)

    def releases(self) -> Iterator[ReleaseJson]:
        """The releases, the oldest first."""
        return self._list("/releases")

    def make_release(self, version: str = "", **about: Any) -> MadeReleaseJson:
        """Freeze the campaign: `rule`, `parameters`, `title`, `authors`, `licence`, `include` and more."""
        return cast(MadeReleaseJson, self._post("/releases", {"version": version, **about}))

    def publish_release(self, version: str) -> ReleaseJson:
        """Let outsiders see a release."""
        return cast(ReleaseJson, self._post(f"/releases/{segment(version)}/state", {"state": "public"}))

    def download_release(self, version: str, file: File) -> int:
        """Write the zip of a release to a file; returns its bytes."""
        return self._transport.download(f"{self._path}/releases/{segment(version)}/zip", Path(file))
