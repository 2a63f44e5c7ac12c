"""WHICH document to read next by what was judged, and WHEN to stop reading.

One topic at a time: the collection is a matrix of tf-idf weights (`vectors`), a learner scores it by the
topic's text and judgments (`learners`), they are read in rounds (`review`), and `stopping` has the rules
that say when enough was read. `simulation` runs all of it on judged collections, with the measures of
`effort`.

To add a learner: a function of a `Lesson` in `learners` and its line in `LEARNERS`. To add a stopping rule:
see `stopping`. `workbench simulate`, its help and the manual take both from the registries.

Decisions:

- A model knows the topic's text, the judgments of its round and a seed, and nothing of the models before it:
  any host trains the same one from the same judgments.
- Documents are ordered by docno (bytes) before anything is drawn or ranked, so that the order of a file
  decides nothing. Scores are compared after rounding, so that the last digits of a sum decide nothing either.
- Columns are hashed: the number of words in a collection does not bound its size, and no vocabulary is
  stored.
"""
