"""What commands share: options, and what they print: tables for people, JSON, CSV, LaTeX, findings."""

from __future__ import annotations

import errno
import io
import json
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from enum import StrEnum
from functools import partial, wraps
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TextIO, TypeVar

import click
from click.core import ParameterSource

from workbench.errors import Finding, InvalidInput, WorkbenchError, finding_to_json
from workbench.records import TieRule

if TYPE_CHECKING:
    from _typeshed import DataclassInstance
    from rich.progress import Progress

    from workbench.tables import Export


REFUSED = 1
COLLECTED_IN_MEMORY = 1024**2
# Controls, line and paragraph separators, and what turns the direction of the text behind it.
_STEERING = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
Item = TypeVar("Item")
Rows = Iterable[Sequence[object]]
Word = TypeVar("Word", bound=StrEnum)


class OutputFailed(WorkbenchError):
    """What a command printed could not be written."""


@contextmanager
def standard_output() -> Iterator[None]:
    """Whatever is printed meanwhile is written by the end; raises OutputFailed where it cannot be.

    A reader that left, as `head` does, has what it wanted: the exit code is 1, and nothing is said.
    """
    if sys.stdout is None:
        sys.stdout = io.TextIOWrapper(io.BufferedWriter(_Closed()), encoding="utf-8")
    try:
        try:
            yield
        except SystemExit:
            sys.stdout.flush()
            raise
        except Exception:
            # It is told by whoever catches it, whether or not what was printed before can still be written.
            try:
                sys.stdout.flush()
            except OSError:
                sys.stdout = _nowhere()
            raise
        sys.stdout.flush()
    except OSError as error:
        # The interpreter would try once more as it ends, and complain.
        sys.stdout = _nowhere()
        if error.errno == errno.EPIPE:
            raise SystemExit(REFUSED) from error
        if error.filename is not None:
            raise WorkbenchError(f"{error.filename}: {error.strerror}") from error
        message = f"the output cannot be written: {error.strerror or error}"
        raise OutputFailed(message, remedy="write it to another place: the output is incomplete") from error


class _Closed(io.RawIOBase):
    """The standard output of a process that was started without one."""

    def writable(self) -> bool:
        return True

    def write(self, data: object, /) -> int:
        raise OSError(errno.EBADF, "the standard output is closed")


def announce(text: str) -> None:
    """Print a line that nobody needs to read: a server goes on where its output leads nowhere."""
    try:
        click.echo(text)
    except OSError:
        sys.stdout = _nowhere()


def _nowhere() -> TextIO:
    return Path(os.devnull).open("w", encoding="utf-8")


def say_json(value: Any) -> None:
    """Print one JSON object or array; undecodable bytes of ids are escaped as lone surrogates."""
    click.echo(
        json.dumps(
            value, ensure_ascii=True, allow_nan=False, default=lambda when: when.isoformat(timespec="seconds")
        )
    )


def record_json(record: DataclassInstance, **called: str) -> dict[str, Any]:
    """The fields of a record by their names, or as they are `called`; what is called nothing is left out."""
    return {key: value for name, value in asdict(record).items() if (key := called.get(name, name))}


def json_array(values: Iterable[Any]) -> Iterator[bytes]:
    """One JSON array as `say_json` prints it, of values that are made one after the other."""
    before = "["
    for value in values:
        yield (before + json.dumps(value, ensure_ascii=True, allow_nan=False)).encode()
        before = ", "
    yield b"]\n" if before == ", " else b"[]\n"


def collected(parts: Iterable[bytes]) -> IO[bytes]:
    """All parts in a temporary file without a name, in memory while they are few, at its beginning.

    Long output is read from the database into it, and printed afterwards: who reads it slowly holds no
    transaction, and an error in the middle prints no half of it.
    """
    file = tempfile.SpooledTemporaryFile(COLLECTED_IN_MEMORY)  # noqa: SIM115 - `print_collected` closes it
    try:
        file.writelines(parts)
        file.seek(0)
    except BaseException:
        file.close()
        raise
    return file


def print_collected(file: IO[bytes]) -> None:
    """Print what was collected."""
    with file:
        shutil.copyfileobj(file, sys.stdout.buffer)


def print_csv(columns: Sequence[str], rows: Rows) -> None:
    """Print a table as CSV."""
    from workbench.tables import csv_bytes

    click.echo(csv_bytes(columns, rows), nl=False)


def say_table(
    headings: Sequence[str],
    rows: Rows,
    *,
    numeric: Sequence[int] = (),
    numeric_from: int | None = None,
) -> None:
    """Print a plain table for people; the columns named in `numeric` (from 0) are aligned right.

    So are all columns from `numeric_from` on, where that is given.

    If the output is not a terminal, columns are separated by tabs, for `cut` and `awk`.
    """
    if not sys.stdout.isatty():
        click.echo("\t".join(headings))
        for row in rows:
            click.echo("\t".join(printable(cell) for cell in row))
        return
    # Imported only where used, here and below: output for programs must not wait for the import.
    from rich.console import Console
    from rich.table import Table

    if numeric_from is not None:
        numeric = range(numeric_from, len(headings))
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column, heading in enumerate(headings):
        table.add_column(heading, justify="right" if column in numeric else "left", overflow="fold")
    for row in rows:
        table.add_row(*(printable(cell).replace("[", r"\[") for cell in row))
    Console(highlight=False).print(table)


say_figures = partial(say_table, numeric_from=1)
"""Print a table whose first column names what the figures in the others are of."""


def say_list(
    data: Any,
    as_json: bool,
    headings: Sequence[str],
    rows: Rows,
    *,
    numeric: Sequence[int] = (),
    numeric_from: int | None = None,
) -> None:
    """Print the data as JSON, or for people the table that `say_table` makes of rows."""
    if as_json:
        say_json(data)
    else:
        say_table(headings, rows, numeric=numeric, numeric_from=numeric_from)


def say_aside(text: str) -> None:
    """Print a line on standard error, beside the result."""
    click.echo(text, err=True)


def with_progress(items: Sequence[Item], label: str) -> Iterator[Item]:
    """Yield the items, with a progress bar on standard error if that is a terminal."""
    if len(items) < 2 or not sys.stderr.isatty():
        yield from items
        return
    with progress_bar() as bar:
        yield from bar.track(items, description=label)


def progress_bar() -> Progress:
    """A bar on standard error, where that is a terminal: done of how many, the share, the time left."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (BarColumn(), MofNCompleteColumn(), TaskProgressColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    return Progress(
        TextColumn("{task.description}"),
        *columns,
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )


def complain(error: WorkbenchError) -> None:
    """Print every finding of a rejected input, or the error and its remedy, on standard error."""
    with suppress(OSError):  # where the error stream fails, too, the exit code has to say it
        if isinstance(error, InvalidInput) and error.findings:
            say_findings(error.findings)
        else:
            say_aside(f"workbench: {printable(error)}")


@contextmanager
def usage_errors(name: Callable[[str], str] | None = None) -> Iterator[None]:
    """Raise what is found wrong with options as UsageError, each after the `name` of what it is about."""
    try:
        yield
    except InvalidInput as error:
        lines = (
            f"{name(one.source) + ': ' if name else ''}{one.message} ({one.remedy})" for one in error.findings
        )
        raise click.UsageError("\n       ".join(lines)) from error


def refusal_json(error: WorkbenchError) -> dict[str, object]:
    """The object that `--json` prints in place of a result: `errors`, each with the fields of a finding.

    What is not about an input has no `source` and no `code`.
    """
    if isinstance(error, InvalidInput) and error.findings:
        return {"errors": [finding_to_json(finding) for finding in error.findings]}
    bare = finding_to_json(Finding("", None, "", error.message, error.remedy))
    return {"errors": [bare | {"source": None, "code": None}]}


def say_findings(findings: Iterable[Finding]) -> None:
    """Print findings on standard error, one per line, as `file:line: message (remedy)`."""
    for finding in findings:
        say_aside(f"{finding.severity}: {printable(finding)}")


def say_mismatch(warning: str) -> None:
    """Warn of files that do not belong together."""
    say_aside(f"warning: {printable(warning)}")


def printable(value: object) -> str:
    """A value as one line of a terminal can show it.

    A byte outside UTF-8 becomes a question mark. Line ends and other characters that steer a terminal, which
    a file's name may hold, are escaped.
    """
    text = _STEERING.sub(lambda found: ascii(found[0])[1:-1], str(value))
    return text.encode("utf-8", "replace").decode("utf-8")


Function = Callable[..., Any]
Decorator = Callable[[Function], Function]
Texts = tuple[str, ...]
"""What an option or argument gives that may be repeated."""
Integers = tuple[int, ...]
"""The same, of numbers."""
Command = TypeVar("Command", bound=Function)
flag = partial(click.option, is_flag=True)
json_flag = partial(flag, "--json", "as_json")
csv_flag = partial(flag, "--csv", "as_csv")
toggle = partial(click.option, default=None)
"""An option with its opposite; None where neither is given."""
setting = partial(click.option, show_default=True)
"""An option whose default is said in the help."""
repeatable = partial(click.option, multiple=True)
needed = partial(click.option, required=True)
text_option = partial(click.option, default="")
"""An option for a text, empty where it is not given."""
arguments = partial(click.argument, nargs=-1, required=True)
"""One argument or more."""


POSITIVE = click.IntRange(1)
number_option = partial(click.option, type=POSITIVE)
number_setting = partial(setting, type=POSITIVE)
FOLDER = click.Path(file_okay=False, path_type=Path)
OLD_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
NEW_FILE = click.Path(dir_okay=False, path_type=Path)


class OneOf(click.ParamType[Word]):
    """One of the words of an enumeration; the command receives the member."""

    name = "choice"

    def __init__(self, words: type[Word]) -> None:
        self._words = words
        self._choice = click.Choice([word.value for word in words])

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str | None:
        """The words, as of every choice."""
        return self._choice.get_metavar(param, ctx)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Word:
        """The member that a word names."""
        return self._words(self._choice.convert(str(value), param, ctx))


def all_of(*options: Callable[[Any], Any]) -> Callable[[Command], Command]:
    """Several options as one, in the order of the help."""

    def decorate(command: Command) -> Command:
        made: Any = command
        for option in reversed(options):
            made = option(made)
        return made  # type: ignore[no-any-return]  # click calls it alone

    return decorate


def one_form(command: Command) -> Command:
    """Hand a command with such flags the one `form` that is wanted, `text` if none is named.

    It raises UsageError for several.
    """

    @wraps(command)
    def with_form(*args: Any, as_json: bool, as_csv: bool, as_latex: bool = False, **options: Any) -> Any:
        chosen = [name for name, given in (("json", as_json), ("csv", as_csv), ("latex", as_latex)) if given]
        if len(chosen) > 1:
            flags = " and ".join(f"--{name}" for name in chosen)
            raise click.UsageError(f"{flags} cannot be combined: keep one of them")
        return command(*args, form=chosen[0] if chosen else "text", **options)

    return with_form  # type: ignore[return-value]  # click calls it alone


CSV = csv_flag(help="A table as CSV, with all digits.")
ALL_DIGITS = json_flag(help="One JSON object, with all digits.")
form_options = all_of(ALL_DIGITS, CSV, flag("--latex", "as_latex", help="LaTeX tables."), one_form)
"""`--json`, `--csv` and `--latex`; the command receives `form`: text, json, csv or latex."""
FIRST_AND_SECOND = all_of(click.argument("first"), click.argument("second"))
TOPICS = repeatable("--topic", "topics", help="A topic (repeatable); default all.")
data_options = all_of(ALL_DIGITS, CSV, one_form)
"""The same without `--latex`, for results that no paper prints."""


def print_export(export: Export, form: str) -> bool:
    """Print a result as JSON, CSV or LaTeX where one of these is asked for; False if it is for people.

    Raises UsageError for LaTeX of a result that has none.
    """
    if form == "json":
        say_json(export.data())
    elif form == "csv":
        click.echo(export.csv(), nl=False)
    elif form == "latex":
        if export.latex is None:
            raise click.UsageError("this result has no LaTeX table: use --csv or --json")
        click.echo(export.latex(), nl=False)
    return form != "text"


def say_notes(sentences: Iterable[str]) -> None:
    """Print on standard error how a result is to be read, a sentence a line."""
    for sentence in sentences:
        say_aside(sentence)


def part_option(parts: Iterable[str], default: str, tables: str) -> Callable[[Command], Command]:
    """Give a command `--part`, one of the `tables` of its result."""
    return setting("--part", type=click.Choice(parts), default=default, help=f"Table to print: {tables}.")


def beside_bounds(
    columns: Sequence[str], rows: Rows, counts: Collection[str] = ()
) -> tuple[list[str], list[list[object]]]:
    """A table for people, who read bounds beside their figure, those of `counts` as whole numbers.

    CSV has them in columns of their own.
    """
    shown = [name for name in columns if not name.endswith(("_low", "_high"))]

    def cell(row: Mapping[str, object], name: str) -> object:
        value, low, high = (row.get(key) for key in (name, f"{name}_low", f"{name}_high"))
        if value is None or low is None or high is None:
            return value
        if name in counts:
            return f"{value:.1f} ({low:.0f} to {high:.0f})"
        return f"{value:.3f} ({low:.3f} to {high:.3f})"

    named = [dict(zip(columns, row, strict=True)) for row in rows]
    return shown, [[cell(row, name) for name in shown] for row in named]


def figure(value: float | None, form: str = ".4f", otherwise: str = "-") -> str:
    """A number in a form, four decimals by default, or a word where there is none."""
    return otherwise if value is None else format(value, form)


def say_short(columns: Sequence[str], rows: Rows, *, numeric_from: int = 1) -> None:
    """Say a table for people: three decimals, and a dash for what is not there."""
    say_table(columns, [[_short(cell) for cell in row] for row in rows], numeric_from=numeric_from)


def _short(cell: object) -> object:
    if cell is None or cell == "":
        return "-"
    return f"{cell:z.3f}" if isinstance(cell, float) else cell


def refuse_given(names: Collection[str], reason: str) -> None:
    """Raise UsageError for the first of these options, by what the command calls them, that was given."""
    context = click.get_current_context()
    for option in context.command.params:
        source = context.get_parameter_source(option.name or "")
        if option.name in names and source is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"{max(option.opts, key=len)} {reason}")


def _only_one(_context: click.Context, option: click.Parameter, values: Texts) -> str | None:
    """The value of an option that its sisters in other commands let people repeat."""
    if len(values) > 1:
        raise click.BadParameter(f"one measure is compared, and {len(values)} were given", param=option)
    return values[0] if values else None


one_measure = partial(click.option, "-m", "--measure", multiple=True, callback=_only_one)
JSON_OBJECT = json_flag(help="One JSON object.")
JSON_ARRAY = json_flag(help="One JSON array.")
MEASURE = one_measure(
    default=("AP",), show_default=True, help="Measure that ranks the runs, such as AP or nDCG@10."
)
RELEVANT_FROM = number_setting("--relevant-from", default=1, metavar="N", help="Lowest relevant grade.")
tie_option = partial(setting, type=OneOf(TieRule), default=TieRule.TREC_EVAL.value)
TIES = tie_option(
    "--ties",
    help="Which of two documents with the same score comes first.",
)
SEED = setting("--seed", type=click.IntRange(0), default=0, help="Random seed.")
