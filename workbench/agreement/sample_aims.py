"""Which coefficient an overlap is planned for, and how it follows from what was said of single pairs."""

from __future__ import annotations

from dataclasses import dataclass, fields
from math import prod

import numpy as np

from workbench.agreement.coefficients import COEFFICIENTS
from workbench.agreement.coefficients.coefficient import values
from workbench.agreement.contingency import MISSING, Codes
from workbench.agreement.ratings import Ratings
from workbench.agreement.sample_size import Floats
from workbench.agreement.tally import Tally, tally
from workbench.agreement.weights import WEIGHTS, Weights
from workbench.errors import Finding, InvalidInput

METHODS_PLANNED = ("pooled", "unpooled", "alpha", "gwet")
WEIGHTS_PLANNED = ("nominal", "linear", "quadratic")

# By how much a sum is moved to see how a coefficient does, as a part of it: those of rare grades are small.
_STEP = 1e-5


@dataclass(frozen=True, slots=True)
class Aim:
    """A coefficient by its method, and the weights of the grades; raises InvalidInput for another.

    Krippendorff's alpha with quadratic weights is that of interval data.
    """

    method: str = "pooled"
    weights: str = "nominal"

    def __post_init__(self) -> None:
        findings = [
            Finding("Sample", None, code, f"{given!r} is no {what}", f"one of {', '.join(there)}")
            for code, given, there, what in (
                ("coefficient", self.method, METHODS_PLANNED, "coefficient to plan for"),
                ("weights", self.weights, WEIGHTS_PLANNED, "weights to plan with"),
            )
            if given not in there
        ]
        if findings:
            raise InvalidInput(findings)

    @property
    def label(self) -> str:
        """What it is called within a sentence."""
        weighted = self.weights != "nominal"
        if self.method == "gwet":
            return f"Gwet's AC2 with {self.weights} weights" if weighted else "Gwet's AC1"
        name = "Krippendorff's alpha" if self.method == "alpha" else f"{self.method} kappa"
        return f"{name} with {self.weights} weights" if weighted else name

    def weights_of(self, grades: int) -> Weights:
        """How far every two of so many grades disagree; shape (grades, grades)."""
        return WEIGHTS[self.weights](grades)


@dataclass(frozen=True, slots=True)
class Sums:
    """What the coefficient of an aim needs of pairs: sums over them, as rows of numbers.

    `grades` and `assessors` say how many there are; columns are those of a Tally, one after another.
    """

    aim: Aim
    grades: int
    assessors: int

    def of_pairs(self, codes: Codes) -> Floats:
        """What each pair (column of `codes`, shape (assessors, pairs)) adds; shape (pairs, columns).

        A pair that fewer than two have judged adds nothing: it does not enter agreement.
        """
        pairs = codes.shape[1]
        each = Ratings(codes, tuple(range(self.grades)), np.arange(pairs), pairs)
        found = tally(
            each, self.aim.weights_of(self.grades), by_topic=True, by_assessor=self.aim.method == "unpooled"
        )
        rows = [getattr(found, one.name).reshape(pairs, -1) for one in fields(Tally)]
        sums: Floats = np.concatenate(rows, axis=1)
        sums[np.count_nonzero(codes != MISSING, axis=0) < 2] = 0.0
        return sums

    def value(self, sums: Floats) -> Floats:
        """The coefficient from sums (..., columns); NaN where there is none."""
        found = values(COEFFICIENTS[self.aim.method], self._tally(sums), self.aim.weights_of(self.grades))
        # What differs from 1 by rounding alone is one grade alone.
        return np.where(np.abs(found) <= 1e6, found, np.nan)

    def slopes(self, sums: Floats) -> Floats:
        """By how much the coefficient grows with each of the sums (..., columns); the same shape.

        From differences to both sides: a coefficient is a smooth quotient of its sums. To a sum that is
        nothing no pair adds, and its slope is given as nothing.
        """
        step = _STEP * np.abs(sums)
        found = np.empty_like(sums)
        for column in range(sums.shape[-1]):
            apart = step * (np.arange(sums.shape[-1]) == column)
            found[..., column] = self.value(sums + apart) - self.value(sums - apart)
        return np.divide(found, 2 * step, out=np.zeros_like(sums), where=step > 0)

    def _tally(self, sums: Floats) -> Tally:
        q = self.grades
        given = self.assessors if self.aim.method == "unpooled" else 0
        parts, at = [], 0
        for shape in ((), (), (), (q,), (q, q), (given, q)):
            part = sums[..., at : at + prod(shape)]
            parts.append(part.reshape((*sums.shape[:-1], *shape)))
            at += prod(shape)
        return Tally(*parts)
