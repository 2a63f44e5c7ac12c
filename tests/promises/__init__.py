"""What the intervals and tests of the product keep, by simulation with known truth.

`python -m tests.promises` prints every table; names of parts after it print these alone, and `--repeats` says
how many collections a cell has. Seeds are fixed. It takes some minutes, and is no part of the suite, which
has small cells of the same functions.
"""
