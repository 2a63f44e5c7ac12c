"""Which scores the sample of a campaign's pool lets be estimated, and the sample as estimates read it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy.orm import Session

from workbench.errors import WorkbenchError
from workbench.formats.qrels import SampledQrel
from workbench.pooling.pool import Pair
from workbench.trust.holes import NO_SAMPLE, SampledPool
from workbench.workflow.pools.samples import SampleDesign, sample_design, undrawn_pairs
from workbench.workflow.trust.ranked_runs import RankedRuns


@dataclass(frozen=True, slots=True)
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
    pairs = ((one, (one.topic, one.docno)) for one in found.qrels.qrels)
    return {pair: one.grade for one, pair in pairs if pair in design.drawn}
