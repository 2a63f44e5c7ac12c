"""What pages show of a score table beside its runs: one run in full, topics by difficulty, and curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from sqlalchemy.orm import Session

from workbench.consensus.rules import choice_label
from workbench.frozen import frozen_dataclass
from workbench.scoring.binary_kernels import LEVELS
from workbench.scoring.curves import CurveOptions, RunCurves, run_curves
from workbench.scoring.measures import CUTOFFS, parse_measures
from workbench.scoring.scorer import RunScores, higher_is_better, topic_scores_of
from workbench.scoring.topic_difficulty import TopicTable, topic_spreads, topic_table
from workbench.scoring.trec_eval_output import SummarySheet, sheet_measures, summary_sheet
from workbench.tables import Export, table_export
from workbench.workflow.qrels.settled_lines import scorer_of
from workbench.workflow.runs.packed_store import arrays_for_use
from workbench.workflow.scores.score_table import ScoreTable, score_by

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
