"""Files on the command line: qrels with the grades that are declared to be none, judgments, groups, tags."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial
from pathlib import PurePath
from typing import BinaryIO

from workbench.cli.inputs import file_option, open_input, read_each
from workbench.cli.output import Command, repeatable, say_aside
from workbench.errors import Finding, InvalidInput, rejected
from workbench.formats.judgments import graded_judgments
from workbench.formats.qrels import read_qrels
from workbench.records import Judgment, Qrel, id_text

_TOPICS_NAMED = 10


def cannot_judge_option(command: Command) -> Command:
    """Give a command `--cannot-judge`, repeatable; it receives the grades as `codes`."""
    return repeatable(
        "--cannot-judge",
        "codes",
        metavar="GRADE",
        type=int,
        help='A grade that means "cannot judge" and is not a judgment, such as -2 (repeatable).',
    )(command)


def read_judged(name: str, codes: Collection[int], *, subtopics: bool = False) -> tuple[Qrel, ...]:
    """The lines of a qrels file but those whose grade is among `codes`, which a note counts.

    `subtopics` as in `read_qrels`. Raises InvalidInput as that does, and where no line is left.
    """
    with open_input(name) as (stream, source):
        lines = read_qrels(stream, source=source, subtopics=subtopics)
    kept = tuple(line for line in lines if line.grade not in codes)
    if not kept:
        remedy = f"take real grades out of --cannot-judge ({_listed(codes)})"
        raise rejected(source, None, "empty", "every grade means cannot judge", remedy)
    count = len(lines) - len(kept)
    if count:
        many = "1 line has" if count == 1 else f"{count:,} lines have"
        say_aside(f"note: {source}: {many} a grade that means cannot judge ({_listed(codes)}); left out")
    topics = {line.topic for line in kept}
    gone = list(dict.fromkeys(line.topic for line in lines if line.topic not in topics))
    note_topics(gone, "topics that have no lines left are not part of any mean")
    return kept


def read_graded(name: str, codes: Collection[int]) -> tuple[Qrel, ...]:
    """The lines of a qrels file that have a grade: as `read_judged`, and without negative grades."""
    lines = read_judged(name, codes)
    with_grade = tuple(line for line in lines if line.grade >= 0)
    note_negative(name, len(lines) - len(with_grade))
    return with_grade


def note_negative(source: str, count: int) -> None:
    """Say how many lines are left out because their grade is negative; nothing where none is."""
    if count:
        lines = "1 line has a negative grade" if count == 1 else f"{count} lines have negative grades"
        say_aside(f"note: {source}: {lines}, which means not judged; left out")


def note_topics(topics: Sequence[str], what: str) -> None:
    """Say what is to know of some topics, the first of which are named; nothing where there are none."""
    if topics:
        shown = ", ".join(topics[:_TOPICS_NAMED]) + (", ..." if len(topics) > _TOPICS_NAMED else "")
        say_aside(f"note: {what}: {shown} ({len(topics)} in all)")


def _listed(codes: Collection[int]) -> str:
    return ", ".join(map(str, sorted(codes, reverse=True)))


def read_judgment_files(files: Sequence[str], codes: Sequence[int]) -> list[Judgment]:
    """The judgments of TSV files, in which each of the `codes` means cannot judge; ids may hold spaces."""
    read = read_each(files, partial(graded_judgments, codes=codes, spaced=True))
    return [judgment for _, given in read for judgment in given]


def read_qrels_by_assessor(files: Sequence[str], codes: Sequence[int]) -> list[tuple[str, list[Qrel]]]:
    """The qrels of each assessor, named by the file; negative grades, not judged, are left out and noted.

    Lines whose grade is among the `codes`, which mean cannot judge, stay as they are.
    """

    def read(stream: BinaryIO, source: str) -> list[Qrel]:
        qrels = read_qrels(stream, source=source)
        kept = [qrel for qrel in qrels if qrel.grade >= 0 or qrel.grade in codes]
        note_negative(source, len(qrels) - len(kept))
        return kept

    named = zip(_names(files), read_each(files, read), strict=True)
    return [(name, qrels) for name, (_, qrels) in named]


def _names(files: Sequence[str]) -> list[str]:
    """A name for each file: its stem, with a number where that was taken."""
    names: list[str] = []
    for file in files:
        stem = "stdin" if file == "-" else PurePath(PurePath(file).name.removesuffix(".gz")).stem
        name, number = stem, 1
        while name in names:
            number += 1
            name = f"{stem}-{number}"
        names.append(name)
    return names


GROUPS = file_option("--groups", "groups_file", help="Groups of the runs: tag, tab, group on each line.")


def read_groups(name: str) -> dict[str, str]:
    """Groups of runs by tag, from lines of tag, tab and group; raises InvalidInput with every finding."""
    groups: dict[str, str] = {}
    findings: list[Finding] = []
    with open_input(name) as (stream, source):
        for number, line in enumerate(stream, start=1):
            text = id_text(line).rstrip("\r\n")
            tag, tab, group = text.partition("\t")
            if tab and tag and group.strip() and "\t" not in group:
                groups[tag] = group.strip()
            elif text.strip():
                findings.append(
                    Finding(
                        source, number, "columns", "expected a tag, a tab and a group", "correct the line"
                    )
                )
    if findings:
        raise InvalidInput(findings)
    return groups


def read_tags(name: str) -> tuple[str, ...]:
    """The tags in a file, one a line, each once; empty lines hold none."""
    with open_input(name) as (stream, _):
        lines = [id_text(line).strip() for line in stream]
    return tuple(dict.fromkeys(line for line in lines if line))
