"""Measures computed here, in numpy over all topics of a run at once; a module for each kind of them.

They are named as in ir_measures and equal what its scorers give, except where a scorer departs from the
published definition: interpolated precision and the weighted F (see the modules, and the page "Measures" of
the manual). Every other measure is computed by ir_measures.

Diversity measures read qrels with subtopics (`scoring.subtopics`); `registry.Reads` says which do.

To add a kernel: write a module with a function that takes a JudgedRun and the measure and returns the value
for each topic of the run, and name it in `registry.KERNELS` with the parameters that it understands.
"""
