"""Each paper is walked through by the program that reads it, as far as this machine has that program."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from tests.browser.people import demo_instance
from tests.deployment.programs import caddy, free_port, nginx, program, status
from tests.servers import running_server
from tests.tree import ROOT, copy_project
from workbench.deployment.papers import PAPERS, Deployment, filled_in, write_paper

pytestmark = pytest.mark.slow
PREFIX = "/workbench"
# Of 10, by `systemd-analyze security`; a service without any of these lines has 9.6.
MOST_EXPOSED = 2.0


@pytest.mark.parametrize("name", ["workbench.service", "workbench-backup.service", "workbench-backup.timer"])
def test_systemd_finds_nothing_wrong_with_a_unit(name: str, tmp_path: Path) -> None:
    analyse = program("systemd-analyze")
    write_paper(PAPERS["systemd"], Deployment(prefix=PREFIX), tmp_path)
    for unit in tmp_path.glob("*.service"):
        # The one part of the machine that is not this one.
        unit.write_text(unit.read_text().replace("/usr/local/lib/workbench/bin/workbench", sys.executable))
    checked = subprocess.run([analyse, "verify", str(tmp_path / name)], capture_output=True, text=True)
    assert (checked.returncode, checked.stderr) == (0, "")


@pytest.mark.parametrize("name", ["workbench.service", "workbench-backup.service"])
def test_a_service_may_do_little(name: str, tmp_path: Path) -> None:
    analyse = program("systemd-analyze")
    write_paper(PAPERS["systemd"], Deployment(), tmp_path)
    told = subprocess.run(
        [analyse, "security", "--offline=yes", str(tmp_path / name)], capture_output=True, text=True
    )
    (exposed,) = re.findall(r"exposure level for \S+: ([0-9.]+)", told.stdout)
    assert float(exposed) <= MOST_EXPOSED


def test_the_server_asks_the_system_for_nothing_that_its_unit_refuses(tmp_path: Path) -> None:
    allowed = _system_calls("@system-service")
    counted = tmp_path / "calls"
    demo_instance(tmp_path / "instance")
    trace = [program("strace"), "--follow-forks", "--summary-only", "--output", str(counted)]
    server = [sys.executable, "-m", "workbench", "serve", "--port", "0", "--instance"]
    with running_server(
        [*trace, *server, str(tmp_path / "instance")], log=tmp_path / "log", folder=ROOT
    ) as at:
        assert status(f"{at}/sign-in") == 200
    used = {line.split()[-1] for line in counted.read_text().splitlines()[2:-2]}
    assert "setpriority" in allowed
    assert len(used) > 30
    assert used <= allowed


def _system_calls(group: str) -> set[str]:
    told = subprocess.run(
        [program("systemd-analyze"), "syscall-filter", group], capture_output=True, text=True
    )
    found = {line.strip() for line in told.stdout.splitlines()[1:] if not line.strip().startswith("#")} - {""}
    inner = {name for name in found if name.startswith("@")}
    return found - inner | {call for one in inner for call in _system_calls(one)}


@pytest.mark.parametrize("prefix", ["", PREFIX], ids=["root", "prefix"])
@pytest.mark.parametrize("proxy", [nginx, caddy], ids=["nginx", "caddy"])
def test_a_proxy_with_its_paper_leads_to_the_server(
    proxy: Callable[[Path, Deployment], AbstractContextManager[str]], prefix: str, tmp_path: Path
) -> None:
    port = free_port()
    site = Deployment(host="localhost", prefix=prefix, port=port)
    environment = {"WORKBENCH_PREFIX": prefix, "WORKBENCH_PROXIES": "1", "WORKBENCH_HOSTS": "localhost"}
    server = [sys.executable, "-m", "workbench", "serve", "--port", str(port), "--instance"]
    instance = str(demo_instance(tmp_path / "instance"))
    with (
        running_server([*server, instance], log=tmp_path / "log", folder=ROOT, environment=environment),
        proxy(tmp_path, site) as address,
    ):
        for path in ("/sign-in", "/healthz", "/static/workbench.css", "/api/v1/openapi.json"):
            assert (path, status(address + path)) == (path, 200)
        assert status(f"{address}/metrics") == 404
        beside = status(f"http://localhost:{port}/sign-in")
        assert beside == (404 if prefix else 200)
        assert status(f"http://localhost:{port}/healthz") == 200


def test_the_container_is_built_and_run_step_by_step(tmp_path: Path) -> None:
    # No builder is asked: each instruction is done in a folder instead, with what the environment of the
    # tests has in place of what pip would fetch.
    files = dict(filled_in(PAPERS["container"], Deployment(port=free_port())))
    steps = re.findall(r"^([A-Z]+) (.+)$", files["Containerfile"], re.MULTILINE)
    source = copy_project(tmp_path / "source")
    built, work, root = tmp_path / "lib", tmp_path / "src", "/usr/local/lib/workbench"
    data = tmp_path / "data"
    environment: dict[str, str] = {"PIP_NO_DEPS": "1", "PIP_NO_INDEX": "1", "PIP_NO_BUILD_ISOLATION": "0"}
    command: list[str] = []

    def here(text: str) -> str:
        return text.replace(root, str(built)).replace("/data", str(data)).replace("$PATH", os.environ["PATH"])

    work.mkdir()
    for name, text in steps:
        if name == "COPY" and not text.startswith("--from"):
            *sources, target = text.split()
            for each in sources:
                inside = work / target if (source / each).is_dir() else work / target / each
                (shutil.copytree if (source / each).is_dir() else shutil.copy)(source / each, inside)
        elif name == "RUN":
            if "--owner" in text and os.geteuid() != 0:
                pytest.skip("only root gives a folder to another user")
            done = shlex.split(here(text))
            if done[0] == "python":
                done[0] = sys.executable
            run = subprocess.run(done, cwd=work, env=os.environ | environment, capture_output=True, text=True)
            assert run.returncode == 0, run.stdout + run.stderr
            if done[1:3] == ["-m", "venv"]:
                (packages,) = built.glob("lib/python*/site-packages")
                (packages / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n")
        elif name == "ENV":
            variable, _, value = here(text).partition("=")
            environment[variable] = value
        elif name in {"ENTRYPOINT", "CMD"}:
            command += json.loads(text)
        elif name == "HEALTHCHECK":
            health = json.loads(text[text.index("[") :])
    assert (data.stat().st_mode & 0o777, data.stat().st_uid) == (0o700, 10001)
    command[0] = str(built / "bin" / command[0])
    port = command[command.index("--port") + 1]
    # The log names every address of this machine, 0.0.0.0; the tests wait for this one.
    command[command.index("--host") + 1] = "127.0.0.1"
    with running_server(command, log=tmp_path / "log", folder=tmp_path, environment=environment):
        assert status(f"http://127.0.0.1:{port}/welcome") == 200
        health[0] = str(built / "bin" / health[0])
        assert subprocess.run(health, check=False).returncode == 0
    assert subprocess.run(health, check=False, capture_output=True).returncode == 1
    assert (data / "workbench.sqlite3").is_file()
