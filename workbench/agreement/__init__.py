"""HOW FAR assessors agree.

- `ratings`, `selection`: answers as one array, and which of them a report includes under its `options`
- `coefficients`: the registry of coefficients, and all but `alpha`; to add one, see there
- `report`, `pair_report`, `pairwise`, `grades`, `estimates`: what a report has
- `export`: the same as CSV, JSON and LaTeX
- `tally`, `jackknife`, `intervals`: sums over pairs, and intervals from them
- `two_series`: an assessor's grades and earlier ones, a machine's and a person's
- `sample_size`: how many documents must be judged twice

To add a question about agreement: a module here that takes `Ratings` and returns a frozen record, its
`Export`, a use-case in `workbench.workflow.agreement`, a page in `web/pages/agreement` and a command.

Decisions:

- Included by default are the pairs that two or more assessors judged; optionally also singly judged or
  all documents, as not relevant. Unsure and cannot judge never become a grade.
- Intervals are over topics, the unit that was sampled: the jackknife on the scale of atanh, with degrees of
  freedom by the effective number of topics. Resampling topics held as little as .46 of the truth where
  relevance is rare (simulated: `tests/promises`).
- One tally of sums stands behind every coefficient. Pairs with a single grade contribute to chance
  agreement, not to observed agreement (Gwet 2014); alpha leaves them out.
- One vocabulary of verdicts, `estimates.verdict`: Landis and Koch's words, and none without an interval. A
  high agreement with a low kappa is explained when observed agreement is at least 0.8, kappa below 0.6, and S
  at least 0.2 above kappa.
"""
