"""WHICH documents get judged.

A strategy is one file: a function that takes runs and keywords, and its line in a catalogue (`Strategy`).

- `strategies`: the catalogue of those that choose before anybody judges; they give a `pool.Pool`
- `depth`, `take_n`, `fusion/`, `sampling/`: those strategies
- `adaptive/`: those that choose the next document from the judgments so far, and their catalogue
- `summary`, `growth`, `contributions`, `overlap`, `cut_ties`, `rank_biased`: what an organiser asks of a pool
- `difference`, `comparison`: what enters, what leaves, what is left to judge; by topic and run
"""
