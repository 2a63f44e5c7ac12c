"""What runs look like before any of their documents is judged, from reading them once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from workbench.errors import WorkbenchError
from workbench.pooling.candidates import gather
from workbench.pooling.cut_ties import CutTie, Decided, cut_ties_by_rule, decided_in, in_order
from workbench.pooling.growth import SizeAtDepth, growth_of
from workbench.pooling.incidence import Incidence, incidence_of_tops
from workbench.pooling.overlap import Overlap, overlap_of
from workbench.pooling.tie_rules import RuleOutcome, outcomes
from workbench.records import Run, TieRule

BEYOND = 2
"""Growth is followed to so many times the depth: what deeper pooling would cost is what one wants to know."""


@dataclass(frozen=True, slots=True, eq=False)
class Examination:
    """Runs to a depth under a tie rule; their tags are those of `tops`, sorted (bytes).

    `growth` has every depth from 1 to `BEYOND` times the depth, or to the longest ranking where that ends
    before and the pool grows no more; `tops` is what each run has among its first `depth`; `at_cut` are the
    ties across the depth, `decided` what the rule made of them, `rules` what each of the rules would.
    """

    depth: int
    ties: TieRule
    growth: tuple[SizeAtDepth, ...]
    tops: Incidence
    overlap: Overlap
    at_cut: tuple[CutTie, ...]
    decided: Decided
    rules: tuple[RuleOutcome, ...]

    @property
    def at_depth(self) -> SizeAtDepth:
        """The size of the pool of this depth."""
        return self.growth[min(self.depth, len(self.growth)) - 1]


def examine(runs: Iterable[Run], *, depth: int = 100, ties: TieRule = TieRule.TREC_EVAL) -> Examination:
    """Examine runs, which are taken one by one and not kept.

    A run may lack what cannot be among the first `BEYOND` times `depth` of its topic under any tie rule.
    Raises WorkbenchError for a depth below 1 and Conflict where two runs have the same tag.
    """
    if depth < 1:
        raise WorkbenchError(f"there is no pool of depth {depth}", remedy="give a depth of 1 or more")
    at_cut: dict[TieRule, list[CutTie]] = {rule: [] for rule in TieRule}

    def noting_ties() -> Iterator[Run]:
        for run in runs:
            for rule, found in cut_ties_by_rule(run, depth).items():
                at_cut[rule] += found
            yield run

    gathered = gather(noting_ties(), depth=BEYOND * depth, ties=ties)
    longest = max((len(ranked.documents) for topic in gathered.topics for ranked in topic.lists), default=1)
    tops = incidence_of_tops(gathered, depth)
    of_rule = {rule: in_order(found) for rule, found in at_cut.items()}
    return Examination(
        depth=depth,
        ties=ties,
        growth=growth_of(gathered, range(1, longest + 1)),
        tops=tops,
        overlap=overlap_of(tops, depth),
        at_cut=of_rule[ties],
        decided=decided_in(tops, of_rule[ties]),
        rules=outcomes(tops, of_rule, chosen=ties),
    )
