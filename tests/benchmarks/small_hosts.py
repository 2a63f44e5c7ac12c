"""Processes that get only a part of a processor, as on hosts smaller than this one: control groups of Linux.

Where a single process leaves a machine's processors busy, a second one cannot show that it adds anything.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

GROUPS = Path("/sys/fs/cgroup")
PERIOD = 20_000
"""Microseconds: a process that has used its part waits for the next of these."""


@contextmanager
def limited(processes: Sequence[int], percent: int) -> Iterator[None]:
    """Let each process use so many percent of one processor until the end.

    Raises SystemExit where this machine has no control groups, or this account may not use them.
    """
    # The first version of control groups has a folder for each resource.
    first = (GROUPS / "cpu").is_dir()
    folder = GROUPS / "cpu" if first else GROUPS
    made: list[Path] = []
    try:
        for process in processes:
            group = folder / f"workbench-{os.getpid()}-{process}"
            group.mkdir()
            made.append(group)
            used = PERIOD * percent // 100
            if first:
                (group / "cpu.cfs_period_us").write_text(str(PERIOD))
                (group / "cpu.cfs_quota_us").write_text(str(used))
            else:
                (group / "cpu.max").write_text(f"{used} {PERIOD}")
            (group / "cgroup.procs").write_text(str(process))
        yield
    except OSError as error:
        raise SystemExit(f"--share needs root on Linux with control groups: {error}") from error
    finally:
        for group in made:
            for limited_one in (group / "cgroup.procs").read_text().split():
                (folder / "cgroup.procs").write_text(limited_one)
            group.rmdir()


def workers(tag: str) -> list[int]:
    """The processes in whose environment a tag stands, and in that of the one that started them."""
    found = {}
    for process in Path("/proc").iterdir():
        if not process.name.isdigit() or int(process.name) == os.getpid():
            continue
        try:
            if tag.encode() in (process / "environ").read_bytes():
                stat = (process / "stat").read_text().rpartition(")")[2].split()
                found[int(process.name)] = int(stat[1])
        except OSError:
            continue
    return sorted(process for process, parent in found.items() if parent in found)
