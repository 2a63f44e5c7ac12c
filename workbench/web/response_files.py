"""Bodies of responses that are too large for memory: files in a folder of their own, removed once sent.

The folder is in the instance folder, since where a container runs the system's temporary folder is memory.
"""

from __future__ import annotations

import logging
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path

from workbench.errors import NoRoom
from workbench.web.bodies import IN_MEMORY

FOLDER = "responses"
# Nothing takes as long to be made and sent: what is older was left by a process that was killed.
STALE_SECONDS = 3600
PART_BYTES = 256 * 1024
LOG = logging.getLogger(__name__)


class FileBody:
    """A body in a file, as WSGI takes it: the file is removed when it is closed, or by whoever takes it."""

    def __init__(self, path: Path, size: int) -> None:
        self.size = size
        self._path: Path | None = path

    def __iter__(self) -> Iterator[bytes]:
        if self._path is None:
            raise ValueError("the file was taken")
        with self._path.open("rb") as file:
            while part := file.read(PART_BYTES):
                yield part

    def take(self) -> Path:
        """The file, which is to be removed by whoever asks for it."""
        if self._path is None:
            raise ValueError("the file was taken")
        path, self._path = self._path, None
        return path

    def close(self) -> None:
        """Remove the file, if nobody has taken it."""
        if self._path is not None:
            self._path.unlink(missing_ok=True)
            self._path = None


class ResponseFiles:
    """The files of responses of one instance."""

    def __init__(self, instance: Path) -> None:
        self._folder = instance / FOLDER

    def kept(self, parts: Iterable[bytes]) -> bytes | FileBody:
        """All parts: in memory up to IN_MEMORY bytes, else in a file, of which nothing is left by an error.

        Raises NoRoom where the file cannot be written, and whatever the parts raise.
        """
        found: list[bytes] = []
        size = 0
        remaining = iter(parts)
        for part in remaining:
            found.append(part)
            size += len(part)
            if size > IN_MEMORY:
                return self._written(chain(found, remaining))
        return b"".join(found)

    def _written(self, parts: Iterable[bytes]) -> FileBody:
        file = None
        try:
            self.remove_stale()
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            size = 0
            with tempfile.NamedTemporaryFile(dir=self._folder, delete=False) as file:
                for part in parts:
                    size += len(part)
                    file.write(part)
        except BaseException as error:
            if file is not None:
                Path(file.name).unlink(missing_ok=True)
            if isinstance(error, OSError):
                LOG.error("a large answer cannot be written into %s: %s", self._folder, error)
                raise NoRoom(
                    "the server has no room to prepare this file",
                    remedy="contact the administrator of this server",
                ) from error
            raise
        return FileBody(Path(file.name), size)

    def remove_stale(self) -> None:
        """Remove the files that a process has left which was killed."""
        oldest = time.time() - STALE_SECONDS
        # Another process may remove it at the same moment.
        with suppress(FileNotFoundError):
            for path in self._folder.iterdir():
                with suppress(FileNotFoundError):
                    if path.stat().st_mtime < oldest:
                        path.unlink()
