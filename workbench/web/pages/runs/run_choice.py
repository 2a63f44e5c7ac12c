"""Which runs a list shows and in what order, as its address says it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from flask import request

from workbench.records import Verdict, id_bytes
from workbench.web.forms import whole_number
from workbench.workflow.runs.run_records import CampaignRun

NO_GROUP = "none"
SORTS: Mapping[str, str] = {
    "tag": "by tag",
    "group": "by group, then priority",
    "added": "newest first",
    "warnings": "most warnings first",
}
_LAST = 10**9


@dataclass(frozen=True, slots=True)
class RunChoice:
    """What was chosen; an empty text chooses everything."""

    group: str
    verdict: str
    sort: str

    @property
    def narrowed(self) -> bool:
        """Whether some runs may be left out."""
        return bool(self.group or self.verdict)

    def arguments(self) -> dict[str, str]:
        """The same as it stands in an address."""
        said = {"group": self.group, "verdict": self.verdict, "sort": self.sort}
        return {name: value for name, value in said.items() if value and (name, value) != ("sort", "tag")}

    def of(self, runs: Iterable[CampaignRun]) -> tuple[CampaignRun, ...]:
        """The runs that are chosen, in the order that is."""
        group = whole_number(self.group)
        kept = (
            run
            for run in runs
            if (not self.verdict or run.verdict == self.verdict)
            and (not self.group or run.about.group_id == (None if self.group == NO_GROUP else group))
        )
        return tuple(sorted(kept, key=_KEYS[self.sort]))


def run_choice() -> RunChoice:
    """The choice of this request's address; what it cannot mean chooses everything."""
    group, verdict = request.args.get("group", ""), request.args.get("verdict", "")
    sort = request.args.get("sort", "")
    return RunChoice(
        group=group if group == NO_GROUP or whole_number(group) is not None else "",
        verdict=verdict if verdict in set(Verdict) else "",
        sort=sort if sort in SORTS else "tag",
    )


# Runs without a group or a priority come last.
_KEYS: Mapping[str, Callable[[CampaignRun], Any]] = {
    "tag": lambda run: id_bytes(run.tag),
    "group": lambda run: (
        run.group == "", run.group.casefold(), run.about.priority or _LAST, id_bytes(run.tag)
    ),
    "added": lambda run: (-run.added_at.timestamp(), -run.id),
    "warnings": lambda run: (-len(run.warnings), id_bytes(run.tag)),
}  # fmt: skip
