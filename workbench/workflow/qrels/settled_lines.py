"""The lines of settled topics as arrays that runs are scored on, of which no records need be made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from ir_measures import Measure

from workbench.docnos import Docnos
from workbench.scoring.kernels.registry import Reads, reads
from workbench.scoring.relevance import ArrayRelevance, Grades, Positions
from workbench.scoring.scorer import Scorer
from workbench.workflow.qrels.settled_topic import SettledTopic


@dataclass(frozen=True, slots=True, eq=False)
class SettledLines:
    """The lines of several topics, each with the number of its topic, its docno and its grade."""

    topics: tuple[str, ...]
    numbers: Positions
    docnos: Docnos
    grades: Grades

    @classmethod
    def of(cls, several: Sequence[SettledTopic]) -> SettledLines:
        """Those of these topics that have any."""
        chosen = [one for one in several if one.settled]
        docnos = list(chain.from_iterable(one.docnos for one in chosen))
        return cls(
            tuple(one.topic for one in chosen),
            np.repeat(np.arange(len(chosen)), [one.settled for one in chosen]),
            np.array(docnos, dtype=np.bytes_),
            np.concatenate([np.zeros(0, np.int64), *(one.grades.astype(np.int64) for one in chosen)]),
        )


def scorer_of(several: Sequence[SettledTopic], measures: Sequence[Measure]) -> Scorer:
    """What scores runs on the lines of these topics.

    Raises WorkbenchError as `Scorer` does: where there is no line, for a grade beyond 100,000, and for a
    measure that needs subtopics.
    """
    if all(reads(measure) is not Reads.SUBTOPICS for measure in measures) and any(
        one.settled for one in several
    ):
        return Scorer(ArrayRelevance(SettledLines.of(several)), measures)
    return Scorer(chain.from_iterable(one.qrels for one in several), measures)
