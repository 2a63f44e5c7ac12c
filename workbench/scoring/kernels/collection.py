"""What a run leaves in the collection."""

from __future__ import annotations

import numpy as np
from ir_measures import Measure

from workbench.errors import WorkbenchError
from workbench.scoring.judged_run import JudgedRun
from workbench.scoring.relevance import Positions


def outside(run: JudgedRun, measure: Measure) -> Positions:
    """How many documents that are not relevant each topic leaves out: of the collection, or of the judged.

    The collection has `docs` documents, of which those without a judgment are not relevant; without `docs`
    only judged documents count. Raises WorkbenchError for a collection smaller than what is known of it.
    """
    rel = measure["rel"]
    found = run.counted(run.hits(rel).rows)
    docs = measure.params.get("docs")
    if docs is None:
        judged = (run.grades >= 0) & (run.grades < rel)
        return np.asarray(run.not_relevant(rel) - run.counted(run.rows[judged]))
    relevant_left = run.relevant(rel) - found
    check_collection(measure, run.retrieved + relevant_left)
    return np.asarray(int(docs) - run.retrieved - relevant_left)


def check_collection(measure: Measure, known: Positions) -> None:
    """Raise WorkbenchError where more documents of a topic are known than the collection of a measure has."""
    most = int(known.max(initial=0))
    if most > int(measure["docs"]):
        raise WorkbenchError(
            f"{measure} cannot be computed: {most:,} documents of one topic are retrieved or relevant",
            remedy="docs is the number of documents in the whole collection",
        )
