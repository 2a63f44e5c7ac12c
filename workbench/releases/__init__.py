"""A RELEASE: what a collection is at one time, frozen into files that a stranger can use and check.

- `contents` is the one record of what goes in; `files` writes it, `reading` reads it again, `archive` makes
  the zip
- `datasheet` is what is said about it; `record_form` is records as JSON
- `forms` are the release in the forms of other programs: ir_datasets, BEIR, Croissant, CITATION.cff
- `check` finds what is damaged; `zipped` reads a zip part by part; `comparison` says what changed between
  two releases

Decisions:

- The bytes depend on the contents alone: no clock, locale, hash seed, database or compressor has a say. So
  whoever has the contents can make the very release again, and `check` does.
- A release carries all of the history: every answer and decision with its time, not only the current ones,
  since agreement is measured on what assessors answered before they discussed a pair. What it does not carry
  are quality checks (repeats, planted pairs, training), which measure people and not documents; drafts,
  assignments, accounts and names. `Included` names what is carried by choice only.
- Pseudonyms are numbered in an order that a secret seed decides, kept with the campaign and never reused, so
  that they are the same in all its releases. The seed is not in the release: with it and a list of names
  anybody could tell who is who. Machines keep their names.
- Sequences are sorted by bytes of ids, then pseudonym, then the order in which entries were recorded, so that
  a database filled in another order gives the same release.
- Qrels, `qrels_jg` and each assessor's file hold nothing but lines of grades; unsure and cannot judge stand
  in `judgments.tsv` and the history.
"""
