"""The papers by which the server is run for others: whole, for every site, and of settings that there are."""

from __future__ import annotations

import re
import shlex
from importlib import resources
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from tests.tree import ROOT
from workbench.cli.deploy import command
from workbench.cli.serve import command as serve
from workbench.deployment.papers import PAPERS, Deployment, Paper, filled_in, write_paper
from workbench.errors import WorkbenchError
from workbench.help.generated import VARIABLES
from workbench.settings import read_settings

SITES = (Deployment(), Deployment(host="trec.example.org", prefix="/judge/2026", port=9001))


def texts(paper: str, site: Deployment = SITES[0]) -> dict[str, str]:
    return dict(filled_in(PAPERS[paper], site))


@pytest.mark.parametrize("site", SITES, ids=["root", "prefix"])
@pytest.mark.parametrize("paper", PAPERS.values(), ids=str)
def test_every_file_is_filled_in(paper: Paper, site: Deployment) -> None:
    for text in dict(filled_in(paper, site)).values():
        assert text.endswith("\n")
        assert "{{" not in text
        assert "{%" not in text
    whole = "".join(dict(filled_in(paper, site)).values())
    assert str(site.port) in whole
    assert paper.name == "container" or (site.host in whole and site.prefix in whole)


def test_no_file_is_in_no_paper() -> None:
    folder = resources.files("workbench.deployment") / "files"
    assert {file.name for file in folder.iterdir()} == {name for one in PAPERS.values() for name in one.files}


def test_every_variable_that_a_paper_sets_is_a_setting() -> None:
    known = {one.name for one in VARIABLES}
    found = {
        name
        for paper in PAPERS
        for text in texts(paper).values()
        for name in re.findall(r"\bWORKBENCH_[A-Z_]+", text)
    }
    assert "WORKBENCH_HOSTS" in found
    assert found <= known


def test_the_environment_file_is_read_as_the_site_that_was_asked_for() -> None:
    lines = texts("systemd", SITES[1])["workbench.env"].splitlines()
    given = dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))
    settings = read_settings(given)
    assert (settings.hosts, settings.prefix, settings.behind_proxy) == (
        ("trec.example.org",),
        "/judge/2026",
        1,
    )


@pytest.mark.parametrize("paper", ["systemd", "container"])
def test_the_server_is_started_with_options_that_it_has(paper: str) -> None:
    whole = texts(paper, SITES[1])
    if paper == "systemd":
        (line,) = re.findall(r"^ExecStart=\S+ serve (.*)$", whole["workbench.service"], re.MULTILINE)
        words = shlex.split(line)
    else:
        (line,) = re.findall(r"^CMD \[(.*)\]$", whole["Containerfile"], re.MULTILINE)
        words = [word.strip(' "') for word in line.split(",")][1:]
    parsed = serve.make_context("serve", [*words]).params
    assert parsed["port"] == 9001


def test_the_container_copies_what_is_there_and_what_is_not_ignored() -> None:
    whole = texts("container")
    sources = [
        source
        for line in re.findall(r"^COPY (?!--from)(.*)$", whole["Containerfile"], re.MULTILINE)
        for source in line.split()[:-1]
    ]
    assert [name for name in sources if not (ROOT / name).exists()] == []
    let_in = {line[1:] for line in whole["Containerfile.dockerignore"].splitlines() if line.startswith("!")}
    assert set(sources) == let_in


def test_compose_keeps_the_database_to_itself_and_its_password_out_of_the_file() -> None:
    parsed = yaml.safe_load(texts("compose", SITES[1])["compose.yaml"])
    services = parsed["services"]
    assert services["db"]["networks"] == ["inside"]
    assert parsed["networks"]["inside"] == {"internal": True}
    assert [name for name, one in services.items() if "ports" in one] == ["proxy"]
    assert services["db"]["environment"]["POSTGRES_PASSWORD"].startswith("${POSTGRES_PASSWORD:?")
    settings = read_settings(services["web"]["environment"])
    assert (settings.hosts, settings.prefix) == (("trec.example.org",), "/judge/2026")
    assert settings.database_url == "postgresql://workbench@db/workbench"
    named = {volume.split(":")[0] for one in services.values() for volume in one["volumes"]}
    assert {name for name in named if not name.startswith(".")} == parsed["volumes"].keys()


def test_the_proxy_of_compose_finds_the_server_by_its_name() -> None:
    assert "reverse_proxy web:9001" in texts("compose", SITES[1])["Caddyfile"]
    assert "reverse_proxy 127.0.0.1:9001" in texts("caddy", SITES[1])["Caddyfile"]


@pytest.mark.parametrize("host", ["a b", "x;}", "", "-x", "x\ny"])
def test_a_host_that_is_no_name_is_refused(host: str) -> None:
    with pytest.raises(WorkbenchError, match="host name"):
        Deployment(host=host)


def test_no_file_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "workbench.env").write_text("mine")
    with pytest.raises(WorkbenchError, match=r"workbench\.env"):
        write_paper(PAPERS["systemd"], SITES[0], tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["workbench.env"]


def test_the_command_prints_a_paper_or_writes_it(tmp_path: Path) -> None:
    printed = CliRunner().invoke(command, ["nginx", "--prefix", "judge/"])
    assert printed.output.rstrip() == texts("nginx", Deployment(prefix="/judge"))["workbench.conf"].rstrip()
    done = CliRunner().invoke(command, ["systemd", "--to", str(tmp_path / "new")])
    assert done.exit_code == 0
    assert {path.name for path in (tmp_path / "new").iterdir()} == set(PAPERS["systemd"].files)
