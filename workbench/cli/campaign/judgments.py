"""Judgments in from elsewhere, and out again."""

from __future__ import annotations

import sys
from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import PurePath
from typing import BinaryIO

import click

from workbench.cli.campaign.campaigns import FILES
from workbench.cli.database import database_options, open_database, reading, writing_to
from workbench.cli.inputs import read_each
from workbench.cli.output import (
    JSON_OBJECT,
    collected,
    json_array,
    print_collected,
    record_options,
    say_json,
    say_table,
)
from workbench.cli.qrels_files import cannot_judge_option
from workbench.errors import WorkbenchError
from workbench.formats.graded_pairs import write_probe_answers
from workbench.formats.judgments import read_judgments
from workbench.formats.qrels import read_qrels
from workbench.records import Judgment
from workbench.settings import Settings
from workbench.storage import Session
from workbench.workflow.agreement.probe_answers import probe_json, probe_lines
from workbench.workflow.campaigns.campaigns import campaign_by_slug
from workbench.workflow.judging.current_judgments import TickedBy, annotated_judgments, judgment_json
from workbench.workflow.judging.importing import (
    GivenJudgments,
    import_files,
    imported_json,
    judgments_from_qrels,
)
from workbench.workflow.judging.judgment_files import judgment_table, subtopic_lines


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """How files of judgments are read, and who their assessors are."""

    as_qrels: bool
    names: tuple[str, ...]
    machines: tuple[str, ...]
    codes: tuple[int, ...]
    discussed: bool


_IMPORT = (
    click.option("--qrels", "as_qrels", is_flag=True, help="Each FILE is the qrels of one assessor."),
    click.option(
        "--assessor", "names", multiple=True, help="With --qrels: names, one a FILE; else the file's stem."
    ),
    click.option("--machine", "machines", multiple=True, help="An assessor that is a machine; * for all."),
    cannot_judge_option,
    click.option("--discussed", is_flag=True, help="Answers given after a discussion; earlier answers stay."),
)


@click.command("import")
@click.argument("campaign")
@FILES
@record_options("how", ImportOptions, _IMPORT)
@JSON_OBJECT
@database_options
def import_(
    settings: Settings,
    campaign: str,
    files: tuple[str, ...],
    how: ImportOptions,
    as_json: bool,
) -> None:
    """Import judgments of several assessors into CAMPAIGN.

    FILE is TSV with the header `topic doc assessor grade`, or with --qrels one assessor's qrels. All files
    are kept, or, when one is refused, none.
    """
    if how.names and (not how.as_qrels or len(how.names) != len(files)):
        raise click.UsageError("--assessor goes with --qrels, once for each FILE")
    assessors = iter(how.names or map(_stem, files))
    notes: list[str] = []

    def read(stream: BinaryIO, source: str) -> tuple[Judgment, ...]:
        assessor = next(assessors)
        if how.as_qrels:
            qrels = read_qrels(stream, source=source)
            return judgments_from_qrels(qrels, assessor=assessor, cannot_judge=how.codes)
        return read_judgments(stream, source=source, cannot_judge=how.codes, notes=notes)

    # Before anything is written: who waits for a pipe must not keep others from saving.
    given = read_each(files, read)
    with open_database(settings) as database:
        with database.reading() as db:
            found = campaign_by_slug(db, campaign)

        def writing() -> AbstractContextManager[Session]:
            return writing_to(database, campaign)

        chosen = [
            GivenJudgments(
                judgments,
                source,
                _machines(judgments, how.machines, source if len(files) == 1 else None),
                how.discussed,
            )
            for source, judgments in given
        ]
        done = import_files(database, found.id, chosen, writing=writing)
    for note in notes:
        click.echo(note, err=True)
    if as_json:
        say_json(imported_json(done))
        return
    rows = [
        (a.name, "machine" if a.machine else "person", a.judgments, a.new) for i in done for a in i.assessors
    ]
    say_table(["assessor", "kind", "judgments", "new"], rows, numeric=[2, 3])
    for imported in done:
        if imported.repeated:
            click.echo(
                f"note: {imported.source}: pairs repeated by the same assessor: {imported.repeated}, "
                f"with another answer: {imported.contradicted} (the last counts)",
                err=True,
            )


def _machines(judgments: Sequence[Judgment], machines: Collection[str], only: str | None) -> set[str]:
    """Who of a file is a machine; raises WorkbenchError for a name that the only file does not have."""
    named = {judgment.assessor for judgment in judgments}
    unknown = set(machines) - {"*"} - named
    if unknown and only is not None:
        raise WorkbenchError(
            f"{', '.join(sorted(unknown))} is not an assessor of {only}",
            remedy=f"it has {', '.join(sorted(named)[:10])}",
        )
    return named if "*" in machines else set(machines)


@click.command("judgments")
@click.argument("campaign")
@JSON_OBJECT
@database_options
def judgments(settings: Settings, campaign: str, as_json: bool) -> None:
    """Print every current judgment, as the TSV that `import` reads: nothing is lost between the two.

    With --json everything recorded beside it: reason, comment, passages, further answers, subtopics.
    """
    with reading(settings) as db:
        found = campaign_by_slug(db, campaign)
        if as_json:
            content = collected(json_array(map(judgment_json, annotated_judgments(db, found.id))))
        else:
            content = collected(judgment_table(db, found.id))
    print_collected(content)


@click.command("probe-answers")
@click.argument("campaign")
@JSON_OBJECT
@database_options
def probe_answers(settings: Settings, campaign: str, as_json: bool) -> None:
    """Print every answer to a repeat, a planted pair or one of training, as TSV with a header.

    Each comes with what it is compared with: the answer before the repeat, or the known grade. Of a
    changed answer the last one counts, in training the first of each round. They are no judgments, except
    those marked `judged`: planted pairs that stand in a pool.
    """
    with reading(settings) as db:
        lines = list(probe_lines(db, campaign_by_slug(db, campaign).id))
    if as_json:
        say_json([probe_json(one) for one in lines])
        return
    for line in write_probe_answers(lines):
        sys.stdout.buffer.write(line)


@click.command("subtopic-qrels")
@click.argument("campaign")
@click.option(
    "--ticked-by",
    type=click.Choice([str(one) for one in TickedBy]),
    default=str(TickedBy.MAJORITY),
    show_default=True,
    help="How many of a pair's graders must have ticked a subtopic.",
)
@database_options
def subtopic_qrels(settings: Settings, campaign: str, ticked_by: str) -> None:
    """Print the subtopics that were ticked, as the `topic subtopic docno judgment` that ndeval reads."""
    with reading(settings) as db:
        found = campaign_by_slug(db, campaign)
        content = collected(subtopic_lines(db, found.id, ticked_by=TickedBy(ticked_by)))
    print_collected(content)


def _stem(name: str) -> str:
    """The name of an assessor whose qrels are in a file."""
    stem = PurePath(name).name
    for suffix in (".gz", ".txt", ".qrels"):
        stem = stem.removesuffix(suffix)
    return stem.removeprefix("qrels.")
