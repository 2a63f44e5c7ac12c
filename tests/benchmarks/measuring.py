"""Programs measured as whole processes, in turn: seconds and peak memory of each, and what they print."""

from __future__ import annotations

import os
import resource
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.support import ROOT

# ru_maxrss is in KiB on Linux.
_UNITS_PER_MEBIBYTE = 1024


@dataclass(frozen=True, slots=True)
class Program:
    """A program by its name and the beginning of its command line."""

    name: str
    command: tuple[str, ...]


@dataclass(slots=True)
class Measured:
    """What the rounds of a program took, and the lines that it printed in the last."""

    name: str
    seconds: list[float] = field(default_factory=list)
    cpu_seconds: list[float] = field(default_factory=list)
    mebibytes: list[float] = field(default_factory=list)
    printed: bytes = b""
    failure: str = ""

    @property
    def least(self) -> float:
        """The least of the seconds: what the program takes when others leave it alone."""
        return min(self.seconds)

    @property
    def cpu(self) -> float:
        """The least of the processor's seconds, all threads and the system's part together."""
        return min(self.cpu_seconds)

    @property
    def memory(self) -> str:
        """The highest peak of memory in MiB; less than this process has itself cannot be seen."""
        own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / _UNITS_PER_MEBIBYTE
        most = max(self.mebibytes)
        return f"{most:.0f}" if most > own else f"<{own:.0f}"


def compare(programs: Sequence[Program], arguments: Sequence[str], rounds: int) -> list[Measured]:
    """Run every program with these arguments, in each round one after the other.

    There is one round more than `rounds`, the first, which is not counted. A program that fails is not run
    again; its failure is the last line of its error stream.
    """
    results = [Measured(program.name) for program in programs]
    with tempfile.TemporaryDirectory() as kept:
        # Compiled modules are kept, as they are of whatever is installed, but not among the project's files.
        environment = os.environ | {"PYTHONPYCACHEPREFIX": kept}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        for number in range(rounds + 1):
            for program, result in zip(programs, results, strict=True):
                if not result.failure:
                    _run([*program.command, *arguments], environment, result, counted=number > 0)
    return results


def _run(command: list[str], environment: dict[str, str], result: Measured, *, counted: bool) -> None:
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        begun = time.perf_counter()
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=output, stderr=errors)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - begun
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        errors.seek(0)
        if process.returncode:
            said = errors.read().decode(errors="replace").splitlines()
            result.failure = said[-1] if said else f"exit code {process.returncode}"
        elif counted:
            result.seconds.append(seconds)
            result.cpu_seconds.append(usage.ru_utime + usage.ru_stime)
            result.mebibytes.append(usage.ru_maxrss / _UNITS_PER_MEBIBYTE)
            result.printed = output.read()
