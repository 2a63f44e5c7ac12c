"""Other judges and other runs for a campaign, from its current judgments and its opened pools."""

from __future__ import annotations

from collections import Counter
from functools import partial

from ir_measures import Measure
from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.consensus.rules import RuleChoice, choices_of, rule_choice
from workbench.errors import WorkbenchError
from workbench.frozen import frozen_dataclass
from workbench.pooling.pool import Pair, Pool
from workbench.records import Contribution, PoolEntry, pair_of
from workbench.storage.tables import PoolEntryRow, PoolRow
from workbench.trust.alternatives import ranking_measure, score_under
from workbench.trust.assessors import filled, qrels_of_assessors, qrels_of_rules, rules_to_compare
from workbench.trust.judges import OtherJudges, other_judges
from workbench.trust.orders import RankingOptions
from workbench.trust.runs import OtherRuns, other_runs, pooled_pairs, qrels_without
from workbench.workflow.jobs import Steps, quietly
from workbench.workflow.qrels.qrels import QrelsReport
from workbench.workflow.scores.score_table import Coverage, coverage_of
from workbench.workflow.trust.questions import QRELS, RankedRuns, ranked_runs


@frozen_dataclass
class TrustReport:
    """What is computed of a campaign now.

    Of the `graded` pairs `shared` have grades of two assessors or more: on the others no judge can differ.
    `judges` is None of fewer than two assessors with grades, `runs` where no run was pooled or where without
    a group no judged pair would be left.
    """

    qrels: QrelsReport
    coverage: Coverage
    measure: str
    graded: int
    shared: int
    judges: OtherJudges | None
    runs: OtherRuns | None


@frozen_dataclass
class Rankings:
    """The two parts that take long: rankings by other judges, and without each group."""

    judges: OtherJudges | None
    runs: OtherRuns | None


def rankings(
    db: Session, campaign_id: int, choice: RuleChoice, measure: str, steps: Steps = quietly
) -> Rankings:
    """Rank the runs of a campaign under other judges and without each group; set-aside runs are left out.

    What an assessor did not judge of a topic is as in the qrels of the rule. Raises WorkbenchError for an
    unknown measure or more than one, for a rule that gives no qrels yet, and for fewer than two runs.
    """
    chosen, found = ranking_measure(measure), ranked_runs(db, campaign_id, choice)
    pool = _pooled(db, campaign_id, {run.tag for run in found.runs})
    return Rankings(_judges(db, found, chosen, steps), _runs(db, found, chosen, pool, steps))


def trust_report(
    db: Session,
    campaign_id: int,
    choice: RuleChoice,
    measure: str,
    ranked: Rankings | None = None,
    steps: Steps = quietly,
) -> TrustReport:
    """The rankings, computed unless they are given, with the qrels that they are of; raises as they do."""
    chosen, found = ranking_measure(measure), ranked_runs(db, campaign_id, choice)
    ranked = ranked or rankings(db, campaign_id, choice, measure, steps)
    graded = (one for one in found.material.counted(choice) if one.grade is not None)
    grades = Counter(map(pair_of, graded))
    return TrustReport(
        qrels=found.qrels,
        coverage=coverage_of(db, campaign_id, found.qrels),
        measure=str(chosen),
        graded=len(grades),
        shared=sum(count > 1 for count in grades.values()),
        judges=ranked.judges,
        runs=ranked.runs,
    )


def _judges(db: Session, found: RankedRuns, measure: Measure, steps: Steps) -> OtherJudges | None:
    relevant_from, reference = found.material.scale.relevant_from, found.reference
    judgments = found.material.counted(found.qrels.choice)
    assessors = qrels_of_assessors(judgments, relevant_from=relevant_from)
    if len(assessors) < 2:
        return None
    names = [one.name for one in assessors]
    if reference.relevant_from == relevant_from:
        assessors = filled(assessors, reference)
    rules = qrels_of_rules(
        judgments, choices_of(rules_to_compare(), rule_choice()), relevant_from=relevant_from
    )
    qrels = [reference, *assessors, *rules]
    runs = found.arrays(db, steps, f"Runs scored by {len(qrels)} qrels")
    scores = score_under(qrels, runs, measure)
    return other_judges(scores, names, RankingOptions(QRELS), partial(steps, label="Mixtures of assessors"))


def _runs(db: Session, found: RankedRuns, measure: Measure, pool: Pool, steps: Steps) -> OtherRuns | None:
    groups, reference = {run.tag: run.group for run in found.runs if run.group}, found.reference
    pooled = pooled_pairs(pool, reference, groups)
    if not pooled.groups:
        return None
    try:
        without = qrels_without(reference, pooled)
    except WorkbenchError:
        return None
    runs = found.arrays(db, steps, f"Runs scored by the qrels without each of {len(without) - 1} groups")
    return other_runs(score_under(without, runs, measure), reference, pooled)


def _pooled(db: Session, campaign_id: int, tags: set[str]) -> Pool:
    """What these runs brought into any opened pool."""
    chosen = (
        select(PoolEntryRow.topic, PoolEntryRow.docno, PoolEntryRow.brought_by)
        .join(PoolRow)
        .where(PoolRow.campaign_id == campaign_id, PoolRow.opened_at.is_not(None))
    )
    brought: dict[Pair, dict[str, int]] = {}
    for topic, docno, contributions in db.execute(chosen):
        known = brought.setdefault((topic, docno), {})
        for tag, rank in contributions:
            if tag in tags:
                known[tag] = min(rank, known.get(tag, rank))
    entries = tuple(
        PoolEntry(*pair, tuple(Contribution(tag, rank) for tag, rank in known.items()))
        for pair, known in sorted(brought.items())
    )
    return Pool(entries, tuple(sorted({tag for known in brought.values() for tag in known})), {})
