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
    NamedResultJson,
    QrelsReportJson,
    ReleaseJson,
    ResultTableJson,
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

    def results(self) -> list[NamedResultJson]:
        """The tables of results that are open to you, with their options and formats."""
        return cast(list[NamedResultJson], self._get("/results")["results"])

    def result(self, name: str, **options: Any) -> ResultTableJson:
        """A result by its name, such as `scores.pairs`; waits until it is computed."""
        found = self._transport.computed(f"{self._path}/results/{segment(name)}", options)
        return cast(ResultTableJson, json.loads(found))

    def result_file(self, name: str, file: File, *, format: str = "csv", **options: Any) -> int:
        """Write a result to a file, as CSV or in another of its formats; returns its bytes."""
        asked = {"format": format, **options}
        return Path(file).write_bytes(
            self._transport.computed(f"{self._path}/results/{segment(name)}", asked)
        )

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
