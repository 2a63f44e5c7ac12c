"""HOW FAR assessors agree.

- `ratings`, `selection`: answers as one array, and which of them a report includes under its `options`
- `coefficients/`: the coefficients, one module each; to add one, see there
- `report`, `pair_report`, `pairwise`, `thresholds`, `leniency`, `grades`, `topics`: what a report has
- `export`, `latex`: the same as CSV, JSON and LaTeX
- `tally`, `resampling`, `intervals`, `linearised`: sums over pairs, and intervals from them
- `self_consistency`, `machines`, `rounds`, `overlap`: further questions
- `sample_*`: how many pairs need several judgments

To add a question about agreement: a module here that takes `Ratings` and returns a frozen record, its
`Export`, a use-case in `workbench.workflow.agreement`, a page in `web/pages/agreement` and a command.

Decisions:

- Included by default are the pairs that two or more assessors judged; optionally also singly judged or
  all documents, as not relevant. Unsure and cannot judge never become a grade.
- Intervals resample topics, the unit that was sampled, and end at expanded percentiles (Hesterberg 2015),
  because plain percentiles of few topics are too narrow. Bootstrap-t covers slightly more often with five
  topics but is half as wide again; BCa gains nothing.
- One tally of sums stands behind every coefficient: a thousand resamples are a product of two small
  matrices. Pairs with a single grade contribute to chance agreement, not to observed agreement (Gwet
  2014); alpha leaves them out.
- One vocabulary of verdicts, `bands.verdict`: Landis and Koch's words, and none below 20 pairs. A high
  agreement with a low kappa is explained when observed agreement is at least 0.8, kappa below 0.6, and S at
  least 0.2 above kappa.
"""
