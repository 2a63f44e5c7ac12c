"""A campaign's plan of an overlap as it is taken along."""

from __future__ import annotations

from workbench.agreement.sample_forms import plans_export
from workbench.export import Export
from workbench.workflow.agreement.overlap_planning import OverlapPlan


def plan_said(plan: OverlapPlan) -> dict[str, object]:
    """What the plan rests on, and what is wished."""
    return {
        "source": str(plan.source),
        "kappa": plan.kappa,
        "shares": list(plan.prevalence),
        "half_width": plan.half_width,
        "level": plan.level,
        "coefficient": plan.aim.method,
        "weights": plan.aim.weights,
        "value": plan.value,
        "missing": plan.missing,
        "assessors": plan.assessors,
        "relevant_from": None if plan.graded else plan.relevant_from,
        "doubly_judged": plan.known.pairs if plan.known else 0,
        "likeness": plan.likeness,
        "topic_size": plan.topic_size,
        "to_draw_from": plan.candidates.pairs,
    }


def plan_export(plan: OverlapPlan) -> Export:
    """The plan as a table, as plain data and as LaTeX."""
    return plans_export(plan.planned, plan_said(plan))
