"""What each consensus rule would make of a campaign: its qrels, and the ranking of the runs."""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise

import numpy as np
from ir_measures import Measure
from numpy.typing import NDArray
from sqlalchemy.orm import Session

from workbench.consensus.rule_choice import RuleChoice, choice_label, choice_name, rule_choice
from workbench.consensus.settle import Consensus, TableConsensus, consensus_of_table
from workbench.consensus.summary import Summary, summary, table_summary
from workbench.consensus.vote_table import VoteTable
from workbench.errors import WorkbenchError
from workbench.export import Export, table_export
from workbench.formats.qrels import line_starts
from workbench.records import Scale, Verdict
from workbench.scoring.measures import at_threshold, parse_measures
from workbench.scoring.rank_correlation import RankingComparison, compare_rankings, ranks
from workbench.workflow.caching import Cache
from workbench.workflow.qrels.qrels import Material, material
from workbench.workflow.qrels.rule_scores import RuleQrels, TopicLines, score_rules
from workbench.workflow.qrels.settled_topics import by_topic
from workbench.workflow.runs.run_records import CampaignRun, runs_of

MEASURE = "AP"
NO_QRELS = "it gives no line"


@dataclass(frozen=True, slots=True)
class RuleLine:
    """What a rule makes: its summary, and the hash of its qrels; or why it cannot be applied.

    `name` tells the choices of a preview apart; `label` is for people.
    """

    name: str
    label: str
    choice: RuleChoice
    found: Summary | None
    sha256: str = ""
    refused: str = ""


@dataclass(frozen=True, slots=True)
class RulePreview:
    """Every rule that was asked for; `topics` and `pairs` are those with any judgment that counts."""

    scale: Scale
    rules: tuple[RuleLine, ...]
    topics: int
    pairs: int
    decided: int


@dataclass(frozen=True, slots=True)
class RankingPreview:
    """The runs' scores under each rule's qrels, by rule, then run, and every two rules compared.

    `done` of `total` scores are known; as long as they are fewer, nothing is compared. `left_out` are rules
    without qrels, by name, with the reason.
    """

    measure: str
    scores: Mapping[str, Mapping[str, float]]
    comparisons: tuple[RankingComparison, ...]
    left_out: tuple[tuple[str, str], ...]
    done: int
    total: int

    def of(self, rule: str) -> dict[str, RankingComparison]:
        """The comparisons of one rule with the others, by the other's name."""
        return {
            other: found
            for found in self.comparisons
            for one, other in ((found.first, found.second), (found.second, found.first))
            if one == rule
        }


@dataclass(frozen=True, slots=True, eq=False)
class _Settled:
    found: Summary
    consensus: Consensus | TableConsensus
    topics: tuple[TopicLines, ...]
    sha256: str

    def qrels(self, measure: Measure) -> RuleQrels:
        """The qrels for a measure, which takes their relevance threshold unless it names one."""
        return RuleQrels(
            at_threshold(measure, self.found.relevant_from), self.sha256, self.topics, self.consensus.lines
        )


_SETTLED: Cache[tuple[str, RuleChoice], _Settled | str] = Cache(16)
"""What the last rules gave, or why they could not be applied, by the digest of the judgments."""


def preview_rules(db: Session, campaign_id: int, choices: Sequence[RuleChoice]) -> RulePreview:
    """What each of the rules would settle and leave; one that cannot be applied says why."""
    found = material(db, campaign_id)
    rules = _Rules(found)
    lines = tuple(_line(rules, choice) for choice in choices)
    machines = any(choice.machines for choice in choices)
    pairs = {(one.topic, one.docno) for one in found.counted(rule_choice(machines=machines))}
    return RulePreview(
        scale=found.scale,
        rules=lines,
        topics=len({topic for topic, _ in pairs}),
        pairs=len(pairs),
        decided=len(found.decided),
    )


def preview_ranking(
    db: Session,
    campaign_id: int,
    choices: Sequence[RuleChoice],
    *,
    measure: str = MEASURE,
    tags: Collection[str] | None = None,
    seconds: float | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> RankingPreview:
    """The ranking of the runs under each rule, and how it differs between every two.

    A measure that needs a relevance threshold takes that of each rule's qrels unless it names one. Runs that
    were set aside are left out unless named. With `seconds` no second run is begun when these have passed:
    what was scored is remembered, and the next call goes on from there; `progress` is told after each run.
    Raises WorkbenchError for an unknown measure or run, more measures than one, and where there are fewer
    than two runs.
    """
    parsed = _one_measure(measure)
    runs = _chosen(runs_of(db, campaign_id), tags)
    every = _Rules(material(db, campaign_id))
    rules: dict[str, _Settled] = {}
    left_out: list[tuple[str, str]] = []
    for choice in choices:
        settled = every.settled(choice)
        if isinstance(settled, str):
            left_out.append((choice_name(choice), settled))
        elif settled.found.settled:
            rules[choice_name(choice)] = settled
        else:
            left_out.append((choice_name(choice), NO_QRELS))
    begin = time.monotonic()

    def go_on(done: int) -> bool:
        if progress is not None:
            progress(done, len(runs))
        return seconds is None or time.monotonic() - begin <= seconds

    qrels = {name: settled.qrels(parsed) for name, settled in rules.items()}
    scores = score_rules(db, campaign_id, qrels, runs, go_on)
    done, total = sum(map(len, scores.values())), len(rules) * len(runs)
    return RankingPreview(
        measure=str(parsed),
        scores=scores,
        comparisons=compare_rankings(scores) if done == total else (),
        left_out=tuple(left_out),
        done=done,
        total=total,
    )


def _line(rules: _Rules, choice: RuleChoice) -> RuleLine:
    name, label = choice_name(choice), choice_label(choice)
    settled = rules.settled(choice)
    if isinstance(settled, str):
        return RuleLine(name, label, choice, None, refused=settled)
    return RuleLine(name, label, choice, settled.found, settled.sha256)


class _Rules:
    """What rules give of the same material: the table of its judgments is made once for all of them."""

    def __init__(self, found: Material) -> None:
        self._found = found
        self._digest = found.digest()
        self._tables: dict[frozenset[str], _Table] = {}

    def settled(self, choice: RuleChoice) -> _Settled | str:
        """What a rule gives, or why it cannot be applied, which takes as long to find out."""
        return _SETTLED.get((self._digest, choice), lambda: self._tried(choice))

    def _tried(self, choice: RuleChoice) -> _Settled | str:
        try:
            return self._settle(choice)
        except WorkbenchError as error:
            return str(error)

    def _settle(self, choice: RuleChoice) -> _Settled:
        counted = self._found.counted_assessors(choice)
        if counted not in self._tables:
            self._tables[counted] = _Table(self._found.table(choice))
        table = self._tables[counted]
        found = consensus_of_table(table.votes, rule=choice.rule, **choice.parameters())
        if found is None:
            consensus = self._found.settled(choice)
            lines = {one.topic: one.lines for one in by_topic(consensus)}
            return _settled(summary(consensus, topics=table.topics), consensus, lines)
        return _settled(table_summary(found, topics=table.topics), found, table.lines(found))


def _settled(found: Summary, consensus: Consensus | TableConsensus, lines: Mapping[str, bytes]) -> _Settled:
    """What a rule gave with the hashes of its lines, which are given by topic in the order of bytes."""
    whole = hashlib.sha256()
    topics = []
    start = 0
    for topic, part in lines.items():
        whole.update(part)
        stop = start + part.count(b"\n")
        if stop > start:
            topics.append(TopicLines(topic, hashlib.sha256(part).hexdigest(), start, stop))
        start = stop
    return _Settled(found, consensus, tuple(topics), whole.hexdigest())


class _Table:
    """The table of some judgments, with what every line of qrels begins with."""

    def __init__(self, votes: VoteTable) -> None:
        self.votes = votes
        judged = zip(votes.pairs, votes.judged.tolist(), strict=True)
        self.topics = tuple(dict.fromkeys(topic for (topic, _), by_somebody in judged if by_somebody))

    @cached_property
    def _starts(self) -> tuple[bytes, ...]:
        return line_starts(self.votes.pairs)

    def lines(self, found: TableConsensus) -> dict[str, bytes]:
        """The file of qrels by topic, in the order of bytes; raises as `write_qrels` does for ids."""
        ends = {grade: b"%d\n" % grade for grade in np.unique(found.grades).tolist()}
        lines = list(
            chain.from_iterable(
                zip(
                    map(self._starts.__getitem__, found.rows.tolist()),
                    map(ends.__getitem__, found.grades.tolist()),
                    strict=True,
                )
            )
        )
        cuts = np.searchsorted(found.rows, self._cuts).tolist()
        names = (self.votes.pairs[at][0] for at in self._cuts[:-1].tolist())
        # Of each line there are two parts.
        return {
            name: b"".join(lines[2 * start : 2 * stop])
            for name, (start, stop) in zip(names, pairwise(cuts), strict=True)
        }

    @cached_property
    def _cuts(self) -> NDArray[np.int64]:
        """Where a topic begins among the rows, and the end of all."""
        sizes = Counter(topic for topic, _ in self.votes.pairs)
        return np.cumsum([0, *sizes.values()])


def _one_measure(text: str) -> Measure:
    parsed = parse_measures(text)
    if len(parsed) > 1:
        raise WorkbenchError(
            f"{len(parsed)} measures are named, and a ranking is by one", remedy=f"such as {MEASURE}"
        )
    return parsed[0]


def _chosen(runs: Sequence[CampaignRun], tags: Collection[str] | None) -> list[CampaignRun]:
    unknown = set(tags or ()) - {run.tag for run in runs}
    if unknown:
        raise WorkbenchError(f"there is no run {', '.join(sorted(unknown))} in this campaign")
    chosen = [
        run for run in runs if (run.verdict is not Verdict.SET_ASIDE if tags is None else run.tag in tags)
    ]
    if len(chosen) < 2:
        raise WorkbenchError("a ranking needs two runs", remedy="load runs, or choose more")
    return chosen


def _rules_export(found: RulePreview, _ranked: RankingPreview | None) -> Export:
    """What each rule settles and leaves, and how often it gives each grade."""
    grades = sorted({grade for line in found.rules if line.found for grade, _ in line.found.by_grade})
    columns = (
        "rule", "settled", "adjudicated", "left", "relevant_from", "relevant", "topics_without_relevant",
        "mean_confidence", "sha256", "refused", *(f"grade_{grade}" for grade in grades),
    )  # fmt: skip
    rows: list[tuple[object, ...]] = []
    for line in found.rules:
        if line.found is None:
            rows.append((line.name, *(None,) * 8, line.refused, *(None for _ in grades)))
            continue
        one, counts = line.found, dict(line.found.by_grade)
        rows.append(
            (
                line.name, one.settled, one.adjudicated, one.unsettled, one.relevant_from, one.relevant,
                len(one.without_relevant), one.confidence, line.sha256, None,
                *(counts.get(grade, 0) for grade in grades),
            )
        )  # fmt: skip
    return table_export(columns, tuple(rows))


def _scores_export(_found: RulePreview, ranked: RankingPreview | None) -> Export:
    """Every run's score and rank under every rule."""
    if ranked is None or not ranked.scores:
        return table_export(("run",), ())
    places = {name: ranks(scores) for name, scores in ranked.scores.items()}
    runs = sorted(next(iter(ranked.scores.values())))
    columns = ("run", *(f"{name}{what}" for name in ranked.scores for what in ("", "_rank")))
    rows = tuple(
        (run, *(cell for name, scores in ranked.scores.items() for cell in (scores[run], places[name][run])))
        for run in runs
    )
    return table_export(columns, rows)


def _correlations_export(_found: RulePreview, ranked: RankingPreview | None) -> Export:
    """Every two rules: how alike they rank the runs, and how many pairs of runs change places."""
    rows = tuple(
        (one.first, one.second, one.runs, one.tau.value, one.tau_ap.value, one.swapped, one.tau.undefined)
        for one in (ranked.comparisons if ranked else ())
    )
    return table_export(("first", "second", "runs", "tau", "tau_ap", "swaps", "undefined"), rows)


def _swaps_export(_found: RulePreview, ranked: RankingPreview | None) -> Export:
    """Every pair of runs that changes places between two rules, with how far each is ahead."""
    rows = tuple(
        (one.first, one.second, swap.ahead, swap.behind, *swap.gap)
        for one in (ranked.comparisons if ranked else ())
        for swap in one.swaps
    )
    return table_export(("first", "second", "ahead_under_first", "ahead_under_second", "by", "then_by"), rows)


def _moves_export(_found: RulePreview, ranked: RankingPreview | None) -> Export:
    """Every run whose rank changes between two rules."""
    rows = tuple(
        (one.first, one.second, move.run, *move.ranks, move.by)
        for one in (ranked.comparisons if ranked else ())
        for move in one.moves
    )
    return table_export(("first", "second", "run", "rank_under_first", "rank_under_second", "rises_by"), rows)


PREVIEW_EXPORTS: Mapping[str, Callable[[RulePreview, RankingPreview | None], Export]] = {
    "rules": _rules_export,
    "scores": _scores_export,
    "correlations": _correlations_export,
    "swaps": _swaps_export,
    "moves": _moves_export,
}
