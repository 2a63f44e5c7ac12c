"""The scores of a run by measure and topic, in arrays that all runs of a table share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from workbench.scoring.relevance import Floats


@dataclass(frozen=True, slots=True, eq=False)
class TopicRows(Mapping[str, Mapping[str, float]]):
    """The scores of one run by measure, then topic; those of a measure are made when they are asked for.

    A thousand runs on 500 topics have two million scores: as dictionaries they take half a second to make and
    200 MB. `columns` are by measure, of shape (runs, topics), and `run` is the row of this one.
    """

    topics: tuple[str, ...]
    columns: Mapping[str, Floats]
    run: int

    def __getitem__(self, measure: str) -> dict[str, float]:
        return dict(zip(self.topics, self.row(measure).tolist(), strict=True))

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def __eq__(self, other: object) -> bool:
        return dict(self) == dict(other) if isinstance(other, Mapping) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # as of any mapping

    def row(self, measure: str) -> Floats:
        """The scores by one measure; shape (topics,)."""
        row: Floats = self.columns[measure][self.run]
        return row
