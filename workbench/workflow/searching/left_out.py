"""The scores of a table with and without the documents that only searching, or only people, brought."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy.orm import Session

from workbench.errors import WorkbenchError
from workbench.trust.alternatives import AlternativeQrels, Pair, ranking_measure, score_under
from workbench.trust.left_out import ScoresLeftOut, scores_left_out, without_pairs
from workbench.workflow.runs.packed_store import arrays_for_use
from workbench.workflow.scores.score_table import ScoreTable
from workbench.workflow.searching.report import only_added_pairs, only_found_pairs


@dataclass(frozen=True, slots=True)
class LeftOutChoice:
    """Documents that can be left out: their label, what a sentence says of them, and which they are."""

    label: str
    words: str
    pairs: Callable[[Session, int], frozenset[Pair]]


CHOICES = {
    "search": LeftOutChoice("Found only by searching", "found only by searching", only_found_pairs),
    "added": LeftOutChoice(
        "Added by people in any way", "added by people and brought by no run", only_added_pairs
    ),
}
"""What can be left out, by name. To add one: a line here; the page, its exports and the command take it."""


def pairs_to_leave_out(db: Session, campaign_id: int, table: ScoreTable, leave_out: str) -> frozenset[Pair]:
    """The pairs of a table's qrels that a choice leaves out; raises WorkbenchError for no choice."""
    if leave_out not in CHOICES:
        raise WorkbenchError(f"{leave_out!r} cannot be left out", remedy=f"one of {', '.join(CHOICES)}")
    return frozenset(CHOICES[leave_out].pairs(db, campaign_id)) & table.qrels.grades.keys()


def table_left_out(
    db: Session, campaign_id: int, table: ScoreTable, shown: str, leave_out: str, *, seed: int = 0
) -> ScoresLeftOut:
    """The runs of a whole table by one of its measures, with and without some documents of its qrels.

    Raises WorkbenchError for a choice that is none, where the qrels have none of the documents, for fewer
    than two runs, and for a measure that is better the lower it is.
    """
    pairs = pairs_to_leave_out(db, campaign_id, table, leave_out)
    measure = ranking_measure(shown)
    words, relevant_from = CHOICES[leave_out].words, table.qrels.relevant_from
    # The threshold of the table's measures is in their names: no other is set here.
    qrels = AlternativeQrels("qrels", table.qrels.grades)
    sides, left_out = without_pairs(qrels, pairs, words, relevant_from, seed=seed)
    read = (arrays_for_use(db, campaign_id, one.tag) for one in table.runs)
    return scores_left_out(score_under(sides, read, measure), left_out, seed=seed)
