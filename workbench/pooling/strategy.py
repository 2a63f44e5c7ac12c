"""What a pooling strategy declares; pages, command line and help are generated from it."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

import numpy as np

from workbench.errors import Finding, InvalidInput, WorkbenchError, rejected
from workbench.frozen import frozen_dataclass
from workbench.pooling.planning import Lengths, Planned, Size, Sizes, Values
from workbench.pooling.run_tops import Reached
from workbench.records import sorted_ids

Made = TypeVar("Made", covariant=True)
_SHOWN = 60


@frozen_dataclass
class ParameterKind:
    """What values a parameter takes: their name and an example for people, and the way from text and back.

    `accept` takes text or a value and gives the value; it raises ValueError, with the reason if it has one.
    """

    name: str
    example: str
    accept: Callable[[object], Any]
    write: Callable[[Any], str]


@frozen_dataclass
class Parameter:
    """A value that a strategy needs: what it means, what it is unless given, and its bounds, inclusive."""

    name: str
    help: str
    default: Any
    kind: ParameterKind
    lowest: float | None = None
    highest: float | None = None

    def value(self, given: object) -> Any:
        """The value of what was given, as text or as itself; raises InvalidInput."""
        try:
            value = self.kind.accept(given)
        except ValueError as error:
            reason = f": {error}" if str(error) else ""
            example = f"a {self.kind.name}, as {self.kind.example}"
            raise self._refused(
                given, reason, f"give {self.bounds or example if reason else example}"
            ) from None
        if (self.lowest is not None and value < self.lowest) or (
            self.highest is not None and value > self.highest
        ):
            raise self._refused(value, "", f"give {self.bounds}")
        return value

    def text(self, value: Any) -> str:
        """The value as the text that `value` reads back."""
        return self.kind.write(value)

    @property
    def bounds(self) -> str:
        """The bounds in words, empty where there are none."""
        if self.highest is None:
            return "" if self.lowest is None else f"{self.lowest} or more"
        return f"{self.lowest} to {self.highest:,}"

    @property
    def description(self) -> str:
        """The help with kind, bounds or an example, and default, for a line of help."""
        values = f"{self.kind.name}, {self.bounds or f'as {self.kind.example}'}"
        return f"{self.help} ({values}; {self.text(self.default) or 'none'} unless given)"

    def _refused(self, given: object, reason: str, remedy: str) -> InvalidInput:
        shown = repr(given) if isinstance(given, str) else str(given)
        shown = shown if len(shown) <= _SHOWN else shown[: _SHOWN - 1] + "…"
        message = f"{self.name} cannot be {shown}{reason}"
        return rejected(self.name, None, "parameter-refused", message, remedy)


def whole_lists(_values: Values) -> int | None:
    """The depth of a strategy that reads all documents of every run."""
    return None


def to_its_depth(values: Values) -> int | None:
    """The depth of a strategy that reads to its parameter `depth`."""
    return int(values["depth"])


@frozen_dataclass
class Strategy(Generic[Made]):
    """A way to choose what gets judged, and all that pages, commands and plans need to know of it.

    `build` takes runs, `ties` and the parameters, all by keyword. `size` computes how large its pool would
    be, without building it; `depth_read` how many documents of each run and topic it reads, None for all:
    then one of the parameters is `budget`, from which the plan has its depth. One that does not read runs is
    for campaigns alone.
    """

    name: str
    help: str
    source: str
    parameters: tuple[Parameter, ...]
    build: Callable[..., Made]
    size: Size
    depth_read: Callable[[Values], int | None] = whole_lists
    reads_runs: bool = True

    def values(self, given: Mapping[str, object]) -> dict[str, Any]:
        """A value for every parameter: what was given, as text or value, or the default.

        Raises InvalidInput with a finding for each unknown name and each value that cannot be;
        the source of a finding is the parameter's name.
        """
        known = {parameter.name: parameter for parameter in self.parameters}
        values = {name: parameter.default for name, parameter in known.items()}
        findings: list[Finding] = []
        for name, value in given.items():
            if name not in known:
                message = f'the strategy "{self.name}" has no parameter "{name}"'
                remedy = f"choose from {', '.join(known)}" if known else "leave it out: it takes none"
                findings.append(Finding(name, None, "parameter-unknown", message, remedy))
                continue
            try:
                values[name] = known[name].value(value)
            except InvalidInput as error:
                findings.extend(error.findings)
        if findings:
            raise InvalidInput(findings)
        return values

    def texts(self, values: Mapping[str, Any]) -> dict[str, str]:
        """The values as texts, to be stored; `values` of these texts gives them back."""
        return {one.name: one.text(values[one.name]) for one in self.parameters}

    def depth_to_plan(self, values: Values, longest: Lengths, *, supplementary: bool = False) -> int:
        """How many documents of each run and topic must be known for `sizes`.

        Of a strategy that reads whole lists as many as the budget: either a list is that long, and fills the
        budget alone, or all lists are known whole. A topic with such a list needs nothing, unless what is
        known is left out.
        """
        read = self.depth_read(values)
        if read is not None:
            return read
        budget = int(values["budget"])
        if supplementary:
            return min(budget, max(longest.values(), default=0))
        return max((length for length in longest.values() if length < budget), default=0)

    def sizes(
        self, reach: Reached, values: Values, *, longest: Lengths, supplementary: bool = False
    ) -> Sizes:
        """The size that the pool would have; a supplementary one without what is known already.

        `reach` must be as deep as `depth_to_plan`, and for a depth pool have its own depths; `longest`
        has the topics of the runs. What is left of a sample, or of the documents with the largest weights,
        without the known ones depends on which these are: the size is expected, or the largest possible.
        Raises WorkbenchError for what the strategy itself would refuse: own depths of runs or topics that are
        not there, and strata without a rate where there is no budget.
        """
        lists = np.array([longest.get(topic, 0) for topic in reach.topics], dtype=np.int64)
        counts, certainty = self.size(Planned(reach, values, lists, supplementary))
        return Sizes(reach.topics, tuple(counts.tolist()), certainty)


def named(strategies: Mapping[str, Strategy[Made]], name: str) -> Strategy[Made]:
    """The strategy of this name; raises WorkbenchError with those that exist."""
    if name not in strategies:
        raise WorkbenchError(
            f'there is no pooling strategy "{name}"', remedy=f"choose one of {', '.join(strategies)}"
        )
    return strategies[name]


# Every whole number up to here is a double too, and so survives any reader of JSON.
_LARGEST = 2**53 - 1


def _whole(given: object) -> int:
    if isinstance(given, str) and re.fullmatch(r"\s*[+-]?[0-9]{1,4000}\s*", given):
        given = int(given)
    if isinstance(given, bool) or not isinstance(given, int):
        raise ValueError
    if abs(given) > _LARGEST:
        raise ValueError("it is too large")
    return given


def _number(given: object) -> float:
    if isinstance(given, bool) or not isinstance(given, str | int | float):
        raise ValueError
    try:
        value = float(given)
    except (ValueError, OverflowError):
        raise ValueError from None
    if not math.isfinite(value):
        raise ValueError
    return value


def _depths(given: object) -> dict[str, int]:
    if isinstance(given, str):
        # Ids contain no white space but may contain "=": the last one separates the id from its depth.
        items = [item.rpartition("=") for item in given.split()]
        given = {name: depth for name, _, depth in items}
        if len(given) < len(items):
            raise ValueError("an id is repeated")
    if not isinstance(given, Mapping):
        raise ValueError
    depths = {name: _whole(depth) for name, depth in given.items()}
    if any(not name or depth < 0 for name, depth in depths.items()):
        raise ValueError
    return depths


def _write_depths(depths: Mapping[str, int]) -> str:
    return " ".join(f"{name}={depths[name]}" for name in sorted_ids(depths))


WHOLE = ParameterKind("whole number", "100", _whole, str)
NUMBER = ParameterKind("number", "0.8", _number, repr)
DEPTHS = ParameterKind("list of depths by id", "bm25=50 manual=200", _depths, _write_depths)

DEEPEST = 1_000_000
"""No run of the field has as many documents for a topic, so more was typed by mistake."""

BUDGET = Parameter("budget", "documents per topic", 100, WHOLE, lowest=1, highest=DEEPEST)
SEED = Parameter("seed", "seed of the random sample", 0, WHOLE, lowest=0)
DEPTH_READ = Parameter(
    "depth", "documents of each run that can be chosen, per topic", 100, WHOLE, lowest=1, highest=DEEPEST
)
