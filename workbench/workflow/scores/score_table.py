"""What the runs of a campaign are worth on its qrels."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from sqlalchemy.orm import Session

from workbench.consensus.rule_choice import RuleChoice
from workbench.errors import WorkbenchError
from workbench.export import Export, table_export
from workbench.records import Scale, Verdict
from workbench.scoring.measures import parse_measures
from workbench.scoring.scorer import RunScores, Scorer
from workbench.workflow.campaigns.campaigns import campaign_of
from workbench.workflow.qrels.qrels import QrelsReport, make_qrels
from workbench.workflow.runs.packed_store import arrays_for_use
from workbench.workflow.runs.run_records import runs_of


@dataclass(frozen=True, slots=True)
class ScoreTable:
    """Runs by measures; every mean is over all topics of the qrels."""

    qrels: QrelsReport
    measures: tuple[str, ...]
    runs: tuple[RunScores, ...]


def score_export(table: ScoreTable) -> Export:
    """The table with one row a run: every measure, and how many topics of the qrels the run has."""
    rows = [
        (one.tag, *(one.values[name] for name in table.measures), one.topics_scored, one.topics_in_qrels)
        for one in table.runs
    ]
    return table_export(("run", *table.measures, "topics_scored", "topics_in_qrels"), rows)


def default_measures(scale: Scale, choice: RuleChoice | None = None) -> str:
    """Measures to begin with, at the relevance threshold of the scale, or of a rule with its own scale."""
    threshold = scale.relevant_from if choice is None else choice.relevant_from(scale)
    relevant = "" if threshold == 1 else f"(rel={threshold})"
    return f"AP{relevant} nDCG@10 P{relevant}@10 RR{relevant}"


def score_runs(
    db: Session,
    campaign_id: int,
    *,
    choice: RuleChoice,
    measures: str | None = None,
    tags: Collection[str] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> ScoreTable:
    """Score the runs (or those named) on the qrels of a rule, best first by the first measure.

    Of a replaced run the current version counts; a run that was set aside must be named. `measures` are
    ir-measures' names; None takes the campaign's default. `progress` is called after each run with the number
    done and the total. Raises WorkbenchError for an unknown measure or run, and where there are no qrels or
    runs to score.
    """
    runs = runs_of(db, campaign_id)
    unknown = set(tags or ()) - {run.tag for run in runs}
    if unknown:
        raise WorkbenchError(f"there is no run {', '.join(sorted(unknown))} in this campaign")
    chosen = [
        run.tag for run in runs if (run.verdict is not Verdict.SET_ASIDE if tags is None else run.tag in tags)
    ]
    if not chosen:
        raise WorkbenchError("there are no runs to score", remedy="load runs first")
    parsed = parse_measures(measures or default_measures(campaign_of(db, campaign_id).scale, choice))
    report = make_qrels(db, campaign_id, choice)
    if not report.consensus.qrels:
        raise WorkbenchError("this rule gives no qrels yet", remedy="judge first, or choose another rule")
    scorer = Scorer(report.consensus.qrels, parsed)
    scored = []
    for number, tag in enumerate(chosen, start=1):
        scored.append(scorer.score(arrays_for_use(db, campaign_id, tag)))
        if progress is not None:
            progress(number, len(chosen))
    names = tuple(str(measure) for measure in parsed)
    scored.sort(key=lambda run: (-run.values[names[0]], run.tag))
    return ScoreTable(report, names, tuple(scored))
