"""WOULD IT STAND with other judges, other runs, a deeper pool, holes, fewer topics.

One module a question; each takes runs, qrels and records of its own and returns a frozen result:

- `judges`: other judges, by the qrels of `assessors` and mixtures of them; `runs`: other runs
- `depth`: a deeper pool; `holes`: unjudged documents; `fewer_topics`: fewer topics

What they stand on: `alternatives` scores runs under several qrels at once,
`orders` compares rankings by the thousand (to add a coefficient, see there), tests every two runs and has the
ranking that others are compared with, `collection_tables` has the tables of the last three.

To add a question: a module here with its result and the result's `Export`, and a command in `cli/trust`. On
the page: a line in `QUESTIONS` of `web/pages/trust.py` and what answers it in `workflow/trust/jobs.py`.

Decisions:

- A result names what it was computed from, and no figure in it stands without its n, interval or coverage.
- Whatever is drawn at random has a seed, and the result has the seed.
- Two means that differ by less than 10 ** -12 are equal: no document changes them so little, rounding does.
- A mixture has one assessor for a topic, not for a pair: assessors work so, Voorhees 2000 mixed them so, and
  the scores of a topic are computed once for each assessor, not once for each mixture.
- Scores are those of `workbench.scoring`, topic by topic: what is asked a thousand times is asked of arrays
  of scores, and no run is read or scored twice for it.
"""
