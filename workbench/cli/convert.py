"""`workbench convert`: runs and qrels between TREC's form, BEIR's, and the frames of PyTerrier and ranx."""

from __future__ import annotations

from pathlib import Path, PurePath

import click

from workbench.cli.files import open_input, write_out
from workbench.cli.output import NEW_FILE, setting, toggle
from workbench.errors import WorkbenchError
from workbench.formats.frames import FRAMES, frame_csv, frame_of, frame_parquet, is_frame, read_frame
from workbench.formats.qrels import BEIR_HEADER, read_qrels, write_qrels
from workbench.formats.recognition import HEAD_BYTES, FileKind, recognised
from workbench.formats.runs import read_run, write_run
from workbench.formats.source import Peekable, open_source, with_head
from workbench.records import Qrel, Run

_BEIR = tuple(name.decode() for name in BEIR_HEADER)


@click.command("convert")
@click.argument("source", metavar="FILE")
@click.argument("target", metavar="TO", type=NEW_FILE)
@setting(
    "--columns",
    type=click.Choice(FRAMES),
    default="pyterrier",
    help="Names of the columns of CSV and Parquet.",
)
@click.option("--tag", help="Tag of the run; the file's name if not given.")
@toggle("--qrels/--run", "qrels", help="What a data frame contains, if its columns do not tell.")
def command(source: str, target: Path, columns: str, tag: str | None, qrels: bool | None) -> None:
    """Convert the run or the qrels in FILE to TO.

    FILE is recognised by its content: TREC's form, BEIR's qrels, or a frame of PyTerrier or ranx in CSV or
    Parquet; plain or gzip. The name of TO decides its form: .csv, .parquet, .tsv (BEIR's qrels), anything
    else TREC's; with .gz after it, gzip. - is standard output, in TREC's form.
    """
    with open_input(source) as (stream, name):
        stem = "-".join(PurePath(name).name.removesuffix(".gz").rpartition(".")[0].split())
        content = _read(open_source(stream, name), name, tag or stem or "run", qrels)
    if isinstance(content, Run) and tag:
        content = Run(tag, content.rankings)
    form = PurePath(target.name.lower().removesuffix(".gz")).suffix
    write_out([_written(content, form, columns)], target)


def _read(plain: Peekable, name: str, tag: str, qrels: bool | None) -> Run | tuple[Qrel, ...]:
    head, stream = with_head(plain, HEAD_BYTES)
    beir = tuple(head.removeprefix(b"\xef\xbb\xbf").split(b"\n", 1)[0].split()) == BEIR_HEADER
    if not beir and is_frame(head):
        return read_frame(stream, source=name, tag=tag, qrels=qrels)
    if beir or recognised(head).kind is FileKind.QRELS:
        return read_qrels(stream, source=name)
    return read_run(stream, source=name).run


def _written(content: Run | tuple[Qrel, ...], suffix: str, columns: str) -> bytes:
    if suffix == ".tsv":
        if isinstance(content, Run):
            raise WorkbenchError(
                "a run cannot be written as .tsv, which is BEIR's form of qrels",
                remedy="write .csv, .parquet or .run",
            )
        topic, docno, grade = _BEIR
        ids = ([one.topic for one in content], [one.docno for one in content], [one.grade for one in content])
        return frame_csv(dict(zip((topic, docno, grade), ids, strict=True)), delimiter="\t")
    if suffix in (".csv", ".parquet"):
        frame = frame_of(content, FRAMES[columns])
        return frame_csv(frame) if suffix == ".csv" else frame_parquet(frame)
    return b"".join(write_run(content) if isinstance(content, Run) else write_qrels(content))
