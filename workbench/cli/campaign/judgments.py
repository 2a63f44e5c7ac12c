"""Judgments: imported, exported; what was preferred side by side."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import PurePath
from typing import BinaryIO

import click

from workbench.cli.campaign.campaigns import FILES
from workbench.cli.database import ChosenCampaign, campaign_command, writing_to
from workbench.cli.files import read_each
from workbench.cli.output import (
    CSV,
    JSON_OBJECT,
    Integers,
    OneOf,
    Texts,
    collected,
    flag,
    json_array,
    one_form,
    print_collected,
    print_export,
    repeatable,
    say_aside,
    say_json,
    say_list,
    say_notes,
    say_short,
    setting,
)
from workbench.cli.qrels_files import cannot_judge_option
from workbench.errors import WorkbenchError
from workbench.formats.graded_pairs import write_probe_answers
from workbench.formats.judgments import read_judgments
from workbench.formats.qrels import read_qrels
from workbench.records import Judgment
from workbench.workflow.agreement.probe_answers import probe_json, probe_lines
from workbench.workflow.judging.current_judgments import (
    TickedBy,
    annotated_judgments,
    judgment_json,
    judgment_table,
    subtopic_lines,
)
from workbench.workflow.judging.importing import (
    GivenJudgments,
    import_files,
    imported_json,
    judgments_from_qrels,
)
from workbench.workflow.judging.preferences import (
    answers_export,
    preference_agreement_export,
    preference_answers,
    preference_lines,
    preference_results,
    rankings_export,
    runs_export,
)


@campaign_command("import")
@FILES
@flag("--qrels", "as_qrels", help="Each FILE is the qrels of one assessor.")
@repeatable("--assessor", "names", help="With --qrels: one name per FILE; by default, the file's stem.")
@repeatable("--machine", "machines", help="An assessor that is a machine; * for all.")
@cannot_judge_option
@flag("--discussed", help="Answers given after a discussion; earlier answers stay.")
@JSON_OBJECT
def import_(
    at: ChosenCampaign,
    files: Texts,
    as_qrels: bool,
    names: Texts,
    machines: Texts,
    codes: Integers,
    discussed: bool,
    as_json: bool,
) -> None:
    """Import judgments of several assessors into CAMPAIGN.

    FILE is TSV with the header `topic doc assessor grade`, or with --qrels one assessor's qrels. All files
    are kept, or, when one is refused, none.
    """
    if names and (not as_qrels or len(names) != len(files)):
        raise click.UsageError("--assessor goes with --qrels, once for each FILE")
    assessors = iter(names or map(_stem, files))
    notes: list[str] = []

    def read(stream: BinaryIO, source: str) -> tuple[Judgment, ...]:
        assessor = next(assessors)
        if as_qrels:
            qrels = read_qrels(stream, source=source)
            return judgments_from_qrels(qrels, assessor=assessor, cannot_judge=codes)
        return read_judgments(stream, source=source, cannot_judge=codes, notes=notes)

    # Before anything is written: who waits for a pipe must not keep others from saving.
    given = read_each(files, read)
    with at.open() as (database, campaign_id):
        chosen = []
        for source, judgments in given:
            named = {judgment.assessor for judgment in judgments}
            unknown = set(machines) - {"*"} - named
            if unknown and len(files) == 1:
                raise WorkbenchError(
                    f"{', '.join(sorted(unknown))} is not an assessor of {source}",
                    remedy=f"choose from {', '.join(sorted(named)[:10])}",
                )
            is_machine = named if "*" in machines else set(machines)
            chosen.append(GivenJudgments(judgments, source, is_machine, discussed))
        done = import_files(database, campaign_id, chosen, writing=partial(writing_to, database, at.slug))
    say_notes(notes)
    rows = [
        (a.name, "machine" if a.machine else "person", a.judgments, a.new) for i in done for a in i.assessors
    ]
    say_list(imported_json(done), as_json, ["assessor", "kind", "judgments", "new"], rows, numeric_from=2)
    for imported in done:
        if imported.repeated and not as_json:
            say_aside(
                f"note: {imported.source}: pairs repeated by the same assessor: {imported.repeated}, "
                f"with another answer: {imported.contradicted} (the last counts)",
            )


@campaign_command("judgments")
@JSON_OBJECT
def judgments(at: ChosenCampaign, as_json: bool) -> None:
    """Print every current judgment, as the TSV that `import` reads: nothing is lost between the two.

    With --json everything recorded beside it: reason, comment, passages, further answers, subtopics.
    """
    with at.reading() as (db, campaign_id):
        if as_json:
            content = collected(json_array(map(judgment_json, annotated_judgments(db, campaign_id))))
        else:
            content = collected(judgment_table(db, campaign_id))
    print_collected(content)


@campaign_command("probe-answers")
@JSON_OBJECT
def probe_answers(at: ChosenCampaign, as_json: bool) -> None:
    """Print every answer to a repeat, a planted pair or one of training, as TSV with a header.

    Each comes with what it is compared with: the answer before the repeat, or the known grade. Of a
    changed answer the last one counts, in training the first of each round. They are no judgments, except
    those marked `judged`: planted pairs that stand in a pool.
    """
    with at.reading() as (db, campaign_id):
        lines = list(probe_lines(db, campaign_id))
    if as_json:
        say_json([probe_json(one) for one in lines])
        return
    for line in write_probe_answers(lines):
        sys.stdout.buffer.write(line)


@campaign_command("subtopic-qrels")
@setting(
    "--ticked-by",
    type=OneOf(TickedBy),
    default=str(TickedBy.MAJORITY),
    help="Number of a pair's assessors who must have ticked a subtopic.",
)
def subtopic_qrels(at: ChosenCampaign, ticked_by: TickedBy) -> None:
    """Print the subtopics that were ticked, as the `topic subtopic docno judgment` that ndeval reads."""
    with at.reading() as (db, campaign_id):
        content = collected(subtopic_lines(db, campaign_id, ticked_by=ticked_by))
    print_collected(content)


def _stem(name: str) -> str:
    """The name of an assessor whose qrels are in a file."""
    stem = PurePath(name).name
    for suffix in (".gz", ".txt", ".qrels"):
        stem = stem.removesuffix(suffix)
    return stem.removeprefix("qrels.")


@campaign_command("preferences")
@click.option(
    "--documents", "what", flag_value="documents", help="The ranked documents of each topic instead."
)
@click.option("--runs", "what", flag_value="runs", help="The results of compared runs instead.")
@click.option(
    "--agreement",
    "what",
    flag_value="agreement",
    help="The agreement of every two assessors instead.",
)
@CSV
@JSON_OBJECT
@one_form
def preferences(at: ChosenCampaign, what: str | None, form: str) -> None:
    """Write what assessors of CAMPAIGN preferred of two documents, as trec_eval reads it with -R prefs.

    With --csv or --json every answer, also between runs, with its reason, what stood left, and the time.
    """
    with at.reading() as (db, campaign_id):
        answers = preference_answers(db, campaign_id)
        if what is None and form == "text":
            sys.stdout.buffer.writelines(preference_lines(db, campaign_id))
            return
    results = preference_results(answers)
    export = {
        None: answers_export(answers),
        "documents": rankings_export(results),
        "runs": runs_export(results),
        "agreement": preference_agreement_export(results),
    }[what]
    if not print_export(export, form):
        say_short(export.columns, export.rows(), numeric_from=3)
