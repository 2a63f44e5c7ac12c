"""What the runs of a campaign are worth on its qrels, computed when it is asked for.

130 runs on 50 topics take half a second. The last scores are kept by what they were computed from. Beside the
table of the runs: one run in full, topics by difficulty, and curves.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from ir_measures import Measure
from sqlalchemy.orm import Session

from workbench.consensus.rules import RuleChoice, choice_label
from workbench.errors import WorkbenchError
from workbench.frozen import frozen_dataclass
from workbench.records import Scale, Verdict
from workbench.scoring.binary_kernels import LEVELS
from workbench.scoring.curves import CurveOptions, RunCurves, run_curves
from workbench.scoring.measures import CUTOFFS, parse_measures
from workbench.scoring.score_columns import ScoredRun, score_cells, scored_runs
from workbench.scoring.scorer import RunScores, best_first, higher_is_better, topic_scores_of
from workbench.scoring.topic_difficulty import TopicTable, topic_spreads, topic_table
from workbench.scoring.trec_eval_output import SummarySheet, sheet_measures, summary_sheet
from workbench.tables import Export, table_export
from workbench.workflow.caching import Cache
from workbench.workflow.campaigns.campaigns import campaign_of
from workbench.workflow.campaigns.collection import topic_titles
from workbench.workflow.pools.pooled_topics import opened_by_topic
from workbench.workflow.qrels.qrels import QrelsReport, make_qrels, scorer_of
from workbench.workflow.runs.packed_store import arrays_for_use, rankings_of
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


# Medians of two are halves of sums: a difference below this is rounding.
_EQUAL = 1e-12


@frozen_dataclass
class ProfileLine:
    """A run on a topic: its score, the median of all runs, how many documents the qrels call relevant."""

    topic: str
    score: float
    median: float
    relevant: int

    @property
    def difference(self) -> float:
        """The score less the median; exactly 0 where they differ by rounding alone."""
        difference = self.score - self.median
        return difference if abs(difference) > _EQUAL else 0.0


@dataclass(frozen=True)
class RunProfile:
    """A run among the runs of `table`, in detail by the measure `shown`; `lines` are by topic."""

    # No slots: the scores by other measures are put together once for all topics.
    table: ScoreTable
    shown: str
    scores: RunScores
    sheet: SummarySheet
    lines: tuple[ProfileLine, ...]

    @property
    def rank(self) -> int:
        """The place of the run by the measure shown, the best first; equal scores share the best place."""
        sign = 1 if higher_is_better(self.shown) else -1
        own = sign * self.scores.values[self.shown]
        return 1 + sum(sign * one.values[self.shown] > own for one in self.table.runs)

    def others(self, topic: str) -> tuple[float, ...]:
        """The scores on a topic by the other measures, in the order of the table."""
        return tuple(values[topic] for name, values in self.values.items() if name != self.shown)

    @cached_property
    def values(self) -> Mapping[str, Mapping[str, float]]:
        """The scores of the run by measure, in the order of the table, then topic."""
        return {name: self.scores.per_topic[name] for name in self.table.measures}

    @property
    def above(self) -> int:
        """On how many topics the run is above the median."""
        return sum(line.difference > 0 for line in self.lines)

    @property
    def below(self) -> int:
        """On how many topics it is below."""
        return sum(line.difference < 0 for line in self.lines)


def run_profile(db: Session, campaign_id: int, found: ScoreTable, tag: str, shown: str) -> RunProfile:
    """The profile of a run of a table, which must be whole; raises KeyError for a run that is not in it."""
    scores = found.run(tag)
    topics = tuple(scores.per_topic[shown])
    spreads = topic_spreads(topics, topic_scores_of(found.runs, shown))
    medians = {one.topic: one.median for one in spreads}
    relevant = relevant_by_topic(found, shown)
    lines = tuple(
        ProfileLine(topic, score, medians[topic], relevant.get(topic, 0))
        for topic, score in scores.per_topic[shown].items()
    )
    threshold = found.qrels.relevant_from
    sheet = summary_sheet(
        score_by(db, campaign_id, found, tag, sheet_measures(threshold)),
        relevant_from=threshold,
        relevant=found.qrels.summary.relevant,
    )
    return RunProfile(found, shown, scores, sheet, lines)


def relevant_by_topic(found: ScoreTable, shown: str) -> dict[str, int]:
    """How many documents of the qrels of a table a measure counts as relevant, for topics with any.

    A measure without a relevance threshold, such as nDCG, takes that of the qrels.
    """
    (measure,) = parse_measures(shown)
    default = 1 if "rel" in measure.SUPPORTED_PARAMS else found.qrels.relevant_from
    threshold = int(measure.params.get("rel", default))
    return found.qrels.settled.relevant_by_topic(threshold)


def profile_topics_export(profile: RunProfile) -> Export:
    """One row a topic: every measure, the median of the one shown, the difference, relevant documents."""
    names = profile.table.measures
    columns = ("topic", *names, f"median {profile.shown}", "difference", "relevant")
    rows = [
        (
            line.topic,
            *(profile.values[name][line.topic] for name in names),
            line.median,
            line.difference,
            line.relevant,
        )
        for line in profile.lines
    ]
    return table_export(columns, rows)


def sheet_export(profile: RunProfile) -> Export:
    """The summary sheet, one row a figure: what it is, at which recall or rank, and the value."""
    sheet = profile.sheet
    rows: list[tuple[object, ...]] = [
        ("retrieved", None, sheet.retrieved),
        ("relevant", None, sheet.relevant),
        ("relevant retrieved", None, sheet.found),
        *(("interpolated precision at recall", *one) for one in zip(LEVELS, sheet.levels, strict=True)),
        ("average precision", None, sheet.average_precision),
        *(("precision at rank", *one) for one in zip(CUTOFFS, sheet.cutoffs, strict=True)),
        ("R-precision", None, sheet.r_precision),
    ]
    columns = ("figure", "at", "value")
    return table_export(columns, rows)


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


def table_topics(found: ScoreTable, shown: str, order: str = "difficulty") -> TopicTable:
    """The topics of a table, which must be whole; raises WorkbenchError for an unknown order."""
    label, relevant = choice_label(found.qrels.choice), relevant_by_topic(found, shown)
    return topic_table(found.runs, shown, order, relevant=relevant, qrels=label)
