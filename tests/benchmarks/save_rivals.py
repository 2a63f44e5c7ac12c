"""The save path beside doccano and Label Studio: the same robots at each, one after the other, in one run.

`python -m tests.benchmarks.save_rivals --doccano PATH --label-studio PATH`, each the Python of an environment
with that program (`pip install doccano 'marshmallow<4' 'numpy<2'
'setuptools<81'`, `pip install label-studio`); nothing
is installed here. For 8 and for 32 robots without pause it tells judgments a second, milliseconds of a save
(median, 99th percentile), processor milliseconds of the server for each judgment, requests that failed, and
how many times their rate ours is. All three store in SQLite, in a fresh folder, and are started as their
manuals say: `doccano webserver` (gunicorn with two workers a processor and one more), `label-studio start`,
`workbench serve`. Every robot is a person of its own.

What a robot asks for one judgment, which is less than the pages of the rivals do:

- doccano: the next example, then the category, then that the example is confirmed. Its page asks for the
  categories, the example and the progress again. A save is the second and the third request.
- Label Studio: the next task, then the annotation. Its page stores drafts beside that.
- Workbench: twenty documents ahead for every twenty judgments, and the answer.

The clock begins when every robot has judged twice, or after a minute. A server that answers nobody for two
minutes is given up: what it had answered until then counts.

Usage reports and looks for newer versions are turned off.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import socket
import subprocess
import tempfile
import time
import urllib.request
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.benchmarks.crowd import figures
from tests.benchmarks.robots import Conversation, Robots, processor_seconds, request
from tests.benchmarks.save_path import load, text_of
from tests.benchmarks.signed_in import Person

DOCUMENTS = 200
TASKS = 1500
WARM = 2
WARM_SECONDS = 60
START_SECONDS = 300
SILENT_SECONDS = 120
GRADES = ("0", "1", "2", "3")
PASSWORD = "benchmark-password-1"


def main() -> None:
    """Measure all three, and say how many times the rate of each rival ours is."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--doccano", type=Path, metavar="PYTHON")
    parser.add_argument("--label-studio", type=Path, metavar="PYTHON")
    parser.add_argument("--robots", type=int, nargs="+", default=[8, 32])
    parser.add_argument("--seconds", type=float, default=15)
    given = parser.parse_args()
    kinds: list[tuple[type[Rival], Path | None]] = [
        (Doccano, given.doccano),
        (LabelStudio, given.label_studio),
    ]
    print("server        robots  a second   median    99 %   processor ms  failed     saves  ours / its rate")
    for robots in given.robots:
        rates = {}
        for kind, python in kinds:
            if python is None:
                continue
            with tempfile.TemporaryDirectory(prefix="save-rivals-") as folder:
                found = kind(python.absolute(), Path(folder)).measured(robots, given.seconds)
            rates[kind.NAME] = found.rate
            _tell(kind.NAME, robots, found)
        own = load("sqlite", robots, given.seconds)
        ours = Measured(own.saving, own.seconds, own.processor_ms, own.wrong)
        ratios = [
            f"{ours.rate / rate:.0f} {name}" if rate else f"{name} saved none" for name, rate in rates.items()
        ]
        _tell("Workbench", robots, ours, ", ".join(ratios))


@dataclass(slots=True)
class Measured:
    """Seconds of each save, seconds in all, the server's processor time for a judgment, what failed."""

    saving: list[float] = field(default_factory=list)
    seconds: float = 0.0
    processor_ms: float = 0.0
    failed: list[str] = field(default_factory=list)

    @property
    def rate(self) -> float:
        """Judgments a second."""
        return len(self.saving) / self.seconds


def _tell(name: str, robots: int, found: Measured, ratios: str = "") -> None:
    saved = figures(found.saving)
    print(
        f"{name:<14}{robots:>6}{found.rate:>10.1f}{saved.median:>9.1f}{saved.p99:>8.1f}"
        f"{found.processor_ms:>15.2f}{len(found.failed):>8}{len(found.saving):>10}  {ratios}",
        flush=True,
    )
    for each in dict.fromkeys(found.failed[:100]):
        print(f"  {each[:200]}")


class Rival(ABC):
    """Another program that stores labels, in an environment of its own."""

    NAME: str
    READY: str
    """A page that answers once the program does."""

    def __init__(self, python: Path, folder: Path) -> None:
        self.python = python
        self.folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = int(free.getsockname()[1])
        self.found = Measured()
        self._begin = self._end = float("inf")
        self._judged: dict[int, int] = {}

    @abstractmethod
    def prepare(self) -> None:
        """Make the database where starting does not."""

    @abstractmethod
    def command(self) -> Sequence[str | Path]:
        """What starts it."""

    @abstractmethod
    def fill(self, robots: int) -> Sequence[Person]:
        """Make a project with documents, and people who may label them."""

    @abstractmethod
    def judge(self, number: int, person: Person) -> Conversation:
        """What a person's robot asks until the time is up."""

    def measured(self, robots: int, seconds: float) -> Measured:
        """Start it, let robots judge for so many seconds, and end it."""
        self.prepare()
        with self._running():
            people = self.fill(robots)
            self._judged = dict.fromkeys(range(robots), 0)
            used, first = processor_seconds(str(self.folder)), time.perf_counter()

            def begin_once_warm() -> None:
                nonlocal used
                warm = min(self._judged.values()) >= WARM or time.perf_counter() > first + WARM_SECONDS
                if self._begin == float("inf") and warm:
                    used, self._begin = processor_seconds(str(self.folder)), time.perf_counter()
                    self._end = self._begin + seconds

            line = Robots(("127.0.0.1", self.port), silent_seconds=SILENT_SECONDS)
            try:
                line.converse([self.judge(number, one) for number, one in enumerate(people)], begin_once_warm)
            except RuntimeError as error:
                self.found.failed.append(str(error))
            self.found.failed += line.wrong
            self.found.seconds = time.perf_counter() - min(self._begin, first + WARM_SECONDS)
            used = processor_seconds(str(self.folder)) - used
            self.found.processor_ms = 1000 * used / max(len(self.found.saving), 1)
        return self.found

    @property
    def going(self) -> bool:
        """Whether there is time left."""
        return time.perf_counter() < self._end

    def saved(self, number: int, begun: float) -> None:
        """A robot's judgment was stored just now."""
        self._judged[number] += 1
        if self._begin < begun:
            self.found.saving.append(time.perf_counter() - begun)

    def failed(self, number: int, what: str) -> None:
        """A robot's judgment was not stored; it goes on with the next."""
        self._judged[number] += 1
        if self._begin < float("inf"):
            self.found.failed.append(what)

    def environment(self) -> dict[str, str]:
        """The environment of its processes; the folder in it tells which are its own."""
        kept = {name: value for name, value in os.environ.items() if name in {"PATH", "LANG"}}
        return kept | {"HOME": str(self.folder)}

    def run(self, *words: str | Path) -> None:
        """Run a command of it to its end; raises CalledProcessError where it fails."""
        with (self.folder / "setup.log").open("ab") as log:
            subprocess.run(words, env=self.environment(), stdout=log, stderr=log, check=True)

    @contextmanager
    def _running(self) -> Iterator[None]:
        log = self.folder / "server.log"
        with log.open("wb") as output:
            process = subprocess.Popen(
                self.command(), env=self.environment(), cwd=self.folder, stdin=subprocess.DEVNULL,
                stdout=output, stderr=output, start_new_session=True,
            )  # fmt: skip
        try:
            self._wait(process, log)
            yield
        finally:
            os.killpg(process.pid, signal.SIGTERM)
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()

    def _wait(self, process: subprocess.Popen[bytes], log: Path) -> None:
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end and process.poll() is None:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{self.port}{self.READY}", timeout=10).close()
                return
            except OSError:
                time.sleep(0.3)
        raise RuntimeError(f"{self.NAME} did not start:\n{log.read_text()[-2000:]}")


class Doccano(Rival):
    """doccano: a project of text classification with one class for each document."""

    NAME = "doccano"
    READY = "/admin/login/"

    def prepare(self) -> None:
        """Make the database and its administrator."""
        self.run(self._program, "init")
        self.run(self._program, "createuser", "--username", "admin", "--password", PASSWORD)

    def command(self) -> Sequence[str | Path]:
        """Its web server; documents are not loaded by a task, so no task queue runs."""
        return self._program, "webserver", "--port", str(self.port)

    @property
    def _program(self) -> Path:
        return self.python.parent / "doccano"

    def _person(self, name: str) -> Person:
        person = Person(f"http://127.0.0.1:{self.port}")
        person.ask("/v1/auth/login/", {"username": name, "password": PASSWORD})
        return person

    def fill(self, robots: int) -> Sequence[Person]:
        """All people have all documents; each begins at another."""
        admin = self._person("admin")
        asked = {"name": "p", "project_type": "DocumentClassification", "description": "-", "guideline": "-"}
        asked |= {"resourcetype": "TextClassificationProject"}
        self._project = admin.ask("/v1/projects", asked | {"single_class_classification": True})["id"]
        of_project = f"/v1/projects/{self._project}"
        types = [
            admin.ask(f"{of_project}/category-types", {"text": grade, "background_color": "#2196F3"})
            for grade in GRADES
        ]
        self._labels = [one["id"] for one in types]
        for number in range(DOCUMENTS):
            admin.ask(f"{of_project}/examples", {"text": text_of(number), "meta": {}})
        role = next(one["id"] for one in admin.ask("/v1/roles") if one["name"] == "annotator")
        names = [f"robot-{number}" for number in range(robots)]
        for name in names:
            passwords = {"password1": PASSWORD, "password2": PASSWORD}
            made = admin.ask("/v1/users/create", {"username": name, **passwords})
            admin.ask(f"{of_project}/members", {"user": made["id"], "role": role})
        self._apart = DOCUMENTS // robots
        return [self._person(name) for name in names]

    def judge(self, number: int, person: Person) -> Conversation:
        """The next example, its category, and that it is confirmed."""
        of_project, head = f"/v1/projects/{self._project}", person.head
        place = 0
        while self.going:
            if place == DOCUMENTS:
                raise ValueError("all documents are judged: fewer seconds, or more documents")
            offset = (number * self._apart + place) % DOCUMENTS
            place += 1
            query = f"limit=1&offset={offset}&confirmed=&ordering=&q="
            answer = yield request("GET", f"{of_project}/examples?{query}", head)
            if answer.status != 200:
                self.failed(number, f"next: {answer.status}")
                continue
            example = json.loads(answer.body)["results"][0]["id"]
            begun = time.perf_counter()
            sent = json.dumps({"label": self._labels[place % len(GRADES)]}).encode()
            answer = yield request("POST", f"{of_project}/examples/{example}/categories", head, sent)
            if answer.status != 201:
                self.failed(number, f"category: {answer.status}")
                continue
            answer = yield request("POST", f"{of_project}/examples/{example}/states", head, b"{}")
            if answer.status == 201:
                self.saved(number, begun)
            else:
                self.failed(number, f"confirmed: {answer.status}")


class LabelStudio(Rival):
    """Label Studio: a project of text classification with one choice for each document."""

    NAME = "Label Studio"
    READY = "/health"

    def environment(self) -> dict[str, str]:
        """Without reports of usage and looks for newer versions."""
        off = {"COLLECT_ANALYTICS": "false", "LATEST_VERSION_CHECK": "false", "SENTRY_DSN": ""}
        return super().environment() | off | {"FRONTEND_SENTRY_DSN": ""}

    def prepare(self) -> None:
        """Nothing: it makes its database when it starts."""

    def command(self) -> Sequence[str | Path]:
        """The server that its manual starts, with a first user."""
        words = ["start", "--no-browser", "--port", str(self.port), "--internal-host", "127.0.0.1"]
        words += ["--data-dir", str(self.folder / "data"), "--username", "admin@example.com"]
        return self.python.parent / "label-studio", *words, "--password", PASSWORD

    def _person(self, name: str, page: str) -> Person:
        person = Person(f"http://127.0.0.1:{self.port}")
        person.ask(f"/user/{page}/")
        person.ask(f"/user/{page}/", {"email": f"{name}@example.com", "password": PASSWORD}, form=True)
        person.ask("/api/current-user/whoami")
        return person

    def fill(self, robots: int) -> Sequence[Person]:
        """Every task is for one person: whoever asks gets the next that nobody has."""
        admin = self._person("admin", "login")
        choices = "".join(f'<Choice value="{grade}"/>' for grade in GRADES)
        config = (
            f'<View><Text name="t" value="$text"/><Choices name="c" toName="t">{choices}</Choices></View>'
        )
        self._project = admin.ask("/api/projects/", {"title": "benchmark", "label_config": config})["id"]
        for begin in range(0, TASKS, 250):
            tasks = [{"text": text_of(number)} for number in range(begin, begin + 250)]
            admin.ask(f"/api/projects/{self._project}/import", tasks)
        return [self._person(f"robot-{number}", "signup") for number in range(robots)]

    def judge(self, number: int, person: Person) -> Conversation:
        """The next task, and its annotation."""
        head, place = person.head, 0
        while self.going:
            place += 1
            answer = yield request("GET", f"/api/projects/{self._project}/next/", head)
            if answer.status != 200:
                self.failed(number, f"next: {answer.status}")
                continue
            task = json.loads(answer.body)["id"]
            begun = time.perf_counter()
            choice = {"choices": [GRADES[place % len(GRADES)]]}
            said = {"from_name": "c", "to_name": "t", "type": "choices", "value": choice}
            sent = json.dumps({"lead_time": 0.9, "result": [said]}).encode()
            path = f"/api/tasks/{task}/annotations/?project={self._project}"
            answer = yield request("POST", path, head, sent)
            if answer.status == 201:
                self.saved(number, begun)
            else:
                self.failed(number, f"annotation: {answer.status}")


if __name__ == "__main__":
    main()
