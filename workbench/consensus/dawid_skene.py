"""Dawid and Skene's model: every assessor has a table of errors of his or her own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.consensus.rule import Rule
from workbench.consensus.votes import (
    LEAST,
    Floats,
    Posterior,
    Votes,
    most_likely,
    normalised,
)
from workbench.errors import WorkbenchError

FEWEST_ASSESSORS = 3
MOST_ROUNDS = 500
NEAR = 1e-5


@dataclass(frozen=True, slots=True, eq=False)
class Errors:
    """What was learnt: the share of every grade, and P(said l | is k), shape (assessors, k, l)."""

    prior: Floats
    tables: Floats


def dawid_skene(votes: Votes, *, most_rounds: int = MOST_ROUNDS, near: float = NEAR) -> Posterior:
    """The posterior of every pair's grade, by expectation and maximisation from the shares of the votes.

    Ends when no probability moves by more than `near`. Source: Dawid and Skene 1979.

    Raises WorkbenchError where fewer than three assessors gave grades.
    """
    # Of two, other tables of errors explain the votes as well, and the grades are those of the majority.
    n = len(np.unique(votes.assessors))
    if n < FEWEST_ASSESSORS:
        raise WorkbenchError(
            f"Dawid and Skene's model needs three assessors or more; here {n} gave grades",
            remedy="use the majority rule, or have a third assessor judge",
        )
    posterior = votes.shares()
    rounds, moved = 0, np.inf
    while rounds < most_rounds and moved > near:
        renewed = expected(votes, learnt(votes, posterior))
        moved = float(np.abs(renewed - posterior).max(initial=0.0))
        posterior = renewed
        rounds += 1
    errors = learnt(votes, posterior)
    right = np.einsum("k,akk->a", errors.prior, errors.tables)
    return Posterior(posterior, right, rounds, moved <= near)


def learnt(votes: Votes, posterior: Floats) -> Errors:
    """The prior and the assessors' tables that are most likely under a posterior (the M step)."""
    _, given = votes.by_pair
    counts = [(given @ of_grade).reshape(votes.n_assessors, votes.n_grades) for of_grade in posterior.T]
    tables = np.maximum(np.stack(counts, axis=1), LEAST)
    return Errors(posterior.mean(axis=0), tables / tables.sum(axis=2, keepdims=True))


def expected(votes: Votes, errors: Errors) -> Floats:
    """The posterior under a prior and tables (the E step); shape (pairs, grades)."""
    logs, (by_pair, _) = np.log(errors.tables), votes.by_pair
    of_votes = np.stack([by_pair @ logs[:, one].ravel() for one in range(votes.n_grades)])
    return normalised(of_votes + np.log(np.maximum(errors.prior, LEAST))[:, np.newaxis])


DAWID_SKENE = Rule(
    "dawid-skene",
    "Dawid and Skene",
    "the most likely grade, each assessor with own errors (1979); needs three assessors and many pairs",
    "Dawid and Skene 1979",
    slow=True,
    settle_table=most_likely(dawid_skene),
)
