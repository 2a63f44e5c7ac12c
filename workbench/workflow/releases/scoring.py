"""A stranger's run scored against a public release: checked, bounded, never kept."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from io import BytesIO
from typing import BinaryIO

from sqlalchemy.orm import Session

from workbench.errors import InvalidInput, rejected
from workbench.formats.runs import read_run_top
from workbench.scoring.measures import parse_measures
from workbench.scoring.scorer import Scorer
from workbench.scoring.significance import MeanScore, mean_score
from workbench.workflow.releases.reading import released_qrels
from workbench.workflow.releases.releases import Release

MOST_BYTES = 4 * 2**20
"""Of a run as it is sent; gzip makes a run of 1,000 documents a topic on 500 topics that small."""
MOST_UNPACKED = 32 * 2**20
DEPTH = 1000
_GZIP = b"\x1f\x8b"


@dataclass(frozen=True, slots=True)
class ScoreLine:
    """A measure's mean over all topics of the qrels, with its interval."""

    measure: str
    mean: MeanScore


@dataclass(frozen=True, slots=True)
class StrangersScore:
    """The scores of a run: over how many topics, and for how many of them it has documents."""

    tag: str
    topics: int
    topics_scored: int
    lines: tuple[ScoreLine, ...]


def measures_for(release: Release) -> str:
    """The measures that the page computes: those of two grades by the threshold of the release."""
    at = release.relevant_from
    relevant = "" if at == 1 else f"(rel={at})"
    return f"AP{relevant} nDCG@10 P{relevant}@10 RR{relevant} Bpref{relevant} Judged@10"


def score_strangers_run(db: Session, release: Release, stream: BinaryIO, source: str) -> StrangersScore:
    """Score a run, plain or gzip, by `measures_for`; of each topic its first thousand documents.

    Raises InvalidInput for a file that is no run, or too large.
    """
    content = _unpacked(stream, source)
    run = read_run_top(BytesIO(content), source=source, depth=DEPTH).run
    scorer = Scorer(released_qrels(db, release), parse_measures(measures_for(release)))
    scores = scorer.score(run)
    return StrangersScore(
        tag=scores.tag,
        topics=scores.topics_in_qrels,
        topics_scored=scores.topics_scored,
        lines=tuple(ScoreLine(name, mean_score(scores.per_topic[name].values())) for name in scores.values),
    )


def _unpacked(stream: BinaryIO, source: str) -> bytes:
    content = stream.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise _too_large(source, "the file", MOST_BYTES)
    unpacked = bytearray()
    # A gzip file may be several, one after the other.
    while content.startswith(_GZIP):
        unpacking = zlib.decompressobj(wbits=31)
        try:
            unpacked += unpacking.decompress(content, MOST_UNPACKED + 1 - len(unpacked))
        except zlib.error:
            raise _damaged(source) from None
        if len(unpacked) > MOST_UNPACKED:
            raise _too_large(source, "the unpacked file", MOST_UNPACKED)
        if not unpacking.eof:
            raise _damaged(source)
        content = unpacking.unused_data
    return bytes(unpacked) or content


def _damaged(source: str) -> InvalidInput:
    return rejected(
        source, None, "gzip", "the gzip file is incomplete or damaged", "compress it and send it again"
    )


def _too_large(source: str, what: str, most: int) -> InvalidInput:
    message = f"{what} has more than {most // 2**20} MiB"
    remedy = "compress it with gzip, keep 1,000 documents per topic, or score it with the qrels in the zip"
    return rejected(source, None, "too-large", message, remedy)
