"""One assessor's judgments in the order recorded: sittings, and agreement by position or by day."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from statistics import median

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench.agreement.contingency import MISSING, Codes
from workbench.agreement.intervals import share_interval
from workbench.agreement.sample_model import kappa_of_shares

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

GAP_SECONDS = 30 * 60
"""A pause of this length or more ends a sitting."""


@dataclass(frozen=True, slots=True, eq=False)
class Timeline:
    """One assessor's judgments in the order in which they were recorded; all parts have one length n.

    `moments` are seconds from any beginning, `codes` the place of the grade among q categories (MISSING where
    the answer was none), `others` (n, q) how many others gave the pair each grade, `seconds` the active
    seconds or NaN where they are not known, and `topics` number the topic of each.
    """

    moments: Floats
    codes: Codes
    others: Integers
    seconds: Floats
    topics: Integers

    @property
    def agreement(self) -> Floats:
        """Of each judgment the share of the others who gave the same grade, NaN where there is nobody."""
        total = self.others.sum(axis=1)
        same = self.others[np.arange(len(self.codes)), np.maximum(self.codes, 0)]
        there = (self.codes != MISSING) & (total > 0)
        return np.where(there, same / np.maximum(total, 1), np.nan)

    def digest(self) -> str:
        """A hash of all of it: whatever is computed of timelines with the same one is the same."""
        sha = hashlib.sha256(repr(self.others.shape).encode())
        for part in (self.moments, self.codes, self.others, self.seconds, self.topics):
            sha.update(np.ascontiguousarray(part).tobytes())
        return sha.hexdigest()


@dataclass(frozen=True, slots=True)
class Bin:
    """Some judgments of a course, by a label: the number of the stretch from 0, or of the day.

    `grades` counts them by category; agreement is over the `compared` ones that others have graded too, with
    Wilson's interval, and `kappa` is the pooled kappa of these. `seconds` is the median of the active
    seconds. What is not there is None.
    """

    label: int
    judgments: int
    grades: tuple[int, ...]
    compared: int
    agreement: float | None
    low: float | None
    high: float | None
    kappa: float | None
    seconds: float | None


def sittings(moments: ArrayLike, *, gap: float = GAP_SECONDS) -> tuple[Integers, Integers]:
    """The sitting of every judgment, from 0, and its position there, from 1; moments ascend, in seconds.

    A pause of `gap` seconds or more begins a new sitting.
    """
    at = np.asarray(moments, dtype=np.float64)
    begins = np.concatenate([[True], np.diff(at) >= gap])[: len(at)]
    number = np.cumsum(begins) - 1
    first = np.flatnonzero(begins)
    return number.astype(np.int64), (np.arange(len(at)) - first[number] + 1).astype(np.int64)


def bins(course: Timeline, labels: Integers) -> tuple[Bin, ...]:
    """The judgments of a course by label, in the order of the labels."""
    agreement, order = course.agreement, np.argsort(labels, kind="stable")
    found, starts = np.unique(labels[order], return_index=True)
    each = np.split(order, starts[1:])
    return tuple(
        _bin(course, agreement[own], own, label) for own, label in zip(each, found.tolist(), strict=False)
    )


def _bin(course: Timeline, agreement: Floats, own: Integers, label: int) -> Bin:
    q = course.others.shape[1]
    compared = np.isfinite(agreement)
    found = agreement[compared]
    low = high = share = kappa = None
    if len(found):
        share = float(found.mean())
        low, high = share_interval(float(found.sum()), len(found))
        kappa = _kappa(course, own[compared])
    timed = course.seconds[own]
    timed = timed[np.isfinite(timed)]
    return Bin(
        label=label,
        judgments=len(own),
        # The place before the first counts the answers that are no grade.
        grades=tuple(np.bincount(course.codes[own] + 1, minlength=q + 1)[1:].tolist()),
        compared=len(found),
        agreement=share,
        low=low,
        high=high,
        kappa=kappa,
        seconds=float(median(timed.tolist())) if len(timed) else None,
    )


def _kappa(course: Timeline, own: Integers) -> float | None:
    others = course.others[own]
    others = others / others.sum(axis=1, keepdims=True)
    table = np.zeros((others.shape[1], others.shape[1]))
    np.add.at(table, course.codes[own], others)
    value = float(kappa_of_shares(table / table.sum()))
    return value if np.isfinite(value) else None
