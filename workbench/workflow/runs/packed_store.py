"""Runs as pools and scores read them: from packed forms, as deep as needed, or from files without one."""

from __future__ import annotations

import io
from collections.abc import Collection, Iterable, Iterator, Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.errors import NotFound
from workbench.formats.packed_form import (
    Layout,
    PackedForm,
    as_arrays,
    docnos_of,
    head_of,
    pack,
    places_of,
    scores_of,
)
from workbench.formats.packed_lines import NotUnderstood
from workbench.formats.packed_runs import PackedRun, read_packed
from workbench.formats.runs import cut, read_run
from workbench.frozen import frozen_dataclass
from workbench.pooling.run_tops import RunTops
from workbench.records import Run, TieRule
from workbench.storage.engine import Database
from workbench.storage.run_files import StoredForm, parts_of, store_form, stored_forms
from workbench.storage.tables import PackedRunRow, RunRow
from workbench.workflow.campaigns.collection import topic_titles

# Runs whose arrays are in memory at a time; each may have tens of megabytes.
_AT_ONCE = 100
# The same of whole runs, which are not scored before all are read.
_WHOLE_AT_ONCE = 10
# The columns of a run that no packed form can hold: it is read from its file.
_NO_FORM = StoredForm(0, [])


@frozen_dataclass
class _Kept:
    """A run with its packed form, if there is one."""

    run_id: int
    tag: str
    topics: tuple[str, ...]
    layout: Layout | None


def pack_runs(db: Session, campaign_id: int) -> int:
    """Make the packed forms that are missing; returns how many."""
    without = _without_form(db, campaign_id)
    for run_id in without:
        store_form(db, run_id, *_packed(_read_file(db, run_id)))
    return len(without)


def pack_runs_one_by_one(database: Database, campaign_id: int) -> int:
    """As `pack_runs`, in a transaction for each run: others who write wait for a moment only."""
    with database.reading() as db:
        without = _without_form(db, campaign_id)
    for run_id in without:
        with database.reading() as db:
            run = _read_file(db, run_id)
        packed = _packed(run)
        with database.writing() as db:
            # The run may have been removed meanwhile.
            if db.get(RunRow, run_id) is not None:
                store_form(db, run_id, *packed)
    return len(without)


def run_for_use(
    db: Session,
    campaign_id: int,
    tag: str,
    *,
    depth: int | None = None,
    ties: TieRule = TieRule.TREC_EVAL,
    sha256: str | None = None,
) -> Run:
    """A run as `read_run` has it or, with a depth, its first documents of each topic, best first.

    It is the current version, or the latest with this hash, and has no topics but the campaign's. Nothing
    is written, so that a reader without the right to write can call it. Raises NotFound.
    """
    (kept,) = _kept(db, campaign_id, [tag], sha256=sha256)
    read = _read(db, kept, depth, ties)
    if isinstance(read, PackedRun):
        return read.whole() if depth is None else read.top(depth, ties=ties)
    return read if depth is None else cut(read, depth, ties)


def arrays_for_use(db: Session, campaign_id: int, tag: str) -> PackedRun | Run:
    """The current version of a run, whole; as arrays where it has a packed form. Raises NotFound."""
    (kept,) = _kept(db, campaign_id, [tag])
    return _read(db, kept, None, TieRule.TREC_EVAL)


def rankings_of(
    db: Session, campaign_id: int, tags: Sequence[str], topics: Collection[str]
) -> Iterator[PackedRun | Run]:
    """The current versions of these runs, of these topics alone, in trec_eval's order; raises NotFound.

    A run without a packed form is whole, in the order of its file.
    """
    requested = frozenset(topics)
    before: tuple[tuple[str, ...], Layout] | None = None
    all_kept = _kept(db, campaign_id, tags)
    for start in range(0, len(all_kept), _WHOLE_AT_ONCE):
        some = all_kept[start : start + _WHOLE_AT_ONCE]
        wholes = {one.run_id: one.layout.ranges(None)[:2] for one in some if one.layout is not None}
        read = parts_of(db, wholes)
        for kept in some:
            if kept.layout is None:
                yield _read_file(db, kept.run_id)
                continue
            # Most runs of a campaign have one layout: only that of the run before is at hand.
            if before != (kept.topics, kept.layout):
                before = kept.topics, kept.layout
                numbers = tuple(at for at, topic in enumerate(kept.topics) if topic in requested)
                names = tuple(kept.topics[number] for number in numbers)
                starts, places = places_of(kept.layout, numbers)
            docnos, scores = read.pop(kept.run_id)
            yield PackedRun(
                kept.tag,
                names,
                starts,
                docnos_of(docnos, kept.layout)[places],
                scores_of(scores)[places],
                lines=kept.layout.count(None),
                depth=None,
            )


def run_leading(db: Session, campaign_id: int, tag: str, *, sha256: str, depth: int) -> Run:
    """Of the version with this hash, at least what can be among the first `depth` under any tie rule.

    Nothing is written. Raises NotFound.
    """
    (kept,) = _kept(db, campaign_id, [tag], sha256=sha256)
    # In the order of the file anything of the score at the cut can come up.
    read = _read(db, kept, depth, TieRule.FILE)
    return read.leading() if isinstance(read, PackedRun) else read


def lengths_of(db: Session, campaign_id: int, tags: Sequence[str]) -> dict[str, dict[str, int]]:
    """How many documents each run has for each topic, by tag; raises NotFound."""
    lengths: dict[str, dict[str, int]] = {}
    for kept in _kept(db, campaign_id, tags):
        if kept.layout is None:
            rankings = run_for_use(db, campaign_id, kept.tag).rankings
            lengths[kept.tag] = {topic: len(ranking) for topic, ranking in rankings.items()}
        else:
            lengths[kept.tag] = dict(zip(kept.topics, kept.layout.counts, strict=True))
    return lengths


def tops_of(
    db: Session, campaign_id: int, tags: Sequence[str], *, depth: int, ties: TieRule = TieRule.TREC_EVAL
) -> Iterator[RunTops]:
    """The first documents of these runs, as arrays; raises NotFound."""
    all_kept = _kept(db, campaign_id, tags)
    for start in range(0, len(all_kept), _AT_ONCE):
        yield from _tops(db, all_kept[start : start + _AT_ONCE], depth, ties)


def _tops(db: Session, several: Sequence[_Kept], depth: int, ties: TieRule) -> Iterator[RunTops]:
    requested = {
        kept.run_id: kept.layout.ranges(depth)[:1]
        for kept in several
        if kept.layout is not None and ties is TieRule.TREC_EVAL
    }
    read = parts_of(db, requested)
    for kept in several:
        if kept.layout is not None and kept.run_id in read:
            # In this order they stand already, and more than the docnos need not be read.
            numbers, ranks = kept.layout.ranked(depth)
            docnos = docnos_of(read[kept.run_id][0], kept.layout)
            yield RunTops(kept.tag, kept.topics, numbers, ranks, docnos)
        else:
            yield _top_of_one(db, kept, depth, ties)


def _top_of_one(db: Session, kept: _Kept, depth: int, ties: TieRule) -> RunTops:
    read = _read(db, kept, depth, ties)
    if isinstance(read, Run):
        return RunTops.of(cut(read, depth, ties))
    return RunTops(kept.tag, read.topics, *read.ranked(depth, ties=ties))


def _read(db: Session, kept: _Kept, depth: int | None, ties: TieRule) -> PackedRun | Run:
    """What can be among the first `depth` of each topic, or the whole run (None)."""
    layout = kept.layout
    if layout is None:
        return _read_file(db, kept.run_id)
    reach = depth if depth is None or ties is TieRule.TREC_EVAL else depth + 1
    # Where a tie crosses the cut, as much more as the tie rule needs.
    while True:
        parts = parts_of(db, {kept.run_id: layout.ranges(reach)})[kept.run_id]
        head = head_of(layout, reach, *parts)
        if reach is None or depth is None or head.settles(depth, ties):
            return head.run(kept.tag, kept.topics)
        reach *= 2


def _kept(db: Session, campaign_id: int, tags: Iterable[str], *, sha256: str | None = None) -> list[_Kept]:
    requested = list(tags)
    version = RunRow.replaced_at.is_(None) if sha256 is None else RunRow.sha256 == sha256
    chosen = select(RunRow.tag, RunRow.id).where(
        RunRow.campaign_id == campaign_id, version, RunRow.tag.in_(requested)
    )
    ids = dict(db.execute(chosen.order_by(RunRow.id)).all())
    for tag in requested:
        if tag not in ids:
            of_hash = "" if sha256 is None else f" with the hash {sha256[:12]}…"
            raise NotFound(f"there is no run {tag!r}{of_hash} in this campaign")
    forms = stored_forms(db, ids.values())
    # Of forms that were read alike there is one object.
    layouts = {form: _layout_of(form) for form in set(forms.values())}
    nothing: tuple[tuple[str, ...], Layout | None] = ((), None)
    return [
        _Kept(ids[tag], tag, *(layouts[forms[ids[tag]]] if ids[tag] in forms else nothing))
        for tag in requested
    ]


def _layout_of(form: StoredForm) -> tuple[tuple[str, ...], Layout | None]:
    """The topics of a form, and where things stand in it; nothing of one that arrays cannot hold."""
    if not form.width:
        return (), None
    counts = tuple(count for _, count in form.topics)
    return tuple(topic for topic, _ in form.topics), Layout(form.width, counts)


def _without_form(db: Session, campaign_id: int) -> Sequence[int]:
    joined = select(RunRow.id).outerjoin(PackedRunRow, PackedRunRow.run_id == RunRow.id)
    chosen = joined.where(RunRow.campaign_id == campaign_id, PackedRunRow.run_id.is_(None))
    return db.scalars(chosen.order_by(RunRow.id)).all()


def _read_file(db: Session, run_id: int) -> PackedRun | Run:
    """A run from its file: as arrays, or as it is where they cannot hold it."""
    row = db.execute(
        select(RunRow.content_gzip, RunRow.file_name, RunRow.warnings, RunRow.campaign_id).where(
            RunRow.id == run_id
        )
    ).one()
    if any(warning["code"] == "unknown-topic" for warning in row.warnings):
        # A campaign may take runs with further topics, but there is nobody to judge them.
        run = read_run(io.BytesIO(row.content_gzip), source=row.file_name).run
        known = topic_titles(db, row.campaign_id)
        return Run(run.tag, {topic: ranking for topic, ranking in run.rankings.items() if topic in known})
    try:
        return read_packed(io.BytesIO(row.content_gzip), source=row.file_name)
    except NotUnderstood:
        run = read_run(io.BytesIO(row.content_gzip), source=row.file_name).run
    return as_arrays(run) or run


def form_of_file(db: Session, run_id: int) -> StoredForm:
    """What is to be stored beside the arrays of a run, made again from its file.

    Without arrays where they cannot hold its docnos, and without the topics that the campaign lacks.
    """
    return _packed(_read_file(db, run_id))[0]


def _packed(run: PackedRun | Run) -> tuple[StoredForm, bytes]:
    if isinstance(run, Run):
        return _NO_FORM, b""
    form: PackedForm = pack(run)
    topics = [list(pair) for pair in zip(form.topics, form.layout.counts, strict=True)]
    return StoredForm(form.layout.width, topics), form.arrays
