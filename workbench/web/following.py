"""Large files that are sent while they are made: the response follows the file into which they are written.

A slow reader holds nothing but that file. Its length is not known as it begins, so where its making fails the
connection is shut, which browsers, curl and proxies report as a failed transfer: the server itself could only
end the response, as if it were whole.
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import socket
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from granian.rsgi import ProtocolClosed  # type: ignore[attr-defined]  # it is imported there

from workbench.web.environ import Exchange, send
from workbench.web.refusals import WholeResponse
from workbench.web.response_files import PART_BYTES

LOG = logging.getLogger(__name__)
# Between two looks at what was written, in seconds.
LOOK_SECONDS = 0.02
OPEN_FILES = Path("/dev/fd")
FAMILIES = frozenset({socket.AF_INET, socket.AF_INET6})


class Following:
    """The response to one request, if it is a file that is sent while it is made.

    `begin` and `end` are called in the thread that waits for the file. `refused` gives the response where
    nothing can be sent, and `sent` is told of what was.
    """

    def __init__(
        self,
        exchange: Exchange,
        *,
        between: tuple[str, str],
        refused: Callable[[], WholeResponse],
        sent: Callable[[WholeResponse], None],
    ) -> None:
        self._exchange = exchange
        self._between = between
        self._refused, self._sent = refused, sent
        self._loop = asyncio.get_running_loop()
        self._response: WholeResponse | None = None
        self._whole: bool | None = None
        self._sending: Future[None] | None = None

    @property
    def begun(self) -> bool:
        """Whether a file is being made, so that there is no other response."""
        return self._response is not None

    def begin(self, response: WholeResponse) -> None:
        """Send a response whose body is a file that is still being written."""
        self._response = response
        if not isinstance(response.body, Path):
            raise TypeError("only a file can be followed")
        if not is_open(*self._between):
            # Then its end could not tell that it is not whole: it is sent once it is.
            return
        file = response.body.open("rb")
        # An open file is there until it is closed, also if this process is killed.
        response.body.unlink()
        self._sending = asyncio.run_coroutine_threadsafe(self._send(response, file), self._loop)

    def end(self, *, whole: bool) -> None:
        """Note that no more is written: the file is `whole`, or its making failed."""
        self._whole = whole
        response = self._response
        if response is None or self._sending is not None:
            return
        if not whole:
            if isinstance(response.body, Path):
                response.body.unlink(missing_ok=True)
            response = self._refused()
        send(self._exchange, response)
        self._sent(response)

    async def over(self) -> None:
        """Wait until everything is sent."""
        if self._sending is not None:
            await asyncio.wrap_future(self._sending)

    async def _send(self, response: WholeResponse, file: IO[bytes]) -> None:
        transport = self._exchange.response_stream(response.code, response.headers)
        with file:
            try:
                while True:
                    # Asked first: what was written before the end is read after it.
                    whole = self._whole
                    # In a thread: a slow disk must not stop the loop.
                    part = await self._loop.run_in_executor(None, file.read, PART_BYTES)
                    if part:
                        await transport.send_bytes(part)
                    elif whole is None:
                        await asyncio.sleep(LOOK_SECONDS)
                    else:
                        break
            except (ProtocolClosed, OSError) as error:
                LOG.info("a file was not taken to its end: %s", error)
                return
        if not whole:
            shut(*self._between)
        self._sent(response)


def is_open(client: str, server: str) -> bool:
    """Whether this process has the connection between two addresses, such as `192.0.2.7:50123`."""
    return _on_connection(client, server, lambda _: None)


def shut(client: str, server: str) -> bool:
    """Shut the connection of this process between two addresses, if it is open still; whether it was."""
    return _on_connection(client, server, lambda found: found.shutdown(socket.SHUT_RDWR))


def _on_connection(client: str, server: str, act: Callable[[socket.socket], None]) -> bool:
    asked = _address(client), _address(server)
    if None in asked:
        return False
    for entry in OPEN_FILES.iterdir():
        # Neither copied nor closed: to close a copy of SQLite's file would take its locks from it.
        with suppress(OSError):
            found = socket.socket(fileno=int(entry.name))
            try:
                if (
                    found.family in FAMILIES
                    and (_spelled(found.getpeername()), _spelled(found.getsockname())) == asked
                ):
                    act(found)
                    return True
            finally:
                found.detach()
    return False


def _spelled(address: tuple[Any, ...]) -> tuple[str, int] | None:
    host, port, *_ = address
    return _address(f"[{host}]:{port}")


def _address(text: str) -> tuple[str, int] | None:
    host, _, port = text.rpartition(":")
    try:
        found = ipaddress.ip_address(host.strip("[]").partition("%")[0])
        mapped = found.ipv4_mapped if isinstance(found, ipaddress.IPv6Address) else None
        return str(mapped or found), int(port)
    except ValueError:
        return None
