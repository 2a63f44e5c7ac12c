"""What trust asks of a campaign: other judges, other runs, a deeper pool, holes, fewer topics.

Each is computed by itself from current judgments, opened pools, the qrels of a rule as they are now and the
runs to rank; the holes also from the sample of the campaign's pool, where it lets scores be estimated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from ir_measures import Measure
from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.consensus.rules import RULES, RuleChoice, choices_of, rule_choice
from workbench.errors import WorkbenchError
from workbench.formats.packed_runs import PackedRun
from workbench.formats.qrels import SampledQrel
from workbench.frozen import frozen_dataclass
from workbench.pooling.pool import Pair, Pool
from workbench.records import Contribution, PoolEntry, Run, Verdict, grades_of, pair_of
from workbench.scoring.measures import at_threshold
from workbench.storage.tables import PoolEntryRow, PoolRow
from workbench.trust.alternatives import AlternativeQrels, one_measure, ranking_measure, score_under
from workbench.trust.assessors import filled, qrels_of_assessors, qrels_of_rules, rules_to_compare
from workbench.trust.depth import Deepening, DeeperPool, deeper_pool, pool_by_rank
from workbench.trust.fewer_topics import FewerTopics, fewer_topics
from workbench.trust.holes import NO_SAMPLE, Holes, SampledPool, holes
from workbench.trust.judges import OtherJudges, other_judges
from workbench.trust.orders import RankingOptions
from workbench.trust.runs import OtherRuns, other_runs, pooled_pairs, qrels_without
from workbench.workflow.jobs import Steps, quietly
from workbench.workflow.pools.analysis import depth_of
from workbench.workflow.pools.listing import PoolLine, pools_of
from workbench.workflow.pools.samples import SampleDesign, sample_design, undrawn_pairs
from workbench.workflow.qrels.qrels import Material, QrelsReport, material, qrels_of
from workbench.workflow.runs.packed_store import arrays_for_use, tops_of
from workbench.workflow.runs.run_records import CampaignRun, runs_of
from workbench.workflow.scores.score_table import Coverage, coverage_of

QRELS = "qrels"
"""The name of the reference: the qrels of the campaign by a rule."""
FEWEST_RUNS = 2
DEEPER = 2
"""Twice the depth is a fair distance for an extrapolation (`workbench.trust.depth`)."""
_FEWEST_RANKS = 2


@dataclass(frozen=True, slots=True, eq=False)
class RankedRuns:
    """The qrels by a rule with the judgments they are from, and the runs that were not set aside."""

    campaign_id: int
    material: Material
    qrels: QrelsReport
    runs: tuple[CampaignRun, ...]

    @property
    def reference(self) -> AlternativeQrels:
        """The qrels as what others are compared with."""
        return AlternativeQrels(QRELS, self.qrels.grades, self.qrels.relevant_from)

    @property
    def highest(self) -> int:
        """The highest grade that a document could have."""
        if RULES[self.qrels.choice.rule].own_scale:
            return 1
        return max(grade.value for grade in self.material.scale.grades)

    def arrays(self, db: Session, steps: Steps, label: str) -> Iterator[PackedRun | Run]:
        """The runs whole, one after the other, each told as a step."""
        return (arrays_for_use(db, self.campaign_id, run.tag) for run in steps(self.runs, label))


def ranked_runs(db: Session, campaign_id: int, choice: RuleChoice) -> RankedRuns:
    """What can be ranked now; raises WorkbenchError for fewer than two runs, and a rule without qrels yet."""
    runs = tuple(run for run in runs_of(db, campaign_id) if run.verdict is not Verdict.SET_ASIDE)
    if len(runs) < FEWEST_RUNS:
        raise WorkbenchError("a ranking needs two runs", remedy="load runs first")
    found = material(db, campaign_id)
    report = qrels_of(found, choice)
    if not report.summary.settled:
        raise WorkbenchError("this rule gives no qrels yet", remedy="judge first, or choose another rule")
    return RankedRuns(campaign_id, found, report, runs)


@frozen_dataclass
class Estimable:
    """The sample that scores are estimated from: `graded` of the `drawn` pairs are in the qrels.

    A topic counts once every stratum that was drawn from has a grade: `topics` of `all_topics`.
    """

    design: SampleDesign
    drawn: int
    graded: int
    topics: frozenset[str]
    all_topics: int

    @property
    def uniform(self) -> bool:
        """Whether all documents of a topic were as likely, so that infAP can be estimated."""
        return self.design.strata == 1


def estimable(db: Session, campaign_id: int, found: RankedRuns) -> Estimable:
    """What can be estimated now.

    Raises WorkbenchError, with the reason, where the design of the pools does not allow it, as
    `sample_design` does, and where no topic has a grade in each stratum, or no relevant document.
    """
    design = sample_design(db, campaign_id)
    graded = _graded(design, found)
    strata = {(topic, number) for (topic, _), number in design.drawn.items()}
    known = {(pair[0], design.drawn[pair]) for pair in graded}
    all_topics = {topic for topic, _ in strata}
    topics = frozenset(all_topics - {topic for topic, _ in strata - known})
    if not topics:
        raise WorkbenchError(
            f"no topic has a grade in each stratum of the pool {design.name} yet", remedy="judge first"
        )
    if not any(grade >= found.qrels.relevant_from for pair, grade in graded.items() if pair[0] in topics):
        raise WorkbenchError(
            f"no relevant document is in the sample of the pool {design.name} yet", remedy="judge first"
        )
    return Estimable(design, len(design.drawn), len(graded), topics, len(all_topics))


def sampled_pool(db: Session, one: Estimable, found: RankedRuns) -> SampledPool:
    """The sample with all that it could have drawn; nothing where a run that it was drawn from is gone."""
    undrawn = undrawn_pairs(db, found.campaign_id, one.design.recipe, one.design.drawn)
    if undrawn is None:
        return NO_SAMPLE
    grades = _graded(one.design, found)
    return SampledPool(
        tuple(
            SampledQrel(*pair, str(stratum), grades.get(pair))
            for pair, stratum in (dict(one.design.drawn) | undrawn).items()
            if pair[0] in one.topics
        ),
        relevant_from=found.qrels.relevant_from,
    )


def _graded(design: SampleDesign, found: RankedRuns) -> Mapping[Pair, int]:
    """The grades of what was drawn."""
    grades = grades_of(found.qrels.qrels)
    return {pair: grade for pair, grade in grades.items() if pair in design.drawn}


def campaign_depth(db: Session, campaign_id: int, choice: RuleChoice, steps: Steps = quietly) -> DeeperPool:
    """What a pool of twice the depth would find, of the runs of the deepest opened depth pools.

    Raises WorkbenchError where there is no such pool, where too few ranks have a relevant document, and as
    `ranked_runs` does.
    """
    found = ranked_runs(db, campaign_id, choice)
    pools = deepest_pools([line for line in pools_of(db, campaign_id) if not line.draft])
    if not pools:
        raise WorkbenchError(
            "no opened pool is a depth pool with one depth of 2 or more",
            remedy="open a depth pool: only its depth can be extrapolated",
        )
    depth, ties = depth_of(pools[0]), pools[0].ties
    current = {run.tag: run.sha256 for run in found.runs}
    tags = sorted({tag for line in pools for tag in line.tags} & current.keys())
    question = Deepening(depth, DEEPER * depth)
    # They are read together some at a time, and told one by one.
    runs = tops_of(db, campaign_id, tags, depth=question.deeper, ties=ties)
    counts = pool_by_rank(
        (run for _, run in zip(steps(tags, "Runs read"), runs, strict=True)),
        found.qrels.qrels,
        deepest=question.deeper,
        relevant_from=found.qrels.relevant_from,
    )
    return deeper_pool(counts, question)


def deepest_pools(pools: Sequence[PoolLine]) -> list[PoolLine]:
    """Those of the pools that go to the largest depth; none where no pool is by depth, or only by rank 1."""
    depths = {line.id: depth_of(line) for line in pools if line.strategy == "depth"}
    largest = max(depths.values(), default=0)
    return [line for line in pools if depths.get(line.id) == largest] if largest >= _FEWEST_RANKS else []


def campaign_holes(
    db: Session, campaign_id: int, choice: RuleChoice, measure: str, steps: Steps = quietly
) -> Holes:
    """What unjudged documents leave open of every run; with estimates where `campaign_sample` allows them.

    Raises WorkbenchError as `ranked_runs` does.
    """
    chosen, found = one_measure(measure), ranked_runs(db, campaign_id, choice)
    asked = at_threshold(chosen, found.qrels.relevant_from)
    one = None
    with suppress(WorkbenchError):
        one = estimable(db, campaign_id, found)
    sample = NO_SAMPLE if one is None else sampled_pool(db, one, found)
    runs = found.arrays(db, steps, "Runs looked at")
    return holes(found.qrels.qrels, runs, [asked], highest=found.highest, sample=sample)


def campaign_sample(db: Session, campaign_id: int, *, choice: RuleChoice) -> Estimable:
    """The sample from which `campaign_holes` estimates scores.

    Raises WorkbenchError with the reason where it estimates none, and as `ranked_runs` does.
    """
    return estimable(db, campaign_id, ranked_runs(db, campaign_id, choice))


def campaign_topics(
    db: Session, campaign_id: int, choice: RuleChoice, measure: str, steps: Steps = quietly
) -> FewerTopics:
    """What fewer topics show of the ranking; raises WorkbenchError as `ranked_runs` and `fewer_topics` do."""
    chosen, found = ranking_measure(measure), ranked_runs(db, campaign_id, choice)
    scores = score_under([found.reference], found.arrays(db, steps, "Runs scored"), chosen)
    return fewer_topics(scores.values[0], progress=partial(steps, label="Numbers of topics split"))


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
