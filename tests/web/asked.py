"""Requests as the server hands them over, and what is answered to them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path


class Headers(list[tuple[str, str]]):
    """The headers of a request, several of the same name among them."""

    def items(self) -> Sequence[tuple[str, str]]:
        return self


@dataclass
class Asked:
    """A request as the server hands it over; with `stalls` its body never ends."""

    method: str
    path: str
    headers: Headers
    parts: Sequence[bytes] = ()
    stalls: bool = False
    query_string: str = ""
    scheme: str = "http"
    http_version: str = "1.1"
    server: str = "127.0.0.1:80"
    client: str = "[2001:db8::7]:50123"
    authority: str | None = None
    answered: list[tuple[int, dict[str, str], bytes]] = field(default_factory=list)
    files: list[Path] = field(default_factory=list)

    async def __call__(self) -> bytes:
        return b"".join([part async for part in self])

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for part in self.parts:
            yield part
        if self.stalls:
            await asyncio.Event().wait()

    def response_bytes(self, status: int, headers: list[tuple[str, str]], body: bytes) -> None:
        if not self.answered:
            self.answered.append((status, dict(headers), body))

    def response_stream(self, status: int, headers: list[tuple[str, str]]) -> Asked:
        self.answered.append((status, dict(headers), b""))
        return self

    async def send_bytes(self, data: bytes) -> None:
        status, headers, before = self.answered[0]
        self.answered[0] = (status, headers, before + data)

    def response_file(self, status: int, headers: list[tuple[str, str]], file: str) -> None:
        self.response_bytes(status, headers, Path(file).read_bytes())
        self.files.append(Path(file))

    @property
    def status(self) -> int:
        return self.answered[0][0]
