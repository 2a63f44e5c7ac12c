"""Judgments of several assessors: tab-separated, with a header `topic doc assessor grade` in any order.

What is written of them for programs that model assessors stands here as well.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import BinaryIO

from workbench.errors import WorkbenchError, rejected
from workbench.formats.error_collector import ErrorCollector, shown
from workbench.formats.fields import check_texts, headed_rows
from workbench.formats.identifiers import check_ids, plain, trimmed
from workbench.formats.qrels import wrong_grade
from workbench.formats.source import Readable
from workbench.records import Answer, Judgment, Preference, id_bytes

HEADER = ("topic", "doc", "assessor", "grade")

_NAMES = {**{name: name for name in HEADER}, "docno": "doc", "document": "doc"}
_ANSWERS = {answer.value: answer for answer in Answer if answer is not Answer.GRADE}
_MISFIT = re.compile(r"[\x00-\x1f\x7f\ufeff]")
_GRADE = re.compile(r"[+-]?[0-9]{1,18}")
_REMEDY = f"the first line must name the columns {', '.join(HEADER)}, separated by tabs"


def read_judgments(
    stream: Readable,
    *,
    source: str,
    cannot_judge: Collection[int] = (),
    spaced: bool = False,
    notes: list[str] | None = None,
) -> tuple[Judgment, ...]:
    """The judgments of a plain or gzip file in file order; repeated ones are kept, since each was an event.

    A grade is an integer or one of the words unsure and cannot_judge; integers in `cannot_judge`, such as -2
    for a broken link, are no grades but that answer. With `spaced`, for judgments that never become qrels,
    ids may hold spaces. Columns with other names are not read, which `notes` says.
    Raises InvalidInput with every error: a header that is missing, cells that are, ids with white space.
    """
    errors = ErrorCollector(source)
    judgments: list[Judgment] = []
    for number, cells in headed_rows(stream, _NAMES, HEADER, _REMEDY, errors, notes):
        judgment = _judgment(number, cells, cannot_judge, spaced, errors)
        judgments += [judgment] if judgment else []
    errors.require(judgments, "the file contains no judgment", _REMEDY)
    return tuple(judgments)


def write_judgments(judgments: Iterable[Judgment]) -> Iterator[bytes]:
    """The header and one line a judgment in the order given, tab-separated, as `read_judgments` reads them.

    Raises WorkbenchError for topics and docnos with white space, and assessors with tabs or line ends.
    """
    yield ("\t".join(HEADER) + "\n").encode()
    # Each assessor and grade comes again and again, and those of a pair come together: all are checked once.
    assessors: dict[str, bytes] = {}
    pair, ids = ("", ""), b""
    for judgment in judgments:
        if pair != (judgment.topic, judgment.docno):
            pair = judgment.topic, judgment.docno
            ids = plain(judgment.topic, "topic") + b"\t" + plain(judgment.docno, "docno")
        if judgment.assessor not in assessors:
            assessors[judgment.assessor] = assessor_bytes(judgment.assessor)
        yield b"%b\t%b\t%b\n" % (ids, assessors[judgment.assessor], _grade(judgment))


def assessor_bytes(assessor: str) -> bytes:
    """The bytes of an assessor's name to be written; raises WorkbenchError where it would not survive."""
    try:
        if assessor and assessor == trimmed(assessor) and not _MISFIT.search(assessor):
            return assessor.encode()
    except UnicodeEncodeError:
        pass
    raise WorkbenchError(
        f"the assessor name {shown(assessor)} cannot be used in a file",
        remedy="use a name in UTF-8 without tabs, line ends and control characters",
    )


def _judgment(
    line: int, cells: Mapping[str, str], cannot_judge: Collection[int], spaced: bool, errors: ErrorCollector
) -> Judgment | None:
    assessor, given = cells["assessor"], cells["grade"]
    ids = (cells["topic"], cells["doc"])
    fit = check_ids(line, [one.replace(" ", "") for one in ids] if spaced else ids, errors)
    if not assessor:
        errors.add(line, "assessor", "the assessor is missing", "name the assessor")
        fit = False
    fit = check_texts(line, (assessor,), errors) and fit
    answer = _ANSWERS.get(given.casefold(), Answer.GRADE)
    grade = int(given) if _GRADE.fullmatch(given) else None
    if answer is Answer.GRADE and grade is None:
        words = ", ".join(_ANSWERS)
        message, remedy = wrong_grade(given)
        errors.add(line, "grade", message, f"{remedy}; or one of the words {words}")
        return None
    if grade is not None and grade in cannot_judge:
        grade, answer = None, Answer.CANNOT_JUDGE
    return Judgment(assessor, cells["topic"], cells["doc"], grade, answer) if fit else None


def _grade(judgment: Judgment) -> bytes:
    if (judgment.grade is None) is (judgment.answer is Answer.GRADE):
        raise WorkbenchError(
            f"the judgment of {shown(judgment.docno)} for topic {shown(judgment.topic)} contradicts itself",
            remedy="give a grade with the answer grade, and none with other answers",
        )
    return (judgment.answer.value if judgment.grade is None else str(judgment.grade)).encode()


def graded_judgments(
    stream: BinaryIO, source: str, codes: Sequence[int], *, spaced: bool = False
) -> tuple[Judgment, ...]:
    """The judgments of a file, grades in `codes` being those that mean "cannot judge"; `spaced` as there.

    Raises InvalidInput as the reader of the format does, and for negative grades that no code names: some
    collections mean a grade by them, some none at all, and nobody but their user knows which.
    """
    found = read_judgments(stream, source=source, cannot_judge=codes, spaced=spaced)
    negative = [one for one in found if one.grade is not None and one.grade < 0]
    if not negative:
        return found
    kinds = sorted({one.grade for one in negative if one.grade is not None}, reverse=True)
    named = ", ".join(map(str, kinds[:5])) + (", ..." if len(kinds) > 5 else "")
    options = " ".join(f"--cannot-judge={kind}" for kind in kinds[:5])
    first = negative[0]
    many = f"{len(negative):,} grades are" if len(negative) > 1 else "1 grade is"
    raise rejected(
        source,
        None,
        "grade",
        f"{many} negative ({named}), first that of document {first.docno} for topic {first.topic}",
        f"add {options} if that means cannot judge, or write grades from 0 up",
    )


_SPACE = re.compile(r"[\s\x00-\x1f\x7f\ufeff]+")


def group_names(assessors: Iterable[str]) -> dict[str, str]:
    """What each assessor is called where white space separates columns: `A. Marlow` becomes `A._Marlow`.

    Names that would become one get a number, so that no two assessors are taken for the same group.
    """
    names: dict[str, str] = {}
    used: set[str] = set()
    numbers: Counter[str] = Counter()
    for assessor in sorted(set(assessors), key=id_bytes):
        stem = _SPACE.sub("_", assessor.strip()) or "assessor"
        name = stem
        while name in used:
            numbers[stem] += 1
            name = f"{stem}-{numbers[stem] + 1}"
        used.add(name)
        names[assessor] = name
    return names


def write_judgment_groups(
    judgments: Iterable[Judgment], *, names: Mapping[str, str] | None = None
) -> Iterator[bytes]:
    """Lines `topic group docno grade`, a group for each assessor, sorted by topic, group and docno (bytes).

    trec_eval reads them with `-R qrels_jg`, and averages over the groups of a topic (`map_avgjg`, `P_avgjg`).
    Answers that are no grade have no line. `names` are those of all groups (`group_names`), where these are
    the judgments of some topics only. Raises WorkbenchError where an assessor has two grades for a pair
    and for ids that would not survive (empty, white space).
    """
    graded = [(one, one.grade) for one in judgments if one.grade is not None]
    names = group_names(one.assessor for one, _ in graded) if names is None else names
    before: tuple[str, str, str] | None = None

    def place(graded: tuple[Judgment, int]) -> tuple[bytes, bytes, bytes]:
        one = graded[0]
        return id_bytes(one.topic), id_bytes(names[one.assessor]), id_bytes(one.docno)

    for one, grade in sorted(graded, key=place):
        key = (one.assessor, one.topic, one.docno)
        if key == before:
            raise WorkbenchError(
                f"{one.assessor} has two grades for document {shown(one.docno)} of topic {shown(one.topic)}",
                remedy="give only the current judgment of each assessor",
            )
        before = key
        group = id_bytes(names[one.assessor])
        yield b"%b %b %b %d\n" % (plain(one.topic, "topic"), group, plain(one.docno, "docno"), grade)


def write_preferences(preferences: Iterable[Preference]) -> Iterator[bytes]:
    """Two lines for every pair of which one is better, a subgroup for each pair, a group for each assessor.

    trec_eval reads them with `-R prefs`: within a subgroup the document with the higher level is preferred,
    between subgroups nothing is said. Ties and pairs that are both bad say nothing of an order and have no
    line. Raises WorkbenchError for ids that would not survive (empty, white space).
    """
    decided = [one for one in preferences if one.choice in {"first", "second"}]
    names = group_names(one.assessor for one in decided)
    numbers: Counter[tuple[str, str]] = Counter()
    for one in decided:
        key = (one.topic, one.assessor)
        numbers[key] += 1
        better, worse = (one.first, one.second) if one.choice == "first" else (one.second, one.first)
        group = id_bytes(names[one.assessor])
        for docno, level in ((better, 1), (worse, 0)):
            yield b"%b %b %d %b %d\n" % (
                plain(one.topic, "topic"), group, numbers[key], plain(docno, "docno"), level
            )  # fmt: skip
