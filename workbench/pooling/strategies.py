"""The strategies by name: one table feeds the command line, the form, the help and the error texts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from workbench.errors import WorkbenchError
from workbench.pooling.depth import depth_pool
from workbench.pooling.pool import Pool
from workbench.records import Run, TieRule


@dataclass(frozen=True, slots=True)
class Parameter:
    """A whole number that a strategy needs: what it means, its default and its lowest value."""

    name: str
    help: str
    default: int
    lowest: int


@dataclass(frozen=True, slots=True)
class Strategy:
    """A way to choose what gets judged; `build` takes runs, `ties` and the parameters, all by keyword."""

    name: str
    help: str
    source: str
    parameters: tuple[Parameter, ...]
    build: Callable[..., Pool]


STRATEGIES: Mapping[str, Strategy] = {
    "depth": Strategy(
        "depth",
        "every run's first documents for each topic, up to one depth",
        "Sparck Jones and van Rijsbergen 1975",
        (Parameter("depth", "how many documents of each run, for each topic", 100, 1),),
        depth_pool,
    ),
}


def build_pool(
    runs: Iterable[Run],
    *,
    strategy: str,
    ties: TieRule = TieRule.TREC_EVAL,
    parameters: Mapping[str, int] | None = None,
) -> Pool:
    """The pool that the named strategy makes; parameters that are not given have their defaults.

    Raises WorkbenchError for an unknown strategy, an unknown parameter and a value below the lowest.
    """
    chosen = STRATEGIES.get(strategy)
    if chosen is None:
        raise WorkbenchError(
            f'there is no pooling strategy "{strategy}"', remedy=f"one of {', '.join(STRATEGIES)}"
        )
    values = {parameter.name: parameter.default for parameter in chosen.parameters}
    for name, value in (parameters or {}).items():
        if name not in values:
            raise WorkbenchError(
                f'the strategy "{strategy}" has no parameter "{name}"', remedy=f"it has {', '.join(values)}"
            )
        values[name] = value
    for parameter in chosen.parameters:
        if values[parameter.name] < parameter.lowest:
            raise WorkbenchError(
                f"{parameter.name} cannot be {values[parameter.name]}",
                remedy=f"give {parameter.lowest} or more",
            )
    return chosen.build(runs, ties=ties, **values)
