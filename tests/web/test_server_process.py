"""A worker process ends with its supervisor, which may have been killed."""

from __future__ import annotations

import os
import signal
import time

import pytest

from workbench.web import server_process


class Gone(BaseException):
    """The process has ended."""


def test_a_process_without_its_supervisor_ends_in_order_and_then_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    did: list[tuple[str, object]] = []
    parents = [7, 7, 1]

    def exit_now(code: int) -> None:
        did.append(("exit", code))
        raise Gone

    monkeypatch.setattr(os, "getppid", lambda: parents.pop(0))
    monkeypatch.setattr(os, "kill", lambda _, number: did.append(("kill", number)))
    monkeypatch.setattr(os, "_exit", exit_now)
    monkeypatch.setattr(time, "sleep", lambda seconds: did.append(("sleep", seconds)))
    with pytest.raises(Gone):
        server_process._end_without(7)
    look, last = server_process.LOOK_SECONDS, server_process.LAST_SECONDS
    assert did == [
        ("sleep", look), ("sleep", look), ("kill", signal.SIGTERM), ("sleep", last), ("exit", 1),
    ]  # fmt: skip
