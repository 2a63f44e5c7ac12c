"""HOW FAR assessors agree.

Decisions:

- Included by default are the pairs that two or more assessors judged; optionally also singly judged or
  all documents, as not relevant. Unsure and cannot judge never become a grade.
- Intervals resample topics, the unit that was sampled, and end at expanded percentiles (Hesterberg 2015),
  because plain percentiles of few topics are too narrow. Bootstrap-t covers slightly more often with five
  topics but is half as wide again; BCa gains nothing.
- One tally of sums stands behind every coefficient: a thousand resamples are a product of two small
  matrices. Pairs with a single grade contribute to chance agreement, not to observed agreement (Gwet
  2014); alpha leaves them out.
- Bands are Landis and Koch's, and every page says so. A high agreement with a low kappa is explained when
  observed agreement is at least 0.8, kappa below 0.6, and S at least 0.2 above kappa.
"""
