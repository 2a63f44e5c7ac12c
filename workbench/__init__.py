"""Workbench builds information-retrieval test collections.

The map of the house; imports point inwards, from the top of this list to its end:

    web, cli      the two doors: the browser's and the terminal's
    demo          a small campaign to try everything on
    help          the manual: one page for each reader and step
    workflow      what people do, in campaign order; one function a use-case
    pooling       WHICH documents get judged                   (pure)
    agreement     HOW FAR assessors agree                      (pure)
    consensus     ONE grade from several                       (pure)
    scoring       WHAT a run is worth                          (pure)
    formats       text to records and back; streams, not paths (pure)
    storage       rows: tables, engine, migrations
    settings      where things are, read once
    ranking       the one order in which a run is read
    export        one result as CSV, JSON and LaTeX
    records       the nouns
    errors        what a person can put right
"""

__version__ = "0.1.0"
