"""WHAT a run is worth.

Every measure of ir_measures is known by its name. To list one on the pages and in the help, add it to
`listed.MEASURES`. To add a measure that ir_measures does not have, write it in a module of its own, make it a
measure by `ir_measures.define_byquery`, and list it with `measure=`: it can then be named wherever a measure
can, and appears on the scores page, in the terminal, JSON, CSV and the help.

To add a measure by which the influence of a disputed pair on the ranking can be computed, write a
`gains.GainFamily` in a module of its own and name it in `listed.FAMILIES`.
"""
