"""A release in the forms of other programs: the files that are added for them to the project's own.

One module a form, each with a function from a release's contents to its files by path:

- `beir`: the folder that BEIR's loader reads
- `ir_datasets`: a definition that registers the release with ir_datasets, in a folder or in the zip
- `croissant`: Croissant metadata, which describes the files to data set search and to loaders
- `citation`: CITATION.cff, how to cite it

To add a form: a module here with its function, and its name in `FORMS` (`of_contents`).

Decisions:

- Only BEIR's folder repeats what other files have, under BEIR's keys: the definition and the metadata read
  it, and `qrels.txt`.
- What a program would misread is left out with the reason, rather than published to be misread.
"""
