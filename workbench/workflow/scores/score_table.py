"""What the runs of a campaign are worth on its qrels: scored once, and kept by what the scores depend on."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from ir_measures import Measure
from sqlalchemy.orm import Session

from workbench.consensus.rule_choice import RuleChoice
from workbench.errors import WorkbenchError
from workbench.records import Scale, Verdict
from workbench.scoring.measures import parse_measures
from workbench.scoring.score_columns import ScoredRun
from workbench.scoring.scorer import RunScores, best_first
from workbench.workflow.caching import Cache
from workbench.workflow.campaigns.campaigns import campaign_of
from workbench.workflow.campaigns.collection import topic_titles
from workbench.workflow.pools.pooled_topics import NOTHING, opened_by_topic
from workbench.workflow.qrels.qrels import QrelsReport, make_qrels
from workbench.workflow.runs.run_records import ListedRun, listed_runs
from workbench.workflow.scores.kept_columns import Limits, RequestedScores, scores_of


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class ScoreTable:
    """Runs by measures; every mean is over all topics of the qrels.

    The `runs` are best first by the first measure; `unjudged` counts the documents without a judgment among
    all that a measure reads, by tag, then measure, of measures that read judgments. `waiting` runs are not
    scored yet. `groups` and the `hashes` of files are by tag.
    """

    qrels: QrelsReport
    coverage: Coverage
    measures: tuple[str, ...]
    runs: tuple[RunScores, ...]
    unjudged: Mapping[str, Mapping[str, tuple[int, int]]]
    groups: Mapping[str, str]
    hashes: Mapping[str, str]
    waiting: int = 0

    @property
    def total(self) -> int:
        """How many runs there are to score."""
        return len(self.runs) + self.waiting

    def run(self, tag: str) -> RunScores:
        """The scores of a run; raises KeyError for one that is not in the table."""
        return {one.tag: one for one in self.runs}[tag]


_Assembled = tuple[str, tuple[str, ...], tuple[str, ...]]
_ASSEMBLED: Cache[_Assembled, tuple[ScoredRun, ...]] = Cache(3)
"""Of the last whole tables, and of the run looked at last: 1,000 on 500 topics by four measures are 16 MB."""


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
    seconds: float | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> ScoreTable:
    """Score the runs (or those named) on the qrels of a rule, best first by the first measure.

    Of a replaced run the current version counts; a run that was set aside must be named. `measures` are
    ir-measures' names; None takes the campaign's default. With `seconds` no further runs are begun when these
    have passed: the next call goes on from there. `progress` is called with the number of runs done and the
    total. Raises WorkbenchError for an unknown measure or run, and where there are no qrels or runs
    to score.
    """
    all_runs = listed_runs(db, campaign_id)
    runs = _chosen(all_runs, tags)
    scale = campaign_of(db, campaign_id).scale
    parsed = parse_measures(measures or default_measures(scale, choice))
    qrels = _qrels(db, campaign_id, choice)
    names = tuple(map(str, parsed))
    requested = RequestedScores(qrels, parsed, tuple((run.tag, run.sha256) for run in runs))
    limits = Limits(None if seconds is None else time.monotonic() + seconds, progress)
    # To score a few again takes less time than to keep a row for each topic.
    scored = _scored(db, campaign_id, requested, limits, kept=2 * len(runs) > len(all_runs))
    done = {one.scores.tag: one for one in scored}
    return ScoreTable(
        qrels=qrels,
        coverage=coverage_of(db, campaign_id, qrels),
        measures=names,
        runs=tuple(best_first((one.scores for one in scored), str(parsed[0]))),
        unjudged={tag: one.unjudged for tag, one in done.items()},
        groups={run.tag: run.group for run in runs},
        hashes={run.tag: run.sha256 for run in runs},
        waiting=len(runs) - len(done),
    )


def score_by(
    db: Session, campaign_id: int, found: ScoreTable, tag: str, measures: Sequence[Measure]
) -> RunScores:
    """A run of a table by other measures, on the same qrels; raises KeyError for one that is not in it."""
    requested = RequestedScores(found.qrels, tuple(measures), ((tag, found.hashes[tag]),))
    (scored,) = _scored(db, campaign_id, requested, Limits(), kept=False)
    return scored.scores


def _scored(
    db: Session, campaign_id: int, requested: RequestedScores, limits: Limits, *, kept: bool
) -> tuple[ScoredRun, ...]:
    """The runs as far as they are scored; those of the last whole tables are put together already."""
    runs, names = requested.runs, tuple(map(str, requested.measures))
    key = requested.qrels.digest, names, tuple(sha256 + tag for tag, sha256 in runs)
    scored = _ASSEMBLED.peek(key)
    if scored is not None:
        limits.tell(len(runs), len(runs))
        return scored
    scored = scores_of(db, campaign_id, requested, limits, kept=kept)
    if len(scored) == len(runs):
        _ASSEMBLED.put(key, scored)
    return scored


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


def _qrels(db: Session, campaign_id: int, choice: RuleChoice) -> QrelsReport:
    report = make_qrels(db, campaign_id, choice)
    if not report.summary.settled:
        raise WorkbenchError("this rule gives no qrels yet", remedy="judge first, or choose another rule")
    return report


def coverage_of(db: Session, campaign_id: int, report: QrelsReport) -> Coverage:
    """How much of a campaign the qrels of a rule have."""
    pooled = opened_by_topic(db, campaign_id)
    return Coverage(
        topics=report.summary.topics,
        all_topics=len(topic_titles(db, campaign_id)),
        pairs=sum(one.graded_of(pooled.get(one.topic, NOTHING)) for one in report.topics),
        pooled=sum(one.count for one in pooled.values()),
    )
