"""What the runs of a campaign are worth on its qrels, computed when it is asked for.

130 runs on 50 topics take half a second. The last scores are kept by what they were computed from.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence

from ir_measures import Measure
from sqlalchemy.orm import Session

from workbench.consensus.rules import RuleChoice
from workbench.errors import WorkbenchError
from workbench.frozen import frozen_dataclass
from workbench.records import Scale, Verdict
from workbench.scoring.measures import parse_measures
from workbench.scoring.score_columns import ScoredRun, score_cells, scored_runs
from workbench.scoring.scorer import RunScores, best_first
from workbench.workflow.caching import Cache
from workbench.workflow.campaigns.campaigns import campaign_of
from workbench.workflow.campaigns.collection import topic_titles
from workbench.workflow.pools.pooled_topics import opened_by_topic
from workbench.workflow.qrels.qrels import QrelsReport, make_qrels
from workbench.workflow.qrels.settled_lines import scorer_of
from workbench.workflow.runs.packed_store import rankings_of
from workbench.workflow.runs.run_records import ListedRun, listed_runs


@frozen_dataclass
class Coverage:
    """How much of a campaign its qrels have: `topics` of `all_topics`, and `pairs` of the `pooled` ones."""

    topics: int
    all_topics: int
    pairs: int
    pooled: int

    @property
    def whole(self) -> bool:
        """Whether every topic and every pooled pair has a grade."""
        return self.topics == self.all_topics and self.pairs == self.pooled


@frozen_dataclass
class ScoreTable:
    """Runs by measures; every mean is over all topics of the qrels.

    The `runs` are best first by the first measure; `unjudged` counts the documents without a judgment among
    all that a measure reads, by tag, then measure, of measures that read judgments. `groups` and the `hashes`
    of files are by tag.
    """

    qrels: QrelsReport
    coverage: Coverage
    measures: tuple[str, ...]
    runs: tuple[RunScores, ...]
    unjudged: Mapping[str, Mapping[str, tuple[int, int]]]
    groups: Mapping[str, str]
    hashes: Mapping[str, str]

    def run(self, tag: str) -> RunScores:
        """The scores of a run; raises KeyError for one that is not in the table."""
        return {one.tag: one for one in self.runs}[tag]


_SCORED: Cache[Hashable, tuple[ScoredRun, ...]] = Cache(4)
"""The last scores, by all that they depend on; 1,000 runs on 500 topics by four measures are 16 MB."""


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
    ir-measures' names; None takes the campaign's default. `progress` is called with the number of runs done
    and the total. Raises WorkbenchError for an unknown measure or run, and where there are no qrels or runs
    to score.
    """
    runs = _chosen(listed_runs(db, campaign_id), tags)
    parsed = parse_measures(measures or default_measures(campaign_of(db, campaign_id).scale, choice))
    report = make_qrels(db, campaign_id, choice)
    if not report.summary.settled:
        raise WorkbenchError("this rule gives no qrels yet", remedy="judge first, or choose another rule")
    question = report.settled.digest, tuple(map(str, parsed)), tuple((run.tag, run.sha256) for run in runs)
    scored = _SCORED.get(question, lambda: _scored(db, campaign_id, report, parsed, runs, progress))
    return ScoreTable(
        qrels=report,
        coverage=coverage_of(db, campaign_id, report),
        measures=tuple(map(str, parsed)),
        runs=tuple(best_first((one.scores for one in scored), str(parsed[0]))),
        unjudged={one.scores.tag: one.unjudged for one in scored},
        groups={run.tag: run.group for run in runs},
        hashes={run.tag: run.sha256 for run in runs},
    )


def score_by(
    db: Session, campaign_id: int, found: ScoreTable, tag: str, measures: Sequence[Measure]
) -> RunScores:
    """A run of a table by other measures, on the same qrels; raises KeyError for one that is not in it."""
    found.hashes[tag]
    scorer = scorer_of(found.qrels.settled, measures)
    (cells,) = score_cells(scorer, rankings_of(db, campaign_id, [tag], scorer.relevance.topics))
    (scored,) = scored_runs(cells, tags=[tag], topics=scorer.relevance.topics, measures=measures)
    return scored.scores


def _scored(
    db: Session,
    campaign_id: int,
    report: QrelsReport,
    measures: Sequence[Measure],
    runs: Sequence[ListedRun],
    progress: Callable[[int, int], None] | None,
) -> tuple[ScoredRun, ...]:
    scorer = scorer_of(report.settled, measures)
    topics, tags = scorer.relevance.topics, [run.tag for run in runs]
    found: list[ScoredRun] = []
    for cells in score_cells(scorer, rankings_of(db, campaign_id, tags, topics)):
        some = tags[len(found) : len(found) + len(cells.values)]
        found += scored_runs(cells, tags=some, topics=topics, measures=measures)
        if progress is not None:
            progress(len(found), len(runs))
    return tuple(found)


def _chosen(runs: Sequence[ListedRun], tags: Collection[str] | None) -> list[ListedRun]:
    unknown = set(tags or ()) - {run.tag for run in runs}
    if unknown:
        raise WorkbenchError(f"there is no run {', '.join(sorted(unknown))} in this campaign")
    chosen = [
        run for run in runs if (run.verdict is not Verdict.SET_ASIDE if tags is None else run.tag in tags)
    ]
    if not chosen:
        raise WorkbenchError("there are no runs to score", remedy="load runs first")
    return chosen


def coverage_of(db: Session, campaign_id: int, report: QrelsReport) -> Coverage:
    """How much of a campaign the qrels of a rule have."""
    pooled = opened_by_topic(db, campaign_id)
    return Coverage(
        topics=report.summary.topics,
        all_topics=len(topic_titles(db, campaign_id)),
        pairs=report.graded_of(pooled),
        pooled=sum(one.count for one in pooled.values()),
    )
