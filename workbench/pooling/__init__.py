"""WHICH documents get judged.

- `strategies`: the registry of pooling strategies; `strategy`: what each of them declares
- `depth`, `fusion`, `sampling`: those that choose before anybody judges and build a `Pool`
- `adaptive_strategies`: those that choose the next document from the judgments so far; `adaptive_pool` hands
  out what they choose, to several assessors at once
- `planning`: how large a pool would be, before it is made, and the hours of judging it
- `analysis`, `contributions`, `comparison`: what an organiser asks of runs and pools
- `pool`, `run_tops`: a pool, and documents of runs, packed for speed
- `near_identical_runs`, `near_duplicate_documents`: what was submitted or collected twice

To add a strategy: write one module with a function that takes runs, its parameters and `ties` by keyword and
builds a `Pool` (or a chooser as in `adaptive_strategies`, and a function that builds an `Adaptive`), and at
its end a `Strategy`: name, help, source, parameters, the function, and `size`, which computes how many pairs
of each topic the pool would have without building it (`planning` has ready ones). A new kind of parameter is
a `ParameterKind`. Then import it in `strategies` and add it to the registry there: to `STRATEGIES` if it
builds a pool at once, to `ADAPTIVE` if it chooses while people judge. The pool and plan pages,
`workbench pool`, `workbench plan` and their campaign commands, `--strategies`, JSON, help and the laws of
`tests/pooling` take it from there; `tests/pooling/test_strategies.py` has the list of names.

Decisions:

- The overlap of two runs is the Jaccard coefficient of their pairs; from 0.95 on they are
  near-duplicates. The overlap matrix is ordered by a greedy chain. A topic is unusual beyond 1.5
  interquartile ranges.
- Near-identical runs have a mean rank-biased overlap (Webber, Moffat and Zobel 2010; p = 0.9, first 50
  documents) of at least 0.95.
"""
