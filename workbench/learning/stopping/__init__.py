"""WHEN to stop reading: one module a rule, all over the same trace of a review.

`trace` has what a rule may look at and what it answers, `rules` is the registry. A rule is advice: nothing
here ends a review.

To add a rule: a module with a function of a `ReviewTrace` and a `StoppingGoal` that returns a `StopPoint`,
and at its end a `StoppingRule`: name, definition, what it assumes, source, whether it promises anything. Then
one line in `rules`. `workbench simulate`, its help, the manual and the laws of the tests take it from there.

Decisions:

- Rules look at the ends of rounds, where the learner learns anew, and count documents, as the papers do; one
  public implementation counts rounds, which is the same only while all rounds are of one size.
- Documents that a rule has drawn at random are read: a stop counts them, and what was found in them.
- A rule that can never be satisfied says so instead of reading everything in silence.
"""
