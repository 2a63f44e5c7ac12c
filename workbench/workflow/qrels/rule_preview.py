"""What each consensus rule would make of a campaign: its qrels, and the ranking of the runs."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np
from ir_measures import Measure
from sqlalchemy.orm import Session

from workbench.consensus.rule_choice import RuleChoice, choice_label, choice_name, rule_choice
from workbench.consensus.settle import Consensus, TableConsensus, consensus_of_table
from workbench.consensus.summary import Summary, summary, table_summary
from workbench.consensus.vote_table import VoteTable
from workbench.errors import WorkbenchError
from workbench.export import Export, table_export
from workbench.formats.qrels import line_starts, write_qrels
from workbench.records import Scale, Verdict
from workbench.scoring.measures import at_threshold, parse_measures
from workbench.scoring.rank_correlation import RankingComparison, compare_rankings, ranks
from workbench.scoring.scorer import Scorer, in_order
from workbench.workflow.caching import Cache
from workbench.workflow.qrels.qrels import Material, material
from workbench.workflow.runs.packed_store import run_for_use
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
    sha256: str


_SETTLED: Cache[tuple[str, RuleChoice], _Settled] = Cache(16)
"""What the last rules gave, by the digest of the judgments."""

_SCORES: Cache[tuple[str, str, str], float] = Cache(50_000)
"""What runs are worth, by the hashes of qrels and run and by measure: none of them ever changes."""


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
        try:
            settled = every.settled(choice)
        except WorkbenchError as error:
            left_out.append((choice_name(choice), str(error)))
            continue
        if settled.found.settled:
            rules[choice_name(choice)] = settled
        else:
            left_out.append((choice_name(choice), NO_QRELS))
    lines = {name: at_threshold(parsed, settled.found.relevant_from) for name, settled in rules.items()}
    # Rules that make the same qrels are scored once.
    keys = {(settled.sha256, str(lines[name])): name for name, settled in rules.items()}
    scorers: dict[tuple[str, str], Scorer] = {}
    started, scored = time.monotonic(), False
    for number, run in enumerate(runs, start=1):
        missing = [key for key in keys if _SCORES.peek((*key, run.sha256)) is None]
        if missing:
            # One run at least each time, or a slow machine would never come to an end.
            if seconds is not None and scored and time.monotonic() - started > seconds:
                break
            scored = True
            sorted_once = in_order(run_for_use(db, campaign_id, run.tag))
            for key in missing:
                if key not in scorers:
                    scorers[key] = Scorer(rules[keys[key]].consensus.qrels, [lines[keys[key]]])
                _SCORES.put((*key, run.sha256), scorers[key].score(sorted_once).values[key[1]])
        if progress is not None:
            progress(number, len(runs))
    return _ranking(str(parsed), rules, lines, runs, tuple(left_out))


def _ranking(
    measure: str,
    rules: Mapping[str, _Settled],
    lines: Mapping[str, Measure],
    runs: Sequence[CampaignRun],
    left_out: tuple[tuple[str, str], ...],
) -> RankingPreview:
    scores: dict[str, dict[str, float]] = {}
    done = 0
    for name, settled in rules.items():
        known = {run.tag: _SCORES.peek((settled.sha256, str(lines[name]), run.sha256)) for run in runs}
        scores[name] = {tag: value for tag, value in known.items() if value is not None}
        done += len(scores[name])
    total = len(rules) * len(runs)
    return RankingPreview(
        measure=measure,
        scores=scores,
        comparisons=compare_rankings(scores) if done == total else (),
        left_out=left_out,
        done=done,
        total=total,
    )


def _line(rules: _Rules, choice: RuleChoice) -> RuleLine:
    name, label = choice_name(choice), choice_label(choice)
    try:
        settled = rules.settled(choice)
    except WorkbenchError as error:
        return RuleLine(name, label, choice, None, refused=str(error))
    return RuleLine(name, label, choice, settled.found, settled.sha256)


class _Rules:
    """What rules give of the same material: the table of its judgments is made once for all of them."""

    def __init__(self, found: Material) -> None:
        self._found = found
        self._digest = found.digest()
        self._tables: dict[frozenset[str], _Table] = {}

    def settled(self, choice: RuleChoice) -> _Settled:
        """What a rule gives; raises WorkbenchError where it cannot be applied."""
        return _SETTLED.get((self._digest, choice), lambda: self._settle(choice))

    def _settle(self, choice: RuleChoice) -> _Settled:
        counted = self._found.counted_assessors(choice)
        if counted not in self._tables:
            self._tables[counted] = _Table(self._found.table(choice))
        table = self._tables[counted]
        found = consensus_of_table(table.votes, rule=choice.rule, **choice.parameters())
        if found is None:
            consensus = self._found.settled(choice)
            sha256 = hashlib.sha256(b"".join(write_qrels(consensus.qrels))).hexdigest()
            return _Settled(summary(consensus, topics=table.topics), consensus, sha256)
        sha256 = hashlib.sha256(table.lines(found)).hexdigest()
        return _Settled(table_summary(found, topics=table.topics), found, sha256)


class _Table:
    """The table of some judgments, with what every line of qrels begins with."""

    def __init__(self, votes: VoteTable) -> None:
        self.votes = votes
        judged = zip(votes.pairs, votes.judged.tolist(), strict=True)
        self.topics = tuple(dict.fromkeys(topic for (topic, _), by_somebody in judged if by_somebody))

    @cached_property
    def _starts(self) -> tuple[bytes, ...]:
        return line_starts(self.votes.pairs)

    def lines(self, found: TableConsensus) -> bytes:
        """The file of qrels; raises WorkbenchError for ids that would not survive."""
        starts = map(self._starts.__getitem__, found.rows.tolist())
        ends = {grade: b"%d\n" % grade for grade in np.unique(found.grades).tolist()}
        return b"".join(
            chain.from_iterable(zip(starts, map(ends.__getitem__, found.grades.tolist()), strict=True))
        )


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
        (one.first, one.second, one.runs, one.tau.value, one.tau_ap.value, len(one.swaps), one.tau.undefined)
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
