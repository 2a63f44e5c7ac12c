"""What every question of trust is asked of: the qrels of a rule as they are now, and the runs to rank."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy.orm import Session

from workbench.consensus.rules import RULES, RuleChoice
from workbench.errors import WorkbenchError
from workbench.formats.packed_runs import PackedRun
from workbench.records import Run, Verdict
from workbench.trust.alternatives import AlternativeQrels
from workbench.workflow.jobs import Steps
from workbench.workflow.qrels.qrels import Material, QrelsReport, material, qrels_of
from workbench.workflow.runs.packed_store import arrays_for_use
from workbench.workflow.runs.run_records import CampaignRun, runs_of

QRELS = "qrels"
"""The name of the reference: the qrels of the campaign by a rule."""
FEWEST_RUNS = 2


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
