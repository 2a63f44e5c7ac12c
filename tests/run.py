"""Everything that must hold, from a bare checkout: `python3 tests/run.py`.

Makes `.venv` and installs the project and its test tools there, sees to a browser, then runs pytest, and
beside it ruff, mypy, import-linter and an audit of what is installed, whose reports follow. Arguments go to
pytest, which then runs alone: `python3 tests/run.py tests/formats`, or `-m slow` for the long ones that are
left out, most of whose claims others make as well. Needs only Python 3.11 or newer; brings everything else
itself.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
STAMP = VENV / "installed-for-tests"
# Where the packages of an extra are that cannot be installed beside the others.
APART = VENV / "citation"
DEBIANS_VENV = f"python3.{sys.version_info.minor}-venv"
# With their browsers and servers two keep two cores busy; a third prepares everything once more.
WORKERS = 2

# Thousands of small databases are written and thrown away: in memory, where there is room for them.
MEMORY = Path("/dev/shm")
ROOM_BYTES = 6 << 30

CHECKS = {
    "ruff check": [str(PYTHON), "-m", "ruff", "check"],
    "ruff format --check": [str(PYTHON), "-m", "ruff", "format", "--check"],
    "mypy": [str(PYTHON), "-m", "mypy"],
    "lint-imports": [str(PYTHON), str(VENV / "bin" / "lint-imports"), "--no-logo"],
    "audit": [str(PYTHON), "-m", "tests.audit"],
}
NOT_DONE = 75
"""How a check ends that could not be made: EX_TEMPFAIL of sysexits.h."""
# uv needs 10 s of processor where pip needs 57; what pip calls its sources, and what uv does.
PIP = [str(PYTHON), "-m", "pip", "--disable-pip-version-check"]
SOURCES = {
    "index-url": "UV_DEFAULT_INDEX",
    "extra-index-url": "UV_EXTRA_INDEX_URL",
    "find-links": "UV_FIND_LINKS",
    "cert": "SSL_CERT_FILE",
}
PYTEST = [str(PYTHON), "-m", "pytest"]
# What every Python is good at when it was compiled well: calls and attributes. The best of five.
LOOP = """
import ensurepip, time, venv
class Pair:
    def __init__(self, one): self.one = one
    def sum(self): return self.one + 1
def seconds():
    begun = time.process_time()
    for number in range(100_000): Pair(number).sum()
    return time.process_time() - begun
print(min(seconds() for _ in range(5)))
"""
# Once for all workers, each of which would otherwise compile everything: 3 s of processor for 12.
COMPILE = [str(PYTHON), "-m", "compileall", "-q", "-j", "0", "workbench", "tests"]
# Assertions that explain themselves cost each worker 13 s to prepare: what failed shows the variables of its
# functions instead, and is run again with them.
WITHOUT_WORDS = ["--assert", "plain", "--tb", "short", "--showlocals"]
# Of the generated examples half, which are others each time: 20 s of processor for 10. A file that is named,
# or `-m slow`, tries all.
FEWER_EXAMPLES = {"WORKBENCH_TEST_EXAMPLES": "0.5"}
AGAIN_WITH_WORDS = ["--last-failed", "--last-failed-no-failures", "none"]


def main(arguments: list[str]) -> int:
    """Prepare, run every stage even after one has failed, and say which did."""
    begun = time.monotonic()
    # Where Python is to keep nothing that it compiled, each of the many commands and servers that tests start
    # would compile all libraries anew: 5 s instead of 2.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    if "TMPDIR" not in os.environ and has_room(MEMORY):
        os.environ["TMPDIR"] = str(MEMORY)
    if sys.version_info < (3, 11):  # noqa: UP036 - whoever runs this has not installed anything yet
        return complain(f"this is Python {sys.version.split()[0]}; Workbench needs 3.11 or newer")
    # The programs that tests marked slow ask and read a release with, which the suite can do without.
    problem = prepare("test,forms,contract,provider" if "slow" in arguments else "test")
    if problem:
        return complain(problem)
    held: dict[str, bool | None] = {"browser": stage("browser", [str(PYTHON), "-m", "tests.browsers"])}
    if arguments:
        held["pytest"] = stage("pytest", [*PYTEST, *arguments])
    else:
        held |= check_everything()
    print(f"tests/run.py: {verdict(held)}; {time.monotonic() - begun:.0f} s in all", flush=True)
    return 1 if False in held.values() else 0


def verdict(held: dict[str, bool | None]) -> str:
    """In words what does not hold, and what could not be checked."""
    broken = [name for name, well in held.items() if well is False]
    undone = [name for name, well in held.items() if well is None]
    words = f"does not hold: {', '.join(broken)}" if broken else "everything holds"
    return f"{words}; not done: {', '.join(undone)}" if undone else words


def ended(status: int) -> bool | None:
    """Whether a check held, by how its process ended; None for one that could not be made."""
    return None if status == NOT_DONE else status == 0


def check_everything() -> dict[str, bool | None]:
    """Run pytest, and the checks one after another beside it; what held, by name, None if it was not done.

    The checks use one core at most, and tests that wait for a browser or a server leave theirs free.
    """
    # A worker that has done its part takes over what another has still before it.
    command = [*PYTEST, "-m", "not slow", "-n", str(WORKERS), "--dist", "worksteal", *WITHOUT_WORDS]
    with ThreadPoolExecutor(1) as beside:
        checks = {name: beside.submit(finished, check) for name, check in CHECKS.items()}
        stage("compile", COMPILE)
        held: dict[str, bool | None] = {"pytest": stage("pytest", command, FEWER_EXAMPLES | os.environ)}
    if not held["pytest"]:
        stage("what failed, once more and in words", [*PYTEST, *AGAIN_WITH_WORDS])
    for name, check in checks.items():
        done, seconds = check.result()
        held[name] = ended(done.returncode)
        words = {True: "ok", False: "BROKEN", None: "not done"}[held[name]]
        print(f"\n=== {name}\n{done.stdout}    {words}, {seconds:.0f} s", flush=True)
    return held


def has_room(folder: Path) -> bool:
    """Whether a folder is there, can be written to, and has room for what tests write."""
    try:
        return os.access(folder, os.W_OK) and shutil.disk_usage(folder).free >= ROOM_BYTES
    except OSError:
        return False


def finished(command: list[str]) -> tuple[subprocess.CompletedProcess[str], float]:
    """Run one command to its end; what it said and how many seconds it took."""
    begun = time.monotonic()
    done = subprocess.run(
        command,
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    return done, time.monotonic() - begun


def prepare(extras: str) -> str:
    """Make the environment and install into it where either is missing or out of date; a problem or ""."""
    if not works([str(PYTHON), "-m", "pip", "--version"]):
        problem = make_environment()
        if problem:
            return problem
    wanted = hashlib.sha256((ROOT / "pyproject.toml").read_bytes() + sys.version.encode()).hexdigest()
    # What was installed with more extras serves for fewer.
    if STAMP.is_file() and STAMP.read_text().startswith(f"{wanted} {extras}"):
        return ""
    STAMP.unlink(missing_ok=True)
    if not install(extras) or ("forms" in extras and not install_apart()):
        return "the project and its test tools could not be installed; pip says above why"
    STAMP.write_text(f"{wanted} {extras}")
    return ""


def install(extras: str) -> bool:
    """Install the project with these extras by uv, where there is one for this machine, or by pip."""
    what = ["--editable", f".[{extras}]"]
    if works([*PIP, "install", "--quiet", "uv"]):
        uv = [str(PYTHON), "-m", "uv", "pip", "install", "--quiet", "--python", str(PYTHON)]
        if stage("install", [*uv, *what], os.environ | pips_sources()):
            return True
    # Python compiles what is imported, a tenth of all this, by itself.
    return stage("install by pip", [*PIP, "install", "--quiet", "--no-compile", *what])


def install_apart() -> bool:
    """Install the extra `citation` into a folder of its own: it needs older versions than the others do."""
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    packages = wanted["project"]["optional-dependencies"][APART.name]
    shutil.rmtree(APART, ignore_errors=True)
    target = ["--quiet", "--no-compile", "--no-warn-conflicts", "--target", str(APART)]
    return stage("install apart", [*PIP, "install", *target, *packages])


def pips_sources() -> dict[str, str]:
    """Where pip was told to find packages, as uv's settings."""
    command = [*PIP, "config", "list"]
    listed = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    ).stdout
    settings = {"UV_INDEX_STRATEGY": "unsafe-best-match"}  # as pip: the newest of all sources
    for line in listed.splitlines():
        name, _, value = line.partition("=")
        key = SOURCES.get(name.rpartition(".")[2])
        if key and key not in os.environ:
            settings[key] = " ".join(str(ast.literal_eval(value)).split())
    return settings


def make_environment() -> str:
    """Create `.venv` anew; a problem or ""."""
    if importlib.util.find_spec("ensurepip") is None and not install_debians_venv():
        return f"this Python cannot make virtual environments; Debian and Ubuntu have {DEBIANS_VENV} for it"
    if not stage("environment", [fastest_python(), "-m", "venv", "--clear", str(VENV)]):
        return f"{VENV} could not be made; Python says above why"
    return ""


def fastest_python() -> str:
    """This Python, or where it is clearly slower another one of the same minor version on PATH.

    Those compiled at home without optimisation, as pyenv does it, take a tenth more for the whole suite.
    """
    name = f"python{sys.version_info.major}.{sys.version_info.minor}"
    places = [Path(folder, name) for folder in os.environ.get("PATH", "").split(os.pathsep)]
    others = [str(place) for place in places if place.is_file() and "shims" not in place.parts]
    needed = {python: loop_seconds(python) for python in dict.fromkeys([sys.executable, *others])}
    best = min(needed, key=needed.__getitem__)
    return best if needed[best] < 0.85 * needed[sys.executable] else sys.executable


def loop_seconds(python: str) -> float:
    """Seconds of processor that a Python needs for a loop, infinite where it can make no environments."""
    done = subprocess.run(
        [python, "-c", LOOP], capture_output=True, stdin=subprocess.DEVNULL, text=True, check=False
    )
    return float(done.stdout) if done.returncode == 0 else float("inf")


def install_debians_venv() -> bool:
    """Install what Debian keeps in a package of its own; whether that worked."""
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        return False
    os.environ["DEBIAN_FRONTEND"] = "noninteractive"
    stage("package lists", ["apt-get", "-qq", "update"])
    return stage(DEBIANS_VENV, ["apt-get", "-qq", "install", "-y", DEBIANS_VENV])


def stage(name: str, command: list[str], environment: dict[str, str] | None = None) -> bool:
    """Run one command under a heading, and say how long it took."""
    print(f"\n=== {name}", flush=True)
    begun = time.monotonic()
    done = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, check=False, env=environment)
    held = done.returncode == 0
    if name != "pytest":
        print(f"    {'ok' if held else 'BROKEN'}, {time.monotonic() - begun:.0f} s", flush=True)
    return held


def works(command: list[str]) -> bool:
    """Whether a command can be run and succeeds, silently."""
    try:
        return (
            subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False).returncode
            == 0
        )
    except OSError:
        return False


def complain(problem: str) -> int:
    """Say on the error stream why nothing could be run."""
    print(f"tests/run.py: {problem}", file=sys.stderr, flush=True)
    return 1


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
