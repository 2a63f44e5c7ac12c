"""Where `workbench serve` listens, and what it says of its data."""

from __future__ import annotations

import socket
from dataclasses import replace
from pathlib import Path

import pytest

from workbench.cli.serve import print_address, usable_port
from workbench.errors import WorkbenchError
from workbench.settings import read_settings


def test_a_port_that_is_taken_is_refused_or_exchanged() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = int(taken.getsockname()[1])
        with pytest.raises(WorkbenchError, match=str(port)) as refused:
            usable_port("127.0.0.1", port)
        assert "--port" in refused.value.remedy
        another = usable_port("127.0.0.1", port, or_another=True)
    assert another not in {0, port}
    assert usable_port("127.0.0.1", another) == another


def test_an_address_of_another_machine_cannot_be_used() -> None:
    # Of the block for documentation (RFC 5737); with no port to exchange, nothing else is tried.
    with pytest.raises(WorkbenchError, match=r"192\.0\.2\.1"):
        usable_port("192.0.2.1", 0, or_another=True)


@pytest.mark.parametrize(
    ("host", "database", "address", "data"),
    [
        ("::1", "sqlite:////srv/w.sqlite3", "http://[::1]:80/judge", "/srv/w.sqlite3"),
        ("h", "postgresql://u:secret@db/w", "http://h:80/judge", "db/w"),
    ],
)
def test_the_address_and_the_data_are_said_without_a_password(
    capsys: pytest.CaptureFixture[str], host: str, database: str, address: str, data: str
) -> None:
    settings = replace(read_settings({}, instance=Path("nowhere")), database_url=database, prefix="/judge")
    print_address(host, 80, settings)
    said = capsys.readouterr().out
    assert said.splitlines()[:2] == [f"Workbench serves {address}", f"Data: {data}"]
    assert "secret" not in said
