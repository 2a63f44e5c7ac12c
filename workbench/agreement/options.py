"""The options of an agreement report: one record, and one table of how terminal and address fill it.

To add an option: give AgreementOptions a field and OPTIONS a line. Commands that name the field have it then
as a flag with its help, pages as an argument of their address and, where a form lists it, as a field with its
label.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from typing import Any

from workbench.agreement.alpha import BY_WEIGHTS, LEVELS
from workbench.agreement.coefficients import COEFFICIENTS
from workbench.agreement.intervals import LEVEL
from workbench.agreement.ratings import Ratings
from workbench.agreement.weights import (
    WEIGHTS,
    OwnWeights,
    Weights,
    divisor_of,
    nominal,
    own_weights,
    parse_weights,
)
from workbench.agreement.weights import weights_of as weights_named
from workbench.errors import WorkbenchError
from workbench.frozen import frozen_dataclass

OWN = "own"


class Basis(StrEnum):
    """Which documents are included: judged by two, or more with the lowest grade where nobody judged."""

    BOTH = "both"
    LISTED = "listed-as-not-relevant"
    ALL = "all-documents"


class Singles(StrEnum):
    """Whether pairs that only one assessor judged count towards the expected agreement.

    `published` follows the sources: two assessors are compared by the table of what both judged (Scott 1955,
    Cohen 1960), and of three or more every grade given counts (Gwet 2014). Alpha leaves such pairs out in any
    case (Krippendorff 2011).
    """

    PUBLISHED = "published"
    COUNTED = "counted"
    LEFT_OUT = "left-out"


class Occasion(StrEnum):
    """Which answers about pairs that were discussed: those before the discussion, or the current ones."""

    INDEPENDENT = "independent"
    CURRENT = "current"


class Machines(StrEnum):
    """Whose ratings are included: those of people, of people and machines, or of machines."""

    APART = "apart"
    AMONG = "among"
    ONLY = "only"


@frozen_dataclass
class AgreementOptions:
    """What an agreement report includes and how it is computed; raises WorkbenchError for what cannot be.

    Grades are compared as relevant or not from `relevant_from` on (None: the campaign's own threshold) unless
    `graded`. `assessors` are names, None for all that `machines` includes; `singles` says what becomes of
    pairs that only one judged, under the basis `both`, and `answers` which count of pairs that were
    discussed. `documents` is the size of the collection, None for what is known. `coefficient` is the one
    that sorts and colours. `weights` weigh the grades for all coefficients but alpha, whose differences
    follow from the `level` of the scale unless that is `weights`; both matter for three grades or more only.
    Intervals have the level `confidence`.
    """

    relevant_from: int | None = None
    graded: bool = False
    basis: Basis = Basis.BOTH
    singles: Singles = Singles.PUBLISHED
    answers: Occasion = Occasion.INDEPENDENT
    documents: int | None = None
    machines: Machines = Machines.APART
    assessors: frozenset[str] | None = None
    coefficient: str = "pooled"
    weights: str | OwnWeights = "nominal"
    level: str = "ordinal"
    confidence: float = LEVEL

    def __post_init__(self) -> None:
        for value, known, what in (
            (self.weights, WEIGHTS, "weights"),
            (self.level, (*LEVELS, BY_WEIGHTS), "level"),
            (self.coefficient, COEFFICIENTS, "coefficient"),
        ):
            if isinstance(value, str) and value not in known:
                are = "are no" if what == "weights" else "is no"
                raise WorkbenchError(
                    f"there {are} {what} {value!r}", remedy=f"choose one of {', '.join(known)}"
                )
        if not 0 < self.confidence < 1:
            raise WorkbenchError(
                f"{self.confidence} is not a confidence level",
                remedy="use a number between 0 and 1, such as 0.95",
            )

    @property
    def weighted(self) -> bool:
        """Whether some grades disagree less than others."""
        return self.weights != "nominal"

    @property
    def weights_name(self) -> str:
        """What the weights are called."""
        return self.weights if isinstance(self.weights, str) else OWN

    @property
    def weights_in_words(self) -> str:
        """What the weights are called, and by what one's own were divided."""
        divisor = self.weights_divisor
        return f"{self.weights_name} weights{'' if divisor == 1 else f' (divided by {divisor:g})'}"

    @property
    def weights_divisor(self) -> float:
        """By what one's own weights were divided, 1 for weights that have a name."""
        return 1.0 if isinstance(self.weights, str) else divisor_of(self.weights)

    def weights_for(self, ratings: Ratings) -> Weights:
        """The weights for the order of these ratings' categories, which ascend or descend.

        Of two grades there is only one weight. Raises WorkbenchError for own weights of another size.
        """
        categories, size = ratings.categories, len(ratings.categories)
        if size == 2:
            return nominal(2)
        if isinstance(self.weights, str):
            return weights_named(self.weights, categories)
        chosen = weights_named(own_weights(self.weights), size)
        return chosen[::-1, ::-1] if categories[0] > categories[-1] else chosen


@frozen_dataclass
class OptionDefinition:
    """How a field of AgreementOptions is given: by a flag in the terminal, by an argument of an address.

    `choices` are the values by what a form calls them; a number is `low` or more.
    """

    field: str
    flag: str
    argument: str
    label: str
    help: str
    parse: Callable[[str], Any]
    choices: Mapping[str, str] = dataclasses.field(default_factory=dict)
    low: int | None = None
    metavar: str | None = None

    @property
    def default(self) -> Any:
        """The value where nothing is given."""
        return getattr(_DEFAULTS, self.field)


def _names(text: str) -> frozenset[str] | None:
    return frozenset(text.splitlines()) or None


_DEFAULTS = AgreementOptions()
OPTIONS: Mapping[str, OptionDefinition] = {
    one.field: one
    for one in (
        OptionDefinition(
            "relevant_from", "--relevant-from", "relevant_from", "Relevant from",
            "Lowest relevant grade. With --graded, used only for the overlap of relevant sets.",
            int, metavar="N",
        ),
        OptionDefinition(
            "graded", "--graded", "graded", "Grades",
            "Compare all grades instead of relevant or not.",
            "yes".__eq__, choices={"no": "relevant or not", "yes": "every grade"},
        ),
        OptionDefinition(
            "basis", "--basis", "basis", "Documents included",
            "Documents to include: those judged by at least two assessors, or also those judged by one or "
            "by nobody, as not relevant.",
            Basis,
            choices={
                Basis.BOTH: "judged by at least two assessors",
                Basis.LISTED: "judged by at least one, others: lowest grade",
                Basis.ALL: "all, unjudged ones as not relevant",
            },
        ),
        OptionDefinition(
            "singles", "--judged-once", "once", "Pairs judged once",
            "Whether pairs judged by one assessor count towards expected agreement, with --basis both. "
            "published: with three assessors or more (Gwet 2014), not with two (Scott 1955, Cohen 1960).",
            Singles,
            choices={
                Singles.PUBLISHED: "as published",
                Singles.COUNTED: "count towards chance",
                Singles.LEFT_OUT: "left out",
            },
        ),
        OptionDefinition(
            "answers", "--answers", "answers", "Discussed pairs",
            "Which answers count for discussed pairs: the independent ones, given before assessors saw each "
            "other's, or the current ones.",
            Occasion,
            choices={
                Occasion.INDEPENDENT: "first, independent answers",
                Occasion.CURRENT: "current answers",
            },
        ),
        OptionDefinition(
            "documents", "--documents", "documents", "Documents in the collection",
            "Number of documents in the collection; by default, those known.",
            int, low=1, metavar="N",
        ),
        OptionDefinition(
            "machines", "--machines", "machines", "Assessors",
            "Whose judgments: of people only, of people and machines, or of machines only.",
            Machines,
            choices={
                Machines.APART: "people",
                Machines.AMONG: "people and machines",
                Machines.ONLY: "machines",
            },
        ),
        OptionDefinition(
            "assessors", "--assessor", "assessor", "Assessors", "Assessor name (repeatable).", _names
        ),
        OptionDefinition(
            "coefficient", "--by", "by", "Coefficient",
            "Coefficient by which topics are sorted, lowest first.",
            str, choices={name: coefficient.label for name, coefficient in COEFFICIENTS.items()},
        ),
        OptionDefinition(
            "weights", "--weights", "weights", "Weights",
            f"Disagreement weights: {', '.join(WEIGHTS)}, or a file with one row per grade.",
            parse_weights, choices={name: "none" if name == "nominal" else name for name in WEIGHTS},
            metavar="NAME|FILE",
        ),
        OptionDefinition(
            "level", "--level", "level", "Level of measurement, for α",
            f"Level of measurement of the scale, for Krippendorff's alpha; {BY_WEIGHTS}: grades differ by "
            "--weights, as for the other coefficients.",
            str, choices={name: name for name in LEVELS} | {BY_WEIGHTS: "by the weights"},
        ),
    )
}  # fmt: skip
"""Every option by the field that it fills."""


def options_from_address(values: Mapping[str, str]) -> AgreementOptions:
    """The options that an address names; a value that does not exist counts as not given.

    Numbers are brought into their range. Raises WorkbenchError for own weights that cannot be, since somebody
    typed them.
    """
    found: dict[str, Any] = {}
    for option in OPTIONS.values():
        text = values.get(option.argument, "").strip()
        if option.field == "weights" and text == OWN:
            found[option.field] = parse_weights(values.get(OWN, ""))
        elif option.choices and text in option.choices:
            found[option.field] = option.parse(text)
        elif option.parse is int and (number := _whole(text)) is not None:
            found[option.field] = number if option.low is None else max(number, option.low)
    return AgreementOptions(**found)


def address_of(options: AgreementOptions, names: Iterable[str] = tuple(OPTIONS)) -> dict[str, str | int]:
    """The arguments of an address that give these options, without those that have their default."""
    chosen: dict[str, str | int] = {}
    for option in (OPTIONS[name] for name in names):
        value = getattr(options, option.field)
        if value == option.default:
            continue
        if option.field == "weights" and not isinstance(value, str):
            chosen |= {option.argument: OWN, OWN: "\n".join(" ".join(map(str, row)) for row in value)}
        elif isinstance(value, bool):
            chosen[option.argument] = "yes" if value else "no"
        elif isinstance(value, int | str):
            chosen[option.argument] = value if isinstance(value, int) else str(value)
    return chosen


def _whole(text: str) -> int | None:
    digits = text.replace("−", "-")
    if not digits.isascii() or not digits.removeprefix("-").isdigit() or len(digits) > 19:
        return None
    return int(digits)
