"""What the runs of a campaign are worth on its qrels: scored once, and kept by what the scores depend on."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from ir_measures import Measure
from sqlalchemy.orm import Session

from workbench.consensus.rule_choice import RuleChoice
from workbench.consensus.rules import RULES
from workbench.errors import WorkbenchError
from workbench.records import Scale, Verdict
from workbench.scoring.measures import parse_measures
from workbench.scoring.scorer import RunScores, Scorer, best_first
from workbench.scoring.unjudged import ScoreBounds, score_bounds
from workbench.workflow.caching import Cache
from workbench.workflow.campaigns.campaigns import campaign_of
from workbench.workflow.campaigns.collection import topics_of
from workbench.workflow.kept_results import KeptResults
from workbench.workflow.pools.pooled_topics import NOTHING, opened_by_topic
from workbench.workflow.qrels.qrels import Material, QrelsReport, material, qrels_of
from workbench.workflow.runs.packed_store import arrays_for_use
from workbench.workflow.runs.run_records import CampaignRun, runs_of


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

    The `runs` are best first by the first measure; `bounds` are what unjudged documents leave open, by tag,
    then measure, of measures that have any. `waiting` runs are not scored yet. `groups` are by tag.
    """

    qrels: QrelsReport
    coverage: Coverage
    measures: tuple[str, ...]
    runs: tuple[RunScores, ...]
    bounds: Mapping[str, Mapping[str, ScoreBounds]]
    groups: Mapping[str, str]
    waiting: int = 0

    @property
    def total(self) -> int:
        """How many runs there are to score."""
        return len(self.runs) + self.waiting

    def run(self, tag: str) -> RunScores:
        """The scores of a run; raises KeyError for one that is not in the table."""
        return {one.tag: one for one in self.runs}[tag]


@dataclass(frozen=True, slots=True)
class _Scored:
    """A run by all measures, and what is open of each that has bounds."""

    scores: RunScores
    bounds: Mapping[str, ScoreBounds]


@dataclass(frozen=True, slots=True)
class _Qrels:
    """What a rule made, and the hash of its lines."""

    report: QrelsReport
    sha256: str


MOST_KEPT = 1024
_QRELS: Cache[tuple[str, RuleChoice], _Qrels] = Cache(16)
"""What the last rules gave, by the digest of the judgments."""

_Source = tuple[str, int, tuple[str, ...], str, str]
"""What scores depend on: the hash of the qrels, the highest grade, the measures, the run's hash and its tag.

None of them ever changes, so that no score grows old: with a new judgment the qrels have another hash, and a
run that is added is the only one to be scored.
"""

_SCORED: Cache[_Source, _Scored] = Cache(MOST_KEPT)
"""The last runs in this process. One takes 40 KB for 50 topics and 6 measures."""

_SCORERS: Cache[tuple[str, tuple[str, ...]], Scorer] = Cache(1)
"""The last one, which the next call goes on with: of a million lines it takes seconds to make."""

_KEPT = KeptResults(_Scored)
"""The same in the database, for every process."""


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
    ir-measures' names; None takes the campaign's default. With `seconds` no further run is begun when these
    have passed: the next call goes on from there. `progress` is called after each run with the number done
    and the total. Raises WorkbenchError for an unknown measure or run, and where there are no qrels or runs
    to score.
    """
    runs = _chosen(runs_of(db, campaign_id), tags)
    scale = campaign_of(db, campaign_id).scale
    parsed = parse_measures(measures or default_measures(scale, choice))
    qrels = _qrels(material(db, campaign_id), choice)
    highest = 1 if RULES[choice.rule].own_scale else max(grade.value for grade in scale.grades)
    names = tuple(map(str, parsed))
    sources = {run.tag: (qrels.sha256, highest, names, run.sha256, run.tag) for run in runs}
    known = _known(db, campaign_id, sources.values())
    computed: dict[_Source, _Scored] = {}
    scorer: Scorer | None = None
    if len(runs) > MOST_KEPT:
        # The first would be forgotten before the last is scored, and the next call would begin anew.
        seconds = None
    started = time.monotonic()
    for number, (tag, source) in enumerate(sources.items(), start=1):
        if source not in known:
            # One run at least each time, or a slow machine would never come to an end.
            if seconds is not None and computed and time.monotonic() - started > seconds:
                break
            scorer = scorer or _scorer(qrels, parsed)
            known[source] = computed[source] = _score(scorer, db, campaign_id, tag, highest)
            _SCORED.put(source, known[source])
        if progress is not None:
            progress(number, len(runs))
    _KEPT.keep(db, campaign_id, computed)
    found = {tag: known[source] for tag, source in sources.items() if source in known}
    scores = best_first((one.scores for one in found.values()), str(parsed[0]))
    return ScoreTable(
        qrels=qrels.report,
        coverage=coverage_of(db, campaign_id, qrels.report),
        measures=names,
        runs=tuple(scores),
        bounds={tag: one.bounds for tag, one in found.items()},
        groups={run.tag: run.group for run in runs},
        waiting=len(runs) - len(found),
    )


def _chosen(runs: Sequence[CampaignRun], tags: Collection[str] | None) -> list[CampaignRun]:
    unknown = set(tags or ()) - {run.tag for run in runs}
    if unknown:
        raise WorkbenchError(f"there is no run {', '.join(sorted(unknown))} in this campaign")
    chosen = [
        run for run in runs if (run.verdict is not Verdict.SET_ASIDE if tags is None else run.tag in tags)
    ]
    if not chosen:
        raise WorkbenchError("there are no runs to score", remedy="load runs first")
    return chosen


def _qrels(found: Material, choice: RuleChoice) -> _Qrels:
    def make() -> _Qrels:
        report = qrels_of(found, choice)
        if not report.summary.settled:
            raise WorkbenchError("this rule gives no qrels yet", remedy="judge first, or choose another rule")
        return _Qrels(report, hashlib.sha256(b"".join(report.lines())).hexdigest())

    return _QRELS.get((found.digest(), choice), make)


def _scorer(qrels: _Qrels, measures: Sequence[Measure]) -> Scorer:
    key = qrels.sha256, tuple(map(str, measures))
    return _SCORERS.get(key, lambda: Scorer(qrels.report.consensus.qrels, measures))


def _known(db: Session, campaign_id: int, sources: Collection[_Source]) -> dict[_Source, _Scored]:
    """The runs that some process has scored before."""
    here = {source: one for source in sources if (one := _SCORED.peek(source)) is not None}
    kept = _KEPT.find(db, campaign_id, [source for source in sources if source not in here])
    for source, one in kept.items():
        _SCORED.put(source, one)
    return here | kept


def _score(scorer: Scorer, db: Session, campaign_id: int, tag: str, highest: int) -> _Scored:
    ordered = scorer.read(arrays_for_use(db, campaign_id, tag))
    bounds = {
        str(measure): found
        for measure in scorer.measures
        if (found := score_bounds(ordered.judged, measure, highest=highest)) is not None
    }
    return _Scored(scorer.score(ordered), bounds)


def coverage_of(db: Session, campaign_id: int, report: QrelsReport) -> Coverage:
    """How much of a campaign the qrels of a rule have."""
    pooled = opened_by_topic(db, campaign_id)
    return Coverage(
        topics=report.summary.topics,
        all_topics=len(topics_of(db, campaign_id)),
        pairs=sum(one.graded_of(pooled.get(one.topic, NOTHING)) for one in report.topics),
        pooled=sum(one.count for one in pooled.values()),
    )
