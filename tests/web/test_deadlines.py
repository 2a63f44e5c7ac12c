"""Deadlines: one timer ends what takes too long, and nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest

from workbench.web import deadlines
from workbench.web.deadlines import within


async def _waits(seconds: float) -> str:
    try:
        with within(seconds):
            await asyncio.Event().wait()
    except TimeoutError:
        return "timed out"
    return "went on"


def run(work: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(asyncio.wait_for(work, 20))


def test_each_ends_at_its_own_time_whichever_began_first() -> None:
    ended: list[float] = []

    async def one(seconds: float) -> None:
        assert await _waits(seconds) == "timed out"
        ended.append(seconds)

    async def several() -> None:
        await asyncio.gather(*(one(seconds) for seconds in (0.06, 0.02, 0.1, 0.0)))

    run(several())
    assert ended == [0.0, 0.02, 0.06, 0.1]


def test_what_ends_in_time_is_left_alone_and_one_timer_watches_all() -> None:
    async def several() -> None:
        loop = asyncio.get_running_loop()
        for _ in range(3):
            with within(0.03):
                pass
        watch = deadlines._WATCHES[loop]
        timer = watch._timer
        with within(30):
            assert watch._timer is timer
        await asyncio.sleep(0.06)
        # Nobody waits, so no timer is set.
        assert watch._timer is None
        task = asyncio.current_task()
        assert task is not None
        assert task.cancelling() == 0

    run(several())


def test_who_is_cancelled_by_somebody_else_is_told_that() -> None:
    async def cancelled() -> None:
        task = asyncio.create_task(_waits(30))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    run(cancelled())


def test_an_error_in_time_is_not_hidden_and_deadlines_may_be_nested() -> None:
    async def nested() -> None:
        with pytest.raises(ZeroDivisionError), within(30):
            raise ZeroDivisionError
        with pytest.raises(TimeoutError), within(0.01):
            assert await _waits(30) == "never"

    run(nested())


def test_a_deadline_needs_a_task() -> None:
    with pytest.raises(RuntimeError, match="no running event loop"):
        within(1)
