"""The files of each way of running the server, filled in for one site."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path

from workbench import texts
from workbench.errors import WorkbenchError
from workbench.frozen import frozen_dataclass

EXAMPLE_HOST = "judge.example.org"
HOST_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?")


@frozen_dataclass
class Deployment:
    """One site: its name, the path under which it is (empty at the root), and the server behind the proxy.

    `server` is the address of the server as the proxy sees it, `HOST:PORT`. Raises WorkbenchError for a name
    that is none, since it is written into configuration files.
    """

    host: str = EXAMPLE_HOST
    prefix: str = ""
    port: int = 8765
    server: str = "127.0.0.1"

    def __post_init__(self) -> None:
        if not HOST_NAME.fullmatch(self.host):
            raise WorkbenchError(
                f"{self.host!r} is not a host name", remedy="write a name such as judge.example.org"
            )


@frozen_dataclass
class Paper:
    """One way of running the server, or a part of one; `files` are names in `files/`.

    `server` is the host under which a proxy finds the server; None where that is the same machine.
    """

    name: str
    summary: str
    files: tuple[str, ...]
    server: str | None = None


PAPERS: Mapping[str, Paper] = {
    one.name: one
    for one in (
        Paper(
            "systemd",
            "a service with few rights, its settings, and a backup every night",
            ("workbench.service", "workbench.env", "workbench-backup.service", "workbench-backup.timer"),
        ),
        Paper("nginx", "nginx with TLS in front of the server", ("workbench.conf",)),
        Paper("caddy", "Caddy in front of the server; it gets its certificates by itself", ("Caddyfile",)),
        Paper(
            "container",
            "an image of the server, built from the source",
            ("Containerfile", "Containerfile.dockerignore"),
        ),
        Paper(
            "compose",
            "the container with PostgreSQL and Caddy",
            ("compose.yaml", "Caddyfile", "Containerfile", "Containerfile.dockerignore"),
            server="web",
        ),
    )
}


def filled_in(paper: Paper, site: Deployment) -> Iterator[tuple[str, str]]:
    """The name and the text of each file of a paper."""
    values = asdict(site) | {"server": f"{paper.server or site.server}:{site.port}"}
    for name in paper.files:
        yield name, texts.filled_in("workbench.deployment", f"files/{name}", **values)


def write_paper(paper: Paper, site: Deployment, folder: Path) -> tuple[Path, ...]:
    """Write the files of a paper into a folder, which is made; returns their paths.

    Raises WorkbenchError if one of them exists, and then writes none.
    """
    files = [(folder / name, text) for name, text in filled_in(paper, site)]
    there = [path for path, _ in files if path.exists()]
    if there:
        names = ", ".join(str(path) for path in there)
        raise WorkbenchError(f"already there: {names}", remedy="move them away, or choose another folder")
    folder.mkdir(parents=True, exist_ok=True)
    for path, text in files:
        path.write_text(text, encoding="utf-8")
    return tuple(path for path, _ in files)
