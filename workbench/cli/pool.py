"""`workbench pool`, `plan` and `analyse`: which documents get judged, what that costs, and how runs differ.

The options of a recipe, here and in campaigns, are generated from the registry of strategies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import wraps
from typing import Any

import click

from workbench.cli.files import file_option
from workbench.cli.output import (
    JSON_OBJECT,
    TIES,
    Command,
    Function,
    Integers,
    Texts,
    all_of,
    flag,
    json_flag,
    number_option,
    number_setting,
    refuse_given,
    repeatable,
    say_aside,
    say_json,
    say_notes,
    say_table,
    setting,
    tie_option,
    usage_errors,
)
from workbench.cli.qrels_files import (
    GROUPS,
    all_matched,
    cannot_judge_option,
    note_groups,
    read_graded,
    read_groups,
)
from workbench.cli.runs import RunFiles, read_runs, read_tops, run_arguments
from workbench.figures import counted
from workbench.pooling.adaptive_pool import simulated
from workbench.pooling.analysis import (
    BEYOND,
    NEAR_DUPLICATE,
    PARTS,
    TABLES,
    Analysis,
    analysis,
    examine,
    short_depths,
)
from workbench.pooling.depth import DEPTH, depth_pairs
from workbench.pooling.planning import Certainty, JudgingWork
from workbench.pooling.pool import Pool
from workbench.pooling.run_tops import RunTops, reached
from workbench.pooling.strategies import ADAPTIVE, ALL_STRATEGIES, STRATEGIES, PoolRecipe, build_pool, start
from workbench.pooling.strategy import Strategy
from workbench.ranking import ordered
from workbench.records import PoolEntry, Qrel, Ranking, Run, TieRule, id_bytes
from workbench.scoring.relevance import Relevance


def option_name(parameter: str) -> str:
    """The option by which a parameter is given."""
    return f"--{parameter.replace('_', '-')}"


def _parameter_help(strategies: Mapping[str, Strategy[Any]]) -> dict[str, str]:
    """The help of every parameter that any strategy has, in the order of the registry.

    Strategies that describe a parameter alike are named together.
    """
    uses: dict[str, dict[str, list[str]]] = {}
    for strategy in strategies.values():
        for parameter in strategy.parameters:
            descriptions = uses.setdefault(parameter.name, {})
            descriptions.setdefault(parameter.description, []).append(strategy.name)
    return {
        name: " ".join(f"{', '.join(names)}: {description}." for description, names in descriptions.items())
        for name, descriptions in uses.items()
    }


def recipe_options(*, listed_by: str = "workbench pool --strategies") -> Callable[[Command], Command]:
    """Give a command the options of a recipe: strategy, all parameters, ties; it receives a `recipe`."""
    parameters = _parameter_help(ALL_STRATEGIES)

    def receiving(command: Function) -> Function:
        @wraps(command)
        def with_recipe(
            strategy: str,
            ties: TieRule,
            tags: Texts = (),
            priority: int | None = None,
            supplementary: bool = False,
            **options: Any,
        ) -> Any:
            texts = {name: options.pop(name) for name in parameters}
            given = {name: text for name, text in texts.items() if text is not None}
            with usage_errors(option_name):
                values = ALL_STRATEGIES[strategy].values(given)
            recipe = PoolRecipe(strategy, values, ties, tags or None, priority, supplementary)
            return command(recipe=recipe, **options)

        return with_recipe

    return all_of(
        setting(
            "--strategy",
            type=click.Choice(ALL_STRATEGIES),
            default="depth",
            help=f"Pooling strategy; {listed_by} lists them.",
        ),
        *(
            click.option(option_name(name), name, metavar="VALUE", help=text)
            for name, text in parameters.items()
        ),
        tie_option(
            "--ties",
            help="Order of documents with equal scores.",
        ),
        receiving,
    )


campaign_recipe_options = all_of(
    repeatable("--run", "tags", help="Tag of a run to pool (repeatable); default all."),
    number_option("--priority", help="Only each group's runs with this priority or a smaller number."),
    flag("--supplementary", help="Leave out pairs that are already pooled or judged."),
    recipe_options(),
)
"""The same with options for the campaign's runs and pairs that are pooled."""


NOT_RELEVANT = "not-relevant"
UNJUDGED = ("unknown", NOT_RELEVANT)


@click.command("pool")
@run_arguments(required=False)
@recipe_options(listed_by="--strategies")
@file_option("--qrels", help="Judgments to replay an adaptive strategy on.")
@number_setting("--relevant-from", default=1, help="With --qrels: lowest relevant grade.")
@setting(
    "--unjudged",
    type=click.Choice(UNJUDGED),
    default=UNJUDGED[0],
    help="With --qrels: how to treat documents without a judgment.",
)
@cannot_judge_option
@flag("--warnings", help="Print warnings about the runs on standard error.")
@json_flag(help="Print JSON, with the runs of each document.")
@flag("--strategies", "listed", help="List the strategies and their parameters instead.")
def pool(
    runs: RunFiles,
    recipe: PoolRecipe,
    qrels: str | None,
    relevant_from: int,
    unjudged: str,
    codes: Integers,
    warnings: bool,
    as_json: bool,
    listed: bool,
) -> None:
    """Print the pool of these RUNs: topic and docno, tab between, sorted as bytes.

    Runs are ordered by score, highest first; the rank column is not used. Files may be gzip; - is standard
    input. Equal scores are ordered by docno descending (trec_eval), ascending (docno-ascending) or
    as they stand in the file (file). JSON has weight, inclusion probability and stratum where the strategy
    has them.

    An adaptive strategy chooses from judgments: with --qrels it is replayed on those of a file, and pairs are
    printed in the order of judging (JSON: with the number of relevant ones found so far).
    """
    if listed:
        _list_strategies(as_json)
        return
    if not runs.names:
        raise click.UsageError("Missing argument 'RUN...'.")
    if not ALL_STRATEGIES[recipe.strategy].reads_runs:
        raise click.UsageError(
            f"{recipe.strategy} does not choose from runs: make the pool in a campaign, with "
            "workbench campaign pool"
        )
    if (recipe.strategy in ADAPTIVE) != (qrels is not None):
        raise click.UsageError(
            f"--qrels is for adaptive strategies only: {', '.join(ADAPTIVE)}"
            if qrels is not None
            else f"{recipe.strategy} needs judgments: give them with --qrels, or make the pool in a campaign"
        )
    if qrels is None:
        refuse_given({"relevant_from", "unjudged", "codes"}, "needs --qrels: without, nothing is judged")
    values, ties = recipe.values(), recipe.ties
    depth = ALL_STRATEGIES[recipe.strategy].depth_read(values)
    if recipe.strategy == DEPTH.name and depth is not None and not as_json and not warnings:
        # Which runs brought a pair is not printed, and not to know it makes this several times faster.
        _print_pairs(depth_pairs(read_tops(runs, depth=depth, ties=ties), **values).items())
        return
    given = read_runs(runs, warnings=warnings, depth=depth, ties=ties)
    if qrels is not None:
        lines = read_graded(qrels, codes)
        relevant = {(line.topic, line.docno): line.grade >= relevant_from for line in lines}
        if relevant:
            given = all_matched(Relevance(Qrel(topic, docno, 0) for topic, docno in relevant), given)
        adaptive = start(given, strategy=recipe.strategy, ties=ties, parameters=recipe.parameters)
        unknown = False if unjudged == NOT_RELEVANT else None
        # In the order in which the strategy has them judged.
        judged = list(simulated(adaptive, relevant, unknown=unknown))
        if as_json:
            say_json([asdict(one) for one in judged])
        else:
            click.echo(b"".join(id_bytes(f"{one.topic}\t{one.docno}\n") for one in judged), nl=False)
        known = sum(one.relevant is not None for one in judged)
        found = sum(one.relevant is True for one in judged)
        say_aside(
            f"{counted(len(judged), 'pair')} of {len(adaptive.topics)} topics: {known} judged in {qrels}, "
            f"{found} relevant of {sum(relevant.values())} there"
        )
        return
    pool = build_pool(given, strategy=recipe.strategy, ties=ties, parameters=values)
    if as_json:
        say_json([_entry(pool, entry) for entry in pool.entries])
        return
    _print_pairs((entry.topic, [id_bytes(entry.docno)]) for entry in pool.entries)


def _print_pairs(topics: Iterable[tuple[str, list[bytes]]]) -> None:
    pairs = ((id_bytes(topic), docno) for topic, docnos in topics for docno in docnos)
    click.echo(b"".join([b"%b\t%b\n" % pair for pair in pairs]), nl=False)


def _entry(pool: Pool, entry: PoolEntry) -> dict[str, object]:
    pair = (entry.topic, entry.docno)
    runs = [{"tag": brought.tag, "rank": brought.rank} for brought in entry.contributions]
    answer: dict[str, object] = {"topic": entry.topic, "docno": entry.docno, "runs": runs}
    for name, of_pair in (("weight", pool.weights), ("inclusion", pool.inclusion), ("stratum", pool.strata)):
        if pair in of_pair:
            answer[name] = of_pair[pair]
    return answer


def _list_strategies(as_json: bool) -> None:
    # Of a learner's pools there are none without a campaign.
    strategies: list[Strategy[Any]] = [*STRATEGIES.values(), *ADAPTIVE.values()]
    if as_json:
        say_json(
            [
                {
                    "name": one.name,
                    "help": one.help,
                    "source": one.source,
                    "adaptive": one.name in ADAPTIVE,
                    "parameters": [
                        {
                            "name": each.name,
                            "help": each.help,
                            "kind": each.kind.name,
                            "default": each.text(each.default),
                            "lowest": each.lowest,
                            "highest": each.highest,
                        }
                        for each in one.parameters
                    ],
                }
                for one in strategies
            ]
        )
        return
    for strategy in strategies:
        when = " (while assessors judge)" if strategy.name in ADAPTIVE else ""
        click.echo(f"{strategy.name}{when}: {strategy.help}. {strategy.source}.")
        for parameter in strategy.parameters:
            click.echo(f"  {option_name(parameter.name)}  {parameter.description}")


_WORDS = {Certainty.EXACT: "", Certainty.EXPECTED: "about ", Certainty.AT_MOST: "at most "}


work_options = all_of(
    click.option("--assessors", type=int, help="Number of assessors who share the work."),
    setting(
        "--per-pair",
        "--per-topic",
        "per_pair",
        default=1,
        type=int,
        help="Assessors per topic, which is also the number of judgments per pair.",
    ),
    click.option("--seconds", type=float, help="Seconds per judgment."),
)
"""How pairs are judged."""


def pairs_in_words(pairs: float, certainty: Certainty) -> str:
    """A size, with what it is: `86830`, `about 120`, `at most 5000`."""
    return f"{_WORDS[certainty]}{pairs:.0f}"


def say_hours(
    what: str,
    pairs: Iterable[tuple[object, float]],
    certainty: Certainty,
    work: JudgingWork,
    *,
    numeric: Sequence[int] = (1, 2),
) -> None:
    """Print the pairs of each topic or depth and the hours of judging them."""
    rows = [(one, pairs_in_words(number, certainty), f"{work.hours(number):.1f}") for one, number in pairs]
    say_table([what, "pairs", "hours"], rows, numeric=numeric)


SECONDS = 30.0


@click.command("plan")
@run_arguments()
@recipe_options()
@work_options
@JSON_OBJECT
def plan(
    runs: RunFiles,
    recipe: PoolRecipe,
    assessors: int | None,
    per_pair: int,
    seconds: float | None,
    as_json: bool,
) -> None:
    """Estimate the size of the pool of these RUNs, by topic, and the hours of judging it.

    By default a judgment takes 30 seconds, and there are as many assessors as each pair needs.
    """
    strategy, values, ties = ALL_STRATEGIES[recipe.strategy], recipe.values(), recipe.ties
    with usage_errors():
        work = JudgingWork(
            per_pair, per_pair if assessors is None else assessors, SECONDS if seconds is None else seconds
        )
    depth = strategy.depth_read(values)
    longest: dict[str, int] = {}
    tops = []
    for run in read_runs(runs, warnings=False, depth=depth, ties=ties):
        tops.append(RunTops.of(run if depth is not None else _in_order(run, ties)))
        for topic, ranking in run.rankings.items():
            longest[topic] = max(len(ranking), longest.get(topic, 0))
    own = {name: values.get(name) for name in ("run_depths", "topic_depths")}
    found = strategy.sizes(reached(tops, **own), values, longest=longest)
    hours, each = work.hours(found.total), work.hours_each(found.total)
    topics = dict(zip(found.topics, found.pairs, strict=True))
    if as_json:
        answer = {"pairs": found.total, "certainty": found.certainty, "hours": hours, "hours_each": each}
        say_json({**answer, "topics": topics})
        return
    say_hours("topic", sorted(topics.items(), key=lambda row: -row[1]), found.certainty, work)
    click.echo(
        f"{found.total:.0f} pairs, {work.per_pair} times {work.seconds:g} s: {hours:.1f} hours, "
        f"{each:.1f} for each of {work.assessors}"
    )


def _in_order(run: Run, ties: TieRule) -> Run:
    """The run with its documents best first; their scores are not needed."""
    first = {topic: ordered(ranking, ties=ties) for topic, ranking in run.rankings.items()}
    return Run(run.tag, {topic: Ranking(docnos, (0.0,) * len(docnos)) for topic, docnos in first.items()})


MOST_PAIRS = 50
_OF_JUDGED = frozenset({"judged", "relevant", "relevant_alone"})


part_options = all_of(
    click.option("--part", type=click.Choice(PARTS), help="Print only this part; default all."),
    json_flag(help="One JSON object with all rows."),
)
"""The command receives `part` (None for all) and `as_json`."""


def say_analysis(found: Analysis, part: str | None, *, as_json: bool) -> None:
    """Print the tables of a part, or of all parts."""
    parts = [part] if part else list(PARTS)
    if as_json:
        answer: dict[str, Any] = {
            "depth": found.depth,
            "tie_rule": str(found.ties),
            "runs": list(found.tags),
            "pairs": found.pairs,
            "largest_possible": found.largest_possible,
            "judged": found.judged,
        }
        tables = {name: TABLES[name](found).data() for one in parts for name in PARTS[one]}
        say_json(answer | {name.replace("-", "_"): records for name, records in tables.items()})
        return
    for place, one in enumerate(parts):
        for name in PARTS[one]:
            _say_table_of(name, found, titled=part is None, first=place == 0)
        say_notes(_notes(one, found))


def _say_table_of(name: str, found: Analysis, *, titled: bool, first: bool) -> None:
    table = TABLES[name](found)
    every = list(table.rows())
    if name == "groups" and not every:
        return
    if titled or name in {"groups", "tie-rules"}:
        click.echo("" if first else "\n", nl=False)
        click.echo(f"{_TITLES.get(name, name)}:" if every else f"{_TITLES.get(name, name)}: none")
    if every:
        # Before anybody has judged, nothing is known about relevance.
        shown = [at for at, column in enumerate(table.columns) if found.judged or column not in _OF_JUDGED]
        some = every[:MOST_PAIRS] if name == "overlap" else every
        if name == "growth":
            some = [every[depth - 1] for depth in short_depths(found)]
        rows = [
            [f"{row[at]:z.4f}" if isinstance(row[at], float) else row[at] for at in shown] for row in some
        ]
        numeric = [to for to, at in enumerate(shown) if not isinstance(every[0][at], str)]
        say_table([table.columns[at] for at in shown], rows, numeric=numeric)


def _notes(part: str, found: Analysis) -> Iterator[str]:
    if part == "overlap":
        if len(found.alike) > MOST_PAIRS:
            yield f"the {MOST_PAIRS} most alike of {len(found.alike)} pairs; --json has all"
        if found.near_duplicates:
            yield f"{len(found.near_duplicates)} pairs share {NEAR_DUPLICATE:.0%} or more: near-duplicates"
    elif part == "ties":
        let_in, kept_out = len(found.decided.let_in), len(found.decided.kept_out)
        yield f"the tie rule included {counted(let_in, 'pair')} and excluded {kept_out}"
    elif part == "topics":
        yield f"median {found.median:g} pairs; {len(found.unusual)} topics are much larger or smaller"


_TITLES = {
    "contributions": "contributions of runs",
    "groups": "contributions of groups",
    "overlap": "most alike runs",
    "ties": "ties across the cut",
    "tie-rules": "the pool under each tie rule",
}


@click.command("analyse")
@run_arguments()
@number_setting("--depth", default=100, help="Depth of the pool.")
@TIES
@GROUPS
@part_options
def analyse(
    runs: RunFiles, depth: int, ties: TieRule, groups_file: str | None, part: str | None, as_json: bool
) -> None:
    """Analyse the depth pool that these RUNs would make, before anybody judges.

    Growth by depth, contributions of each run and its unique ones, overlap of runs (shared pairs over the
    pairs of either), ties at the cut, and sizes of topics. Files may be gzip; - is standard input.
    """
    groups = read_groups(groups_file) if groups_file is not None else {}
    read = read_runs(runs, warnings=False, depth=BEYOND * depth, ties=None)
    examined = examine(read, depth=depth, ties=ties)
    note_groups(groups, examined.overlap.tags)
    say_analysis(analysis(examined, groups=groups), part, as_json=as_json)
