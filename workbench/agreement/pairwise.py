"""Every two assessors of a campaign compared, and the mean over them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from workbench.agreement.means import mean_agreement
from workbench.agreement.observed import observed_agreement
from workbench.agreement.pooled import pooled_kappa
from workbench.agreement.report import AgreementReport, Basis, PairAgreement
from workbench.agreement.sheets import Judged, Sheet, Sheets, sheets_of
from workbench.agreement.table import MISSING, Table, table_of_codes
from workbench.agreement.unpooled import unpooled_kappa
from workbench.errors import WorkbenchError


def compare(
    judged: Judged,
    *,
    relevant_from: int | None = None,
    categories: Sequence[int] | None = None,
    basis: Basis = Basis.BOTH,
    universe: int | None = None,
) -> AgreementReport:
    """Compare every two assessors on their grades of (topic, docno) pairs.

    With `relevant_from` grades are made relevant or not; otherwise all are kept, and `categories` are those
    of the scale (those that occur, where it is not given). Under the basis `listed-as-not-relevant` a pair
    that only one of two assessors judged has the other's lowest grade, and with `universe`, the number of all
    pairs, so have both assessors' all the rest; say which basis beside the figures, since they differ widely.
    Raises WorkbenchError for fewer than two assessors, negative grades, grades outside the categories, and a
    universe that is too small or given without that basis.
    """
    if len(judged) < 2:
        raise WorkbenchError("agreement needs two assessors", remedy="give the judgments of two or more")
    if universe is not None and basis is Basis.BOTH:
        raise WorkbenchError(
            "the number of all pairs does not matter where both must have judged",
            remedy=f"choose the basis {Basis.LISTED_AS_NOT_RELEVANT}",
        )
    sheets = sheets_of(judged, relevant_from=relevant_from, categories=categories)
    pairs = _pairs(sheets, basis, universe)
    return AgreementReport(
        assessors=tuple(judged),
        categories=sheets.categories,
        relevant_from=relevant_from,
        basis=basis,
        universe=universe,
        pairs=pairs,
        observed=mean_agreement("observed", (pair.observed for pair in pairs)),
        pooled=mean_agreement("pooled", (pair.pooled for pair in pairs)),
        unpooled=mean_agreement("unpooled", (pair.unpooled for pair in pairs)),
    )


def _pairs(sheets: Sheets, basis: Basis, universe: int | None) -> tuple[PairAgreement, ...]:
    # The first assessor's codes lie spread out by the number of the pair, so that a second assessor costs no
    # more than the judgments of that one; crowds of hundreds with few judgments each stay quick.
    spread = np.full(sheets.n_pairs, MISSING, dtype=np.int8)
    pairs = []
    for first, second in combinations(sheets.sheets, 2):
        spread[first.pairs] = first.codes
        found = spread[second.pairs]
        spread[first.pairs] = MISSING
        both = found != MISSING
        table = table_of_codes(found[both], second.codes[both], size=len(sheets.categories))
        n_both = int(table.sum())
        if basis is Basis.LISTED_AS_NOT_RELEVANT:
            table = _with_unlisted(table, first, second, universe)
        pairs.append(_agreement(first, second, table, n_both))
    return tuple(pairs)


def _with_unlisted(table: Table, first: Sheet, second: Sheet, universe: int | None) -> Table:
    """A table with what only one assessor judged, and what neither did, added as the lowest grade."""
    size = len(table)
    # What an assessor said in all, less what is in the table, was said where the other said nothing.
    first_only = np.bincount(first.codes, minlength=size) - table.sum(axis=1)
    second_only = np.bincount(second.codes, minlength=size) - table.sum(axis=0)
    whole = table.copy()
    whole[:, -1] += first_only
    whole[-1, :] += second_only
    if universe is not None:
        rest = universe - int(whole.sum())
        if rest < 0:
            raise WorkbenchError(
                f"{first.assessor} and {second.assessor} judged {universe - rest} pairs of only {universe}",
                remedy="give the number of topics times the number of documents",
            )
        whole[-1, -1] += rest
    return whole


def _agreement(first: Sheet, second: Sheet, table: Table, n_both: int) -> PairAgreement:
    return PairAgreement(
        first=first.assessor,
        second=second.assessor,
        table=tuple(tuple(row) for row in table.tolist()),
        n=int(table.sum()),
        n_both=n_both,
        n_first_only=len(first.codes) - n_both,
        n_second_only=len(second.codes) - n_both,
        observed=observed_agreement(table),
        pooled=pooled_kappa(table),
        unpooled=unpooled_kappa(table),
    )
