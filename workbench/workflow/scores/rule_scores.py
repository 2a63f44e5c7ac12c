"""The mean scores of runs on the qrels of several rules, kept by topic: a save has one topic scored again.

A column is found by the digest of its topic's lines, so that rules that make the same of a topic share it.
The database has the columns of a topic under all rules of a ranking together, for other processes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain

import numpy as np
from ir_measures import Measure
from sqlalchemy.orm import Session

from workbench.formats.packed_runs import PackedRun
from workbench.records import Run
from workbench.scoring.qrels_together import (
    GradesOfPairs,
    PairNumbers,
    QrelsGrades,
    ranked_pairs,
    read_pairs,
)
from workbench.scoring.relevance import LARGEST_GRADE, Floats, Positions
from workbench.scoring.run_arrays import RunArrays
from workbench.scoring.score_columns import means_over_topics, score_cells, scored_alone
from workbench.scoring.scorer import Scorer
from workbench.workflow.caching import Cache
from workbench.workflow.kept_results import KeptResults
from workbench.workflow.qrels.settled_topic import SettledTopic
from workbench.workflow.runs.kept_rankings import MOST_TOPICS, kept_rankings
from workbench.workflow.runs.packed_store import rankings_of
from workbench.workflow.runs.run_hashes import Hashes, hashes_of, places_among
from workbench.workflow.runs.run_records import ListedRun

AT_ONCE = 2**19
"""Documents of runs that are in memory while all rules score them."""
MOST_COLUMNS = 16_384
"""Those of 30 rules on 500 topics: with 1,000 runs 130 MB."""
MOST_RUNS = 8192
"""Runs in a column; those that were scored first are forgotten when there are more."""


@dataclass(frozen=True, eq=False)
class RuleQrels:
    """The topics of a rule that have lines, in the order of bytes, and by which measure they score runs."""

    # No slots: what all lines are is computed once.
    measure: Measure
    topics: tuple[SettledTopic, ...]

    @cached_property
    def keys(self) -> tuple[_Key, ...]:
        """What the columns of the topics depend on, apart from their runs."""
        name, digests = str(self.measure), [one.digest for one in self.topics]
        others = "" if self.alone else hashlib.sha256("".join(digests).encode()).hexdigest()
        return tuple((name, others, digest) for digest in digests)

    @property
    def alone(self) -> bool:
        """Whether what is scored on a topic depends on nothing of other topics."""
        return scored_alone(self.measure)

    def scorer(self, topics: Collection[int]) -> Scorer:
        """What scores runs on some topics, by number."""
        return Scorer(chain.from_iterable(self.topics[number].qrels for number in topics), [self.measure])

    def grades(self, pairs: PairNumbers, topics: Collection[int]) -> QrelsGrades:
        """The same for runs of which the pairs are known."""
        chosen = [self.topics[number] for number in topics]
        return QrelsGrades(pairs, {one.topic: GradesOfPairs(one.rows, one.grades) for one in chosen})


_Key = tuple[str, str, str]


@dataclass(frozen=True, slots=True, eq=False)
class _Column:
    """What runs, by the hashes of their files, score on one topic."""

    runs: Hashes
    values: Floats


@dataclass(frozen=True, slots=True, eq=False)
class KeptRuleColumns:
    """The columns of a topic, shape (columns, runs), of several rules, and the SHA-256 of the runs' files."""

    runs: Hashes
    values: Floats


_NOTHING = _Column(np.zeros((0, 32), np.uint8), np.zeros(0))
_COLUMNS: Cache[_Key, _Column] = Cache(MOST_COLUMNS)
_KEPT = KeptResults(KeptRuleColumns, "formats", "scoring", "workflow/scores/rule_scores.py")
_PAIRS: Cache[bytes, PairNumbers] = Cache(1)
"""The last ones, which the next call goes on with: of a million pairs they take a second to make."""


def score_rules(
    db: Session,
    campaign_id: int,
    rules: Mapping[str, RuleQrels],
    runs: Sequence[ListedRun],
    go_on: Callable[[int], bool],
    *,
    kept: bool = True,
) -> dict[str, dict[str, float]]:
    """The mean score of each run on the qrels of each rule, by name, then tag, as far as they are scored.

    What is not known is computed, some runs at a time, until `go_on`, which is told how many runs are done,
    says no; some are scored in any case, or a slow machine would never come to an end. `kept` says whether
    the database is asked for what another process computed, and is given what is computed here. Raises
    WorkbenchError where a scorer gives up.
    """
    table = _RuleColumns(rules, hashes_of(run.sha256 for run in runs))
    if kept:
        table.take(db, campaign_id)
    done = 0
    for numbers, lacking in table.missing():
        if not lacking:
            done += len(numbers)
            go_on(done)
            continue
        chosen = [runs[number] for number in numbers.tolist()]
        if table.add_few(db, campaign_id, chosen, lacking, kept=kept):
            done += len(chosen)
            if not go_on(done):
                break
            continue
        scores = _Scores(rules, lacking)
        stopped = False
        for several in _together(rankings_of(db, campaign_id, [run.tag for run in chosen], scores.topics)):
            hashes = hashes_of(run.sha256 for run in chosen[: len(several)])
            chosen = chosen[len(several) :]
            for name, values in scores.of(several):
                table.add(name, lacking[name], hashes, values)
            done += len(several)
            stopped = not go_on(done)
            if stopped:
                break
        if stopped:
            break
    if kept:
        table.give(db, campaign_id)
    return table.means(runs)


class _Scores:
    """What scores runs on some topics of each rule, by number."""

    def __init__(self, rules: Mapping[str, RuleQrels], lacking: Mapping[str, Sequence[int]]) -> None:
        self._rules, self._lacking = rules, lacking
        chosen = [rules[name].topics[number] for name, topics in lacking.items() for number in topics]
        self._pairs = {one.topic: one.documents for one in chosen}
        self.topics = frozenset(self._pairs)
        # The others are scored rule by rule, by scorers that say what is wrong. What a rule gave of earlier
        # answers may have other rows.
        self.at_once = all(rules[name].alone for name in lacking) and all(
            max(map(abs, one.by_grade)) <= LARGEST_GRADE
            and one.documents.joined == self._pairs[one.topic].joined
            for one in chosen
        )
        self._scorers: dict[str, Scorer] = {}

    def of(self, runs: Sequence[Run | RunArrays]) -> Iterator[tuple[str, Floats]]:
        """The values of each rule, shape (runs, topics)."""
        arrays = [run for run in runs if not isinstance(run, Run)]
        if self.at_once and len(arrays) == len(runs):
            found = read_pairs(self._numbers, arrays)
            for name, grades in self._grades.items():
                yield name, grades.values(found, self._rules[name].measure)
            return
        for name, topics in self._lacking.items():
            if name not in self._scorers:
                self._scorers[name] = self._rules[name].scorer(topics)
            cells = score_cells(self._scorers[name], runs)
            yield name, np.concatenate([one.values[:, :, 0] for one in cells])

    @cached_property
    def _numbers(self) -> PairNumbers:
        key = b"".join(one.digest_of(None) for one in self._pairs.values())
        return _PAIRS.get(key, lambda: PairNumbers({name: one.ids for name, one in self._pairs.items()}))

    @cached_property
    def _grades(self) -> dict[str, QrelsGrades]:
        return {
            name: self._rules[name].grades(self._numbers, topics) for name, topics in self._lacking.items()
        }


def _together(runs: Iterator[PackedRun | Run]) -> Iterator[list[Run | RunArrays]]:
    """Some runs after the other, as many as are read at once."""
    several: list[Run | RunArrays] = []
    documents = 0
    for run in runs:
        several.append(run)
        documents += AT_ONCE if isinstance(run, Run) else len(run.docnos)
        if documents >= AT_ONCE:
            yield several
            several, documents = [], 0
    if several:
        yield several


class _RuleColumns:
    """The columns of all topics of all rules, as far as they are known."""

    def __init__(self, rules: Mapping[str, RuleQrels], hashes: Hashes) -> None:
        self._rules, self._hashes = rules, hashes
        self._keys = {name: one.keys for name, one in rules.items()}
        every = dict.fromkeys(chain.from_iterable(self._keys.values()))
        self._columns = {key: _COLUMNS.peek(key) or _NOTHING for key in every}
        self._changed: set[_Key] = set()
        # Found by their place in memory, with what keeps it from being another's.
        self._found: dict[int, tuple[Hashes, _Rows]] = {}

    @cached_property
    def _by_topic(self) -> tuple[tuple[_Key, ...], ...]:
        """The columns of each topic, those that are the same under several rules once."""
        found: dict[str, dict[_Key, None]] = {}
        for name, keys in self._keys.items():
            for topic, key in zip(self._rules[name].topics, keys, strict=True):
                found.setdefault(topic.topic, {})[key] = None
        return tuple(map(tuple, found.values()))

    def _rows(self, key: _Key) -> _Rows:
        """Where the runs stand in a column; looked up once for all columns of the same runs."""
        runs = self._columns[key].runs
        if id(runs) not in self._found:
            self._found[id(runs)] = runs, _Rows.of(runs, self._hashes)
        return self._found[id(runs)][1]

    def _whole(self, key: _Key) -> bool:
        return self._rows(key).whole

    def take(self, db: Session, campaign_id: int) -> None:
        """Take in what the database has of topics that lack something."""
        lacking = [keys for keys in self._by_topic if not all(map(self._whole, keys))]
        for keys, found in (_KEPT.find(db, campaign_id, lacking) if lacking else {}).items():
            # One array of hashes for all topics, or a process would have one for each.
            runs = self._hashes if np.array_equal(found.runs, self._hashes) else found.runs
            for key, values in zip(keys, found.values, strict=True):
                if not self._whole(key):
                    self._put(key, _Column(runs, values))

    def give(self, db: Session, campaign_id: int) -> None:
        """Have the database keep the topics that have changed and lack nothing."""
        changed = [keys for keys in self._by_topic if not self._changed.isdisjoint(keys)]
        found = {}
        for keys in changed:
            if all(map(self._whole, keys)):
                values = [self._columns[key].values[self._rows(key).places] for key in keys]
                found[keys] = KeptRuleColumns(self._hashes, np.stack(values))
        _KEPT.keep(db, campaign_id, found)

    def missing(self) -> list[tuple[Positions, dict[str, list[int]]]]:
        """Runs that lack the same, and what that is, numbers of topics by rule; those that lack none first.

        Of rules that make the same of a topic the first is to score it.
        """
        cells: list[tuple[str, int]] = []
        lacks = []
        seen: set[_Key] = set()
        for name, keys in self._keys.items():
            mine = [number for number, key in enumerate(keys) if key not in seen]
            seen.update(keys)
            some = [number for number in mine if not self._whole(keys[number])]
            of_rule = [self._rows(keys[number]).places < 0 for number in some]
            if some and not self._rules[name].alone:
                some, of_rule = mine, [np.logical_or.reduce(of_rule)] * len(mine)
            cells += [(name, number) for number in some]
            lacks += of_rule
        alike: dict[bytes, list[int]] = {}
        for run, column in enumerate(np.array(lacks, np.bool_).reshape(len(lacks), len(self._hashes)).T):
            alike.setdefault(column.tobytes(), []).append(run)
        found = []
        for pattern, numbers in alike.items():
            lacking: dict[str, list[int]] = {}
            for at in np.flatnonzero(np.frombuffer(pattern, np.bool_)).tolist():
                lacking.setdefault(cells[at][0], []).append(cells[at][1])
            found.append((np.array(numbers), lacking))
        return sorted(found, key=lambda one: sum(map(len, one[1].values())))

    def add_few(
        self,
        db: Session,
        campaign_id: int,
        runs: Sequence[ListedRun],
        lacking: Mapping[str, Sequence[int]],
        *,
        kept: bool,
    ) -> bool:
        """Score what lacks of a few of many topics, as after a save; False where it is not that."""
        chosen: dict[str, list[tuple[str, int]]] = {}
        for name, numbers in lacking.items():
            for number in numbers:
                chosen.setdefault(self._rules[name].topics[number].topic, []).append((name, number))
        few = len(chosen) <= min(MOST_TOPICS, len(self._by_topic) // 2)
        if not few or not _Scores(self._rules, lacking).at_once:
            return False
        own = [(run.tag, run.sha256) for run in runs]
        found = kept_rankings(db, campaign_id, own, list(chosen), kept=kept)
        if found is None:
            return False
        hashes = hashes_of(sha256 for _, sha256 in own)
        for topic, of_rules in chosen.items():
            first, number = of_rules[0]
            pairs = PairNumbers({topic: self._rules[first].topics[number].documents.ids})
            ranked = ranked_pairs(pairs, found[topic])
            for name, number in of_rules:
                rule = self._rules[name]
                values = rule.grades(pairs, [number]).values(ranked, rule.measure)
                self.add(name, [number], hashes, values)
        return True

    def add(self, name: str, topics: Sequence[int], hashes: Hashes, values: Floats) -> None:
        """Take in what further runs score on some topics of a rule; shape (runs, topics)."""
        for place, topic in enumerate(topics):
            key = self._keys[name][topic]
            before = self._columns[key]
            others = np.flatnonzero(places_among(hashes, before.runs) < 0)[-MOST_RUNS:]
            runs = hashes
            if len(others):
                runs = _joined(before.runs[others].tobytes(), hashes.tobytes())
            self._put(key, _Column(runs, np.concatenate((before.values[others], values[:, place]))))
            self._changed.add(key)

    def _put(self, key: _Key, column: _Column) -> None:
        self._columns[key] = column
        _COLUMNS.put(key, column)

    def means(self, runs: Sequence[ListedRun]) -> dict[str, dict[str, float]]:
        """The means of the runs that are scored on all topics of a rule."""
        found: dict[str, dict[str, float]] = {}
        for name, keys in self._keys.items():
            rows = {id(one): one for one in map(self._rows, keys)}
            everywhere = np.ones(len(self._hashes), np.bool_)
            for one in rows.values():
                everywhere &= one.places >= 0
            whole = np.flatnonzero(everywhere)
            places = {number: one.places[whole] for number, one in rows.items()}
            values = np.empty((len(keys), len(whole)))
            for key, of_topic in zip(keys, values, strict=True):
                self._columns[key].values.take(places[id(self._rows(key))], out=of_topic)
            means = means_over_topics(self._rules[name].measure, values.T) if len(whole) else []
            found[name] = dict(zip((runs[number].tag for number in whole.tolist()), means, strict=True))
        return found


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """Where runs stand in a column, -1 where they do not, and whether all stand there."""

    places: Positions
    whole: bool

    @classmethod
    def of(cls, runs: Hashes, sought: Hashes) -> _Rows:
        """Where those that are sought stand among the runs of a column."""
        places = places_among(runs, sought)
        return cls(places, bool((places >= 0).all()))


@lru_cache(maxsize=4)
def _joined(before: bytes, more: bytes) -> Hashes:
    """Two lists of hashes in one; columns of the same runs share it."""
    return np.frombuffer(before + more, np.uint8).reshape(-1, 32)
