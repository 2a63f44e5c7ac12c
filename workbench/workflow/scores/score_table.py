"""What the runs of a campaign are worth on its qrels, computed when it is asked for.

130 runs on 50 topics take half a second. Where it takes longer, a page shows what it computed last, says of
which judgments that is, and computes it anew after ten times as long as it took.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from ir_measures import Measure
from sqlalchemy.orm import Session

from workbench.consensus.rules import RuleChoice
from workbench.errors import WorkbenchError
from workbench.records import Scale, Verdict
from workbench.scoring.measures import parse_measures
from workbench.scoring.score_columns import ScoredRun, score_cells, scored_runs
from workbench.scoring.scorer import RunScores, best_first
from workbench.storage.events import events_after, newest_events
from workbench.storage.tables import CampaignRow
from workbench.workflow.caching import Cache
from workbench.workflow.campaigns.campaigns import campaign_of
from workbench.workflow.campaigns.collection import topic_titles
from workbench.workflow.clock import utc_now
from workbench.workflow.pools.pooled_topics import NOTHING, opened_by_topic
from workbench.workflow.qrels.qrels import QrelsReport, make_qrels, material
from workbench.workflow.qrels.settled_lines import scorer_of
from workbench.workflow.runs.packed_store import rankings_of
from workbench.workflow.runs.run_records import ListedRun, listed_runs

MOST_OLDER = 10
"""So many times as long as it took a table serves, so that a tenth of the time goes into it at most."""
QUICK_SECONDS = 2.0
"""What takes no longer is computed of the judgments as they are now."""


LONGEST_BEGUN = 600.0
"""Seconds after which nobody goes on with a table that was begun: a page asks for its rest every two."""


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
class ResultAge:
    """As of when a result is, and how many answers have come since."""

    at: datetime
    answers: int


@dataclass(frozen=True, slots=True)
class ScoreTable:
    """Runs by measures; every mean is over all topics of the qrels.

    The `runs` are best first by the first measure; `unjudged` counts the documents without a judgment among
    all that a measure reads, by tag, then measure, of measures that read judgments. `waiting` runs are not
    scored yet. `groups` and the `hashes` of files are by tag. `age` is None where the qrels are those of now.
    """

    qrels: QrelsReport
    coverage: Coverage
    measures: tuple[str, ...]
    runs: tuple[RunScores, ...]
    unjudged: Mapping[str, Mapping[str, tuple[int, int]]]
    groups: Mapping[str, str]
    hashes: Mapping[str, str]
    waiting: int = 0
    age: ResultAge | None = None

    @property
    def total(self) -> int:
        """How many runs there are to score."""
        return len(self.runs) + self.waiting

    def run(self, tag: str) -> RunScores:
        """The scores of a run; raises KeyError for one that is not in the table."""
        return {one.tag: one for one in self.runs}[tag]


@dataclass(frozen=True, slots=True, eq=False)
class _Scoring:
    """Runs as far as they are scored on some qrels, by tag and hash; `newest` is the last event of these.

    It was begun at `clock`, by the monotonic one, and took `seconds` so far; the last run was scored at
    `whole_at`.
    """

    qrels: QrelsReport
    at: datetime
    clock: float
    newest: int
    scored: Mapping[tuple[str, str], ScoredRun]
    seconds: float = 0.0
    whole_at: float | None = None

    @property
    def serves(self) -> bool:
        """Whether a page goes on with it although there are newer judgments."""
        if self.whole_at is None:
            return self.seconds > 0 and time.monotonic() - self.clock < LONGEST_BEGUN
        late = time.monotonic() - self.whole_at >= MOST_OLDER * self.seconds
        return self.seconds > QUICK_SECONDS and not late


_LATEST: Cache[Hashable, _Scoring] = Cache(4)
"""The last tables; 1,000 runs on 500 topics by four measures are 16 MB."""


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
    anew: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> ScoreTable:
    """Score the runs (or those named) on the qrels of a rule, best first by the first measure.

    Of a replaced run the current version counts; a run that was set aside must be named. `measures` are
    ir-measures' names; None takes the campaign's default. With `seconds`, as for a page, no further runs are
    begun when these have passed (the next call goes on from there), and what takes long may be of earlier
    judgments, unless it is asked for `anew`. `progress` is called with the number of runs done and the total.
    Raises WorkbenchError for an unknown measure or run, and where there are no qrels or runs to score.
    """
    runs = _chosen(listed_runs(db, campaign_id), tags)
    parsed = parse_measures(measures or default_measures(campaign_of(db, campaign_id).scale, choice))
    now = _begun(db, campaign_id, choice)
    question = _question(db, campaign_id, choice, parsed)
    found = _LATEST.peek(question)
    if found is None or (
        found.qrels.digest != now.qrels.digest and (seconds is None or anew or not found.serves)
    ):
        found = now
    found = _go_on(db, campaign_id, found, parsed, runs, seconds, progress)
    _LATEST.put(question, found)
    done = {run.tag: found.scored[run.tag, run.sha256] for run in runs if _key(run) in found.scored}
    return ScoreTable(
        qrels=found.qrels,
        coverage=coverage_of(db, campaign_id, found.qrels),
        measures=tuple(map(str, parsed)),
        runs=tuple(best_first((one.scores for one in done.values()), str(parsed[0]))),
        unjudged={tag: one.unjudged for tag, one in done.items()},
        groups={run.tag: run.group for run in runs},
        hashes={run.tag: run.sha256 for run in runs},
        waiting=len(runs) - len(done),
        age=None if found.qrels.digest == now.qrels.digest else _age(db, campaign_id, found),
    )


def score_by(
    db: Session, campaign_id: int, found: ScoreTable, tag: str, measures: Sequence[Measure]
) -> RunScores:
    """A run of a table by other measures, on the same qrels; raises KeyError for one that is not in it."""
    found.hashes[tag]
    scorer = scorer_of(found.qrels.topics, measures)
    (cells,) = score_cells(scorer, rankings_of(db, campaign_id, [tag], scorer.relevance.topics))
    (scored,) = scored_runs(cells, tags=[tag], topics=scorer.relevance.topics, measures=measures)
    return scored.scores


def _go_on(
    db: Session,
    campaign_id: int,
    found: _Scoring,
    measures: Sequence[Measure],
    runs: Sequence[ListedRun],
    seconds: float | None,
    progress: Callable[[int, int], None] | None,
) -> _Scoring:
    """Score the runs that lack scores, some in any case, or a slow machine would never come to an end."""
    begin = time.monotonic()
    missing = [run for run in runs if _key(run) not in found.scored]
    if not missing:
        return found
    scored = dict(found.scored)
    scorer = scorer_of(found.qrels.topics, measures)
    topics = scorer.relevance.topics
    whole = True
    waiting = iter(missing)
    for cells in score_cells(scorer, rankings_of(db, campaign_id, [run.tag for run in missing], topics)):
        part = [next(waiting) for _ in range(len(cells.values))]
        of_part = scored_runs(cells, tags=[run.tag for run in part], topics=topics, measures=measures)
        scored |= {_key(run): one for run, one in zip(part, of_part, strict=True)}
        if progress is not None:
            progress(sum(_key(run) in scored for run in runs), len(runs))
        if seconds is not None and time.monotonic() - begin > seconds:
            whole = all(_key(run) in scored for run in missing)
            break
    end = time.monotonic()
    spent = found.seconds + end - begin
    return replace(found, scored=scored, seconds=spent, whole_at=end if whole else None)


def _key(run: ListedRun) -> tuple[str, str]:
    return run.tag, run.sha256


def _begun(db: Session, campaign_id: int, choice: RuleChoice) -> _Scoring:
    """The qrels of now, on which no run is scored yet; raises WorkbenchError where there are none."""
    report = make_qrels(db, campaign_id, choice)
    if not report.summary.settled:
        raise WorkbenchError("this rule gives no qrels yet", remedy="judge first, or choose another rule")
    newest = max(newest_events(db, campaign_id).values(), default=0)
    return _Scoring(report, utc_now(None), time.monotonic(), newest, {})


def _question(db: Session, campaign_id: int, choice: RuleChoice, measures: Iterable[Measure]) -> Hashable:
    """What a table answers: of another scale, assessor or decision it is another, which no age explains.

    The moment at which the campaign was made tells it from a later one of the same number.
    """
    of = material(db, campaign_id)
    judged_by = of.topics.assessors if of.topics else ()
    decided = tuple(sorted(of.decided.items()))
    names = tuple(map(str, measures))
    made = campaign_id, db.get_one(CampaignRow, campaign_id).created_at
    return str(db.get_bind().engine.url), made, choice, of.scale, decided, judged_by, names


def _age(db: Session, campaign_id: int, found: _Scoring) -> ResultAge:
    since = [who for who, one in newest_events(db, campaign_id).items() if one > found.newest]
    return ResultAge(found.at, len(events_after(db, since, found.newest)))


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
        pairs=sum(one.graded_of(pooled.get(one.topic, NOTHING)) for one in report.topics),
        pooled=sum(one.count for one in pooled.values()),
    )
