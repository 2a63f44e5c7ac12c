"""Results that take long, kept in the database: computed once for all processes, hosts and restarts.

Each is found by a hash of all that it was computed from, so that none grows old: with another judgment, run
or measure, or another version of the program, it is another result.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Hashable, Iterable, Mapping
from functools import cache, partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Generic, TypeVar

import workbench
from workbench.storage import Session
from workbench.storage.engine import afterwards
from workbench.storage.results import note_use, store_results, stored_results
from workbench.workflow.result_form import result_bytes, result_from

Value = TypeVar("Value")
Source = TypeVar("Source", bound=Hashable)
LOG = logging.getLogger(__name__)
AT_ONCE = 256 * 1024
"""Bytes that are stored in one transaction: whoever saves meanwhile waits for no more."""
COMMON = ("figures.py", "docnos.py", "ranking.py", "records.py")
"""Where in the package results of every kind come from."""
LIBRARIES = ("numpy", "ir-measures", "pytrec-eval-terrier")


class KeptResults(Generic[Value]):
    """Results of one dataclass, `kind`, by what they are computed from, whose `repr` must tell it wholly.

    `code` are the packages and modules that compute it, beside COMMON: with another version of these a
    result is another. Relative to this package, as "scoring" or "workflow/trust/report.py".
    """

    def __init__(self, kind: type[Value], *code: str) -> None:
        self._kind = kind
        self.code = (*COMMON, *code)

    def get(self, db: Session, campaign_id: int, source: Hashable, make: Callable[[], Value]) -> Value:
        """The result of a source, computed by `make` if nobody has done so before."""
        found = self.find(db, campaign_id, [source])
        if source in found:
            return found[source]
        value = make()
        self.keep(db, campaign_id, {source: value})
        return value

    def find(self, db: Session, campaign_id: int, sources: Iterable[Source]) -> dict[Source, Value]:
        """Those results that are kept, by their sources."""
        hashes = {self._hash(source): source for source in sources}
        stored, to_note = stored_results(db, campaign_id, hashes)
        if to_note:
            afterwards(db, partial(note_use, campaign_id=campaign_id, hashes=to_note))
        found = {}
        for sha256, content in stored.items():
            try:
                found[hashes[sha256]] = result_from(self._kind, content)
            except ValueError as error:
                LOG.warning("a kept result cannot be read, and is computed again: %s", error)
        return found

    def keep(self, db: Session, campaign_id: int, results: Mapping[Source, Value]) -> None:
        """Have results stored once the reading transaction of `db` has ended; in a writing one, nowhere."""
        portion: dict[str, bytes] = {}
        size = 0
        for source, value in results.items():
            content = result_bytes(value)
            if portion and size + len(content) > AT_ONCE:
                afterwards(db, partial(store_results, campaign_id=campaign_id, results=portion))
                portion, size = {}, 0
            portion[self._hash(source)] = content
            size += len(content)
        if portion:
            afterwards(db, partial(store_results, campaign_id=campaign_id, results=portion))

    def _hash(self, source: Hashable) -> str:
        whole = repr((self._kind.__name__, program_hash(self.code), source))
        return hashlib.sha256(whole.encode("utf-8", "backslashreplace")).hexdigest()


@cache
def program_hash(code: tuple[str, ...]) -> str:
    """A hash of these packages and modules, and of the versions of the libraries that they call."""
    sha = hashlib.sha256(repr([_version(name) for name in LIBRARIES]).encode())
    package = Path(workbench.__file__).parent
    for name in code:
        part = package / name
        for path in sorted(part.rglob("*.py")) if part.is_dir() else [part]:
            sha.update(f"\n{path.relative_to(package)}\n".encode())
            sha.update(path.read_bytes())
    return sha.hexdigest()


def _version(library: str) -> str:
    try:
        return version(library)
    except PackageNotFoundError:
        return ""
