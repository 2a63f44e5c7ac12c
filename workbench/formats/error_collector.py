"""The errors that a reader of a file collects, in the order of the lines, up to a limit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sized

from workbench.errors import Finding, InvalidInput
from workbench.figures import counted
from workbench.records import id_text

KEPT = 1000
MOST_NOTES = 20
SHOWN = 60


class ErrorCollector:
    """The errors found in one file: the first `KEPT` are listed, the rest are counted by kind."""

    def __init__(self, source: str) -> None:
        self.source = source
        self._found: list[Finding] = []
        self._counts: Counter[str] = Counter()
        self._notes: Counter[str] = Counter()

    def __bool__(self) -> bool:
        return bool(self._counts)

    @property
    def count(self) -> int:
        """How many errors there are, listed or not."""
        return self._counts.total()

    def add(
        self, line: int | None, code: str, message: str, remedy: str = "", *, column: int | None = None
    ) -> None:
        """Note one error of the kind `code`."""
        self._counts[code] += 1
        if self._counts[code] <= KEPT:
            self._found.append(Finding(self.source, line, code, message, remedy, column=column))

    def note(self, message: str) -> None:
        """Note what was decided for a record, which is no error; beyond MOST_NOTES kinds nothing new."""
        if message in self._notes or len(self._notes) < MOST_NOTES:
            self._notes[message] += 1

    def notes(self) -> list[str]:
        """The notes, each once, with the number of its records."""
        return [
            f"{self.source}: {message} ({counted(count, 'record')})" for message, count in self._notes.items()
        ]

    def findings(self) -> tuple[Finding, ...]:
        """The errors in the order of their lines; the last says how many more there are."""
        listed = sorted(self._found, key=lambda finding: finding.line or 0)[:KEPT]
        return (*listed, *self._unlisted(listed))

    def check(self) -> None:
        """Raise InvalidInput with all findings, if there are any."""
        if self._counts:
            raise InvalidInput(self.findings())

    def require(self, found: Sized, missing: str, remedy: str) -> None:
        """Raise InvalidInput if there are errors, or where nothing was found, which the message says."""
        if not found and not self:
            self.add(None, "empty", missing, remedy)
        self.check()

    def _unlisted(self, listed: list[Finding]) -> list[Finding]:
        rest = self._counts - Counter(finding.code for finding in listed)
        if not rest:
            return []
        kinds = ", ".join(f"{count:,} {code}" for code, count in sorted(rest.items()))
        errors = "1 more error is" if rest.total() == 1 else f"{rest.total():,} more errors are"
        message = f"{errors} not listed: {kinds}"
        return [Finding(self.source, None, "more", message, "fix those above and check again")]


def shown(value: str | bytes) -> str:
    """A value from a file as it can stand in a message: short, in quotes, without control characters."""
    text = value if isinstance(value, str) else id_text(value[: 4 * SHOWN])
    short = text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"
    return '"' + "".join(c if c.isprintable() else _escaped(c) for c in short) + '"'


def _escaped(character: str) -> str:
    code = ord(character)
    # U+DC80 to U+DCFF stand for bytes that were no UTF-8.
    return f"\\x{code - 0xDC00:02x}" if 0xDC80 <= code <= 0xDCFF else f"\\u{code:04x}"
