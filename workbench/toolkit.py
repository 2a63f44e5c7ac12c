"""What the commands that need no server do, as functions: the names that `import workbench` gives.

Each takes files by name or what the others return. All raise InvalidInput with every error of a file, and
OSError where a file cannot be opened.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

from workbench.agreement.options import AgreementOptions
from workbench.agreement.ratings import CANNOT_JUDGE, UNSURE, Assessor, answers_of
from workbench.agreement.report import AgreementReport, agreement_report
from workbench.agreement.selection import select_ratings
from workbench.consensus.rules import ASSESSOR, choices_of, rule_choice
from workbench.consensus.settle import Consensus, consensus, require_judges
from workbench.consensus.votes import latest_judgments
from workbench.errors import WorkbenchError
from workbench.figures import counted
from workbench.formats.judgments import graded_judgments
from workbench.formats.qrels import read_qrels as qrels_of
from workbench.formats.runs import read_run_top
from workbench.pooling.depth import depth_pool
from workbench.pooling.pool import Pool
from workbench.pooling.strategies import build_pool
from workbench.records import Answer, Judgment, Qrel, Run, TieRule, grades_of, pair_of
from workbench.releases.check import ReleaseCheck, open_release
from workbench.releases.check import check_release as check_zip
from workbench.releases.comparison import ReleaseComparison
from workbench.releases.comparison import compare_releases as compare_contents
from workbench.releases.contents import ReleaseContents
from workbench.releases.zipped import ZippedFiles, ZippedRelease
from workbench.scoring.measures import at_threshold, check_complement, parse_measures
from workbench.scoring.run_arrays import unmatched
from workbench.scoring.scorer import RunScores, Scorer
from workbench.tables import ResultRows, ResultTable
from workbench.trust.alternatives import AlternativeQrels, ranking_measure, score_under
from workbench.trust.assessors import REFERENCE, qrels_of_assessors, qrels_of_rules, rules_to_compare
from workbench.trust.judges import OtherJudges, other_judges
from workbench.trust.orders import RankingOptions
from workbench.trust.runs import WHOLE, OtherRuns, other_runs, pooled_pairs, qrels_without

File = str | PathLike[str]
Qrels = tuple[Qrel, ...]
Content = TypeVar("Content")
Runs = Iterable[Run | File]


class QrelsTable(ResultTable, tuple[Qrel, ...]):
    """Lines of qrels, which are a table as well."""

    __slots__ = ()

    def table(self) -> ResultRows:
        """A row for each line."""
        rows = ((one.topic, one.docno, one.grade, one.iteration) for one in self)
        topics = len({one.topic for one in self})
        caption = f"Qrels: {counted(len(self), 'line')} in {counted(topics, 'topic')}"
        return ResultRows(caption, ("topic", "docno", "grade", "iteration"), rows, len(self))


class ScoresTable(ResultTable, tuple[RunScores, ...]):
    """The scores of some runs, which are a table as well; each of them is one by topic."""

    __slots__ = ()

    def table(self) -> ResultRows:
        """A row for each run, with how many topics its means are over."""
        measures = tuple(dict.fromkeys(name for one in self for name in one.values))
        rows = ((one.tag, *(one.values.get(name) for name in measures), one.topics_in_qrels) for one in self)
        columns = ("run", *measures, "topics")
        return ResultRows(f"Scores of {counted(len(self), 'run')}", columns, rows, len(self))


Release = ReleaseContents | File
"""An opened release, or the file of one."""
Answered = tuple[str, str, str, int]
"""An assessor's name, topic, docno, and a grade or the code of an answer that is none."""
_CODES = {Answer.UNSURE: UNSURE, Answer.CANNOT_JUDGE: CANNOT_JUDGE}


def read_run(file: File) -> Run:
    """Read a TREC run, plain or gzip, in the order of its lines."""
    return _read(file, read_run_top, depth=None).run


def read_qrels(file: File, *, cannot_judge: Collection[int] = ()) -> QrelsTable:
    """Read qrels, plain or gzip, of four columns, with subtopics or without, or BEIR's three.

    Lines with a grade in `cannot_judge`, such as -2, are left out.
    """
    lines = _read(file, qrels_of, subtopics=True)
    return QrelsTable(line for line in lines if line.grade not in cannot_judge)


def make_pool(runs: Runs, *, strategy: str = "depth", ties: str = "trec_eval", **parameters: object) -> Pool:
    """Pool runs by a strategy and its parameters; `make_pool(runs, depth=100)` is a depth-100 pool.

    `workbench pool --strategies` lists them with their parameters, after these those that choose while people
    judge, which make no pool here; `ties` is the order of equal scores: trec_eval, docno-ascending or file.
    Raises WorkbenchError for an unknown strategy or order, InvalidInput for wrong parameters.
    """
    if ties not in set(TieRule):
        raise WorkbenchError(
            f"there is no order of ties {ties!r}", remedy=f"choose one of {', '.join(TieRule)}"
        )
    return build_pool(map(_run, _runs(runs)), strategy=strategy, ties=TieRule(ties), parameters=parameters)


def agree(*assessors: File | Qrels, cannot_judge: Collection[int] = (), **options: Any) -> AgreementReport:
    """Compare assessors: the qrels of two or more, one each, or one file of judgments by all of them.

    In a file of judgments the grades `cannot_judge`, such as -2, are answers without a grade.

    Options are the fields of `workbench.agreement.options.AgreementOptions`, such as `graded=True` or
    `relevant_from=2`; `report.estimate("pooled")` is a coefficient with its interval. A negative grade of
    qrels means not judged. Raises WorkbenchError where fewer than two assessors gave a grade.
    """
    given = list(_judgments(assessors[0], cannot_judge) if len(assessors) == 1 else _by_assessor(assessors))
    names = list(dict.fromkeys(name for name, *_ in given))
    place = {name: number for number, name in enumerate(names)}
    answers = answers_of(
        [Assessor(name) for name in names],
        [(place[name], topic, docno, answer) for name, topic, docno, answer in given],
    )
    grades = sorted({answer for *_, answer in given if answer >= 0} or {0})
    chosen = AgreementOptions(**options)
    return agreement_report(select_ratings(answers, grades, chosen), chosen)


def settle(
    judgments: File | Iterable[Judgment],
    *,
    rule: str,
    relevant_from: int = 1,
    cannot_judge: Collection[int] = (),
    **parameters: object,
) -> Consensus:
    """Make one grade of each pair's judgments by a rule of consensus; `qrels` of the result are the qrels.

    `workbench consensus --help` names the rules with their parameters. Where an assessor judged a pair more
    than once the latest counts; in a file the grades `cannot_judge`, such as -2, are answers without a grade.
    Raises WorkbenchError for an unknown rule and for a parameter that is wrong or missing.
    """
    if isinstance(judgments, str | PathLike):
        judgments = _read(judgments, graded_judgments, codes=cannot_judge)
    latest = latest_judgments(judgments).judgments
    texts = {name: str(value) for name, value in parameters.items()}
    require_judges(latest, [text for name, text in texts.items() if name == ASSESSOR.name])
    return consensus(latest, rule=rule, scale=None, relevant_from=relevant_from, decided=None, **texts)


def score(qrels: File | Qrels, runs: Runs, measures: str | Sequence[str] = "AP nDCG@10 P@10") -> ScoresTable:
    """Score runs by measures under ir_measures' names; means are over all topics of the qrels.

    Warns (UserWarning) of a run of which nothing matches. Raises WorkbenchError for a measure that is unknown
    or cannot be computed here.
    """
    scorer = Scorer(qrels if isinstance(qrels, tuple) else read_qrels(qrels), parse_measures(measures))
    check_complement(scorer.relevance, scorer.measures)
    return ScoresTable(scorer.score(_matched(scorer, run)) for run in _runs(runs))


def check_release(file: File, *, sha256: str = "") -> ReleaseCheck:
    """Check the zip of a release byte by byte; `whole` of the result says whether nothing was found.

    `sha256` is what the release's page says of the zip. `findings` name every file that is damaged.
    """
    return _read(file, check_zip, sha256=sha256)


def read_release(file: File) -> ReleaseContents:
    """Open the zip of a release: qrels, topics, judgments, decisions, pools and what else is in it.

    Raises InvalidInput with everything that is damaged.
    """
    return _read(file, open_release)


def compare_releases(
    first: Release, second: Release, runs: Runs = (), *, measure: str = "AP"
) -> ReleaseComparison:
    """Compare two releases: pairs that came, went and changed, and how runs fare under both.

    The runs are those given, else those that the releases include; `ranking.swaps` of the result are those
    that change places, with the tests of their differences. Files are read part by part. Raises
    WorkbenchError for a measure that ranks no runs, InvalidInput for a file with a damaged part.
    """
    given = [_run(run) for run in _runs(runs)] or None
    with ExitStack() as stack:
        one, other = (
            release if isinstance(release, ReleaseContents) else stack.enter_context(_zipped(release))
            for release in (first, second)
        )
        return compare_contents(one, other, runs=given, measure=measure)


def score_on_release(
    release: Release, runs: Runs, measures: str | Sequence[str] = "AP nDCG@10 P@10"
) -> ScoresTable:
    """Score runs on the qrels of a release; measures of two grades take its relevance threshold.

    Raises WorkbenchError as `score`.
    """
    opened = release if isinstance(release, ReleaseContents) else read_release(release)
    threshold = opened.rule.relevant_from
    scorer = Scorer(opened.qrels, [at_threshold(one, threshold) for one in parse_measures(measures)])
    return ScoresTable(scorer.score(_matched(scorer, run)) for run in _runs(runs))


def rank_by_judges(
    judgments: File | Iterable[Judgment],
    runs: Runs,
    *,
    measure: str = "AP",
    relevant_from: int = 1,
    cannot_judge: Collection[int] = (),
    **options: Any,
) -> OtherJudges:
    """Rank runs by each assessor's grades, by each rule of consensus, and by random mixtures of assessors.

    In a file of judgments the grades `cannot_judge`, such as -2, are answers without a grade. Options are the
    fields of `workbench.trust.orders.RankingOptions`, such as `mixtures=1000` or `seed=1`;
    the reference is the rule lower-median unless `reference` names an assessor or another rule. Raises
    WorkbenchError for fewer than two assessors or runs.
    """
    if isinstance(judgments, str | PathLike):
        judgments = _read(judgments, graded_judgments, codes=cannot_judge, spaced=True)
    given = tuple(judgments)
    assessors = qrels_of_assessors(given, relevant_from=relevant_from)
    if len(assessors) < 2:
        raise WorkbenchError("one assessor cannot be compared", remedy="give the judgments of two or more")
    rules = choices_of(rules_to_compare(), rule_choice())
    qrels = [*assessors, *qrels_of_rules(given, rules, relevant_from=relevant_from)]
    scores = score_under(qrels, map(_run, _runs(runs)), ranking_measure(measure))
    chosen = RankingOptions(**{"reference": REFERENCE, **options})
    return other_judges(scores, [one.name for one in assessors], chosen)


def leave_out_groups(
    qrels: File | Qrels,
    runs: Runs,
    *,
    depth: int,
    groups: Mapping[str, str] | None = None,
    measure: str = "AP",
    relevant_from: int = 1,
) -> OtherRuns:
    """Score pooled runs without what only their own group brought into the pool of this depth.

    `groups` are by tag; a run without one is a group of its own. Raises WorkbenchError where a group brought
    all that is judged.
    """
    read = [_run(run) for run in _runs(runs)]
    lines = qrels if isinstance(qrels, tuple) else read_qrels(qrels)
    whole = AlternativeQrels(WHOLE, grades_of(lines), relevant_from)
    pooled = pooled_pairs(depth_pool(read, depth=depth), whole, groups or {})
    scores = score_under(qrels_without(whole, pooled), read, ranking_measure(measure))
    return other_runs(scores, whole, pooled)


def _read(file: File, read: Callable[..., Content], **options: Any) -> Content:
    """What the reader of a format makes of a file."""
    with Path(file).open("rb") as stream:
        return read(stream, source=str(file), **options)


@contextmanager
def _zipped(file: File) -> Iterator[ZippedRelease]:
    with Path(file).open("rb") as stream, ZippedFiles(stream, source=str(file)) as files:
        files.check()
        yield ZippedRelease.of(files)


def _runs(runs: Runs | Run | File) -> Iterable[Run | File]:
    """The runs; the name of one file is no list of names."""
    return [runs] if isinstance(runs, str | PathLike | Run) else runs


def _run(run: Run | File) -> Run:
    return run if isinstance(run, Run) else read_run(run)


def _matched(scorer: Scorer, given: Run | File) -> Run:
    run = _run(given)
    if warning := unmatched(scorer.relevance, run):
        warnings.warn(warning, stacklevel=2)
    return run


def _by_assessor(assessors: Sequence[File | Qrels]) -> Iterator[Answered]:
    for number, qrels in enumerate(assessors, start=1):
        # Numbered, since two files may have one name in different folders.
        name = str(number) if isinstance(qrels, tuple) else f"{number}: {Path(qrels).name}"
        for qrel in _one_grade_a_pair(qrels):
            if qrel.grade >= 0:
                yield name, qrel.topic, qrel.docno, qrel.grade


def _one_grade_a_pair(qrels: File | Qrels) -> Qrels:
    if not isinstance(qrels, tuple):
        return _read(qrels, qrels_of)
    pairs = set(map(pair_of, qrels))
    if len(pairs) < len(qrels):
        raise WorkbenchError(
            "the qrels have several grades of a document, as those with subtopics do",
            remedy="give qrels with one grade a document",
        )
    return qrels


def _judgments(file: File | Qrels, cannot_judge: Collection[int]) -> Iterator[Answered]:
    if isinstance(file, tuple):
        raise WorkbenchError("agreement needs two assessors", remedy="give the qrels of two or more")
    for one in _read(file, graded_judgments, codes=cannot_judge, spaced=True):
        yield one.assessor, one.topic, one.docno, _CODES.get(one.answer, one.grade or 0)
