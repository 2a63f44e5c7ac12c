"""The calls of a campaign to a server: what all methods of its client share."""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from typing import Any

from workbench.client.transport import Transport, segment

File = str | PathLike[str]


class CampaignCalls:
    """A campaign on a server by its slug; nothing is asked of the server yet."""

    def __init__(self, transport: Transport, slug: str) -> None:
        self._transport = transport
        self.slug = slug
        self._path = f"/campaigns/{segment(slug)}"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.slug!r})"

    def _get(self, path: str, **query: Any) -> Any:
        return self._transport.get(self._path + path, query)

    def _list(self, path: str, query: dict[str, Any] | None = None) -> Iterator[Any]:
        return self._transport.pages(self._path + path, query)

    def _post(self, path: str, body: Any) -> Any:
        return self._transport.send("POST", self._path + path, body)

    def _patch(self, path: str, body: Any) -> Any:
        return self._transport.send("PATCH", self._path + path, body)

    def _delete(self, path: str, **query: Any) -> Any:
        return self._transport.delete(self._path + path, query)

    def _upload(self, path: str, file: File, query: dict[str, Any]) -> Any:
        chosen = Path(file)
        return self._transport.upload(self._path + path, chosen, {"name": chosen.name, **query})
