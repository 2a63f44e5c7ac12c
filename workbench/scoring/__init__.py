"""WHAT a run is worth.

Every measure of ir_measures is known by its name. To list one on the pages and in the help, add it to
`own_measures.MEASURES`. There are two ways to add a measure that ir_measures does not have. The short one,
topic by topic: write it in a module of its own, make it a measure by `ir_measures.define_byquery`, and list
it there with `measure=`. The fast one, over all topics at once: define it in `own_measures.OWN` and give it a
kernel in `kernels.KERNELS`; the laws of measures are tested for every kernel. Either can then be named
wherever a measure can, and appears on the scores page, in the terminal, JSON, CSV and the help. A parameter
that is a number has its bounds in `measures`, which reads the names. A curve is a function in
`curves.CURVES`. `scorer.KnownDocuments` has what needs a second set of documents.

To add a measure by which the influence of a disputed pair on the ranking can be computed, write a
`influence.GainFamily` in a module of its own and name it in `own_measures.FAMILIES`.

Whether runs differ is `significance` for two of them and `pairs_of_runs` for all.

Decisions:

- Runs are scored in the one order (`workbench.ranking`), handed to the scorer as ranks so that every
  measure sees the same order. Pools compare scores as doubles; scoring merges what single precision
  cannot distinguish, as ir-measures, pytrec_eval and trec_eval until 2023 do, so that published figures
  are reproduced.
- Diversity measures are computed from qrels whose second column names subtopics, equal to NIST's ndeval. With
  such qrels a measure of one grade a document is refused: whoever took the highest, or the last as
  pytrec_eval does, would compute a figure that nobody publishes.
- The influence of a dispute is exact: every run is scored under each outcome (nDCG@100 unless chosen),
  then the pairs of runs that change places are counted (Kendall's distance, ties one half), then how
  unevenly the scores move.
"""
