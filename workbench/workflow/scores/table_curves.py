"""Runs of a score table by a curve: precision by recall, or nDCG by rank."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy.orm import Session

from workbench.consensus.rules import choice_label
from workbench.scoring.curves import CurveOptions, RunCurves, run_curves
from workbench.scoring.measures import parse_measures
from workbench.workflow.qrels.settled_lines import scorer_of
from workbench.workflow.runs.packed_store import arrays_for_use
from workbench.workflow.scores.score_table import ScoreTable


def table_curves(
    db: Session,
    campaign_id: int,
    found: ScoreTable,
    tags: Sequence[str],
    kind: str,
    options: CurveOptions,
) -> RunCurves:
    """The curves of some runs of a table, one or more, in the order given."""

    scorer = scorer_of(found.qrels.settled, parse_measures("AP"))
    return run_curves(
        (scorer.read(arrays_for_use(db, campaign_id, tag)) for tag in tags),
        kind,
        options,
        topics=found.qrels.summary.topics,
        qrels=choice_label(found.qrels.choice),
    )
