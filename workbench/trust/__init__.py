"""WOULD IT STAND with other judges, other runs, a deeper pool, holes, fewer topics.

One module a question; each takes runs, qrels and records of its own and returns a frozen result:

- `judges`: other judges; `runs`: other runs
- `depth`: a deeper pool; `holes`: unjudged documents; `fewer_topics`: fewer topics

To add a question: a module here with its result and the result's `Export`, and a command in `cli/trust`.

Decisions:

- A result names what it was computed from, and no figure in it stands without its n, interval or coverage.
- Whatever is drawn at random has a seed, and the result has the seed.
- Scores are those of `workbench.scoring`, topic by topic: what is asked a thousand times is asked of arrays
  of scores, and no run is read or scored twice for it.
"""
