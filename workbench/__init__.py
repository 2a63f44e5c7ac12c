"""Workbench builds information-retrieval test collections.

From Python, without a server: `from workbench import read_run, read_qrels, make_pool, agree, settle, score`.

The map of the house. Imports point inwards, from the top of this list to its end; import-linter checks it:

    web, cli      the two doors: the browser's and the terminal's
    toolkit       the door from Python: what the commands on files do, as functions
    client        a campaign on a server, from another program; needs none of the others
    demo          a small campaign to try everything on
    help          the manual: one page for each reader and step
    deployment    the files with which a server is run for others
    workflow      what people do, a room for each stage of a campaign; one function a use-case
    releases      a collection FROZEN into files that a stranger can use and check (pure)
    trust         WOULD IT STAND with other judges, other runs (pure)
    pooling       WHICH documents get judged                   (pure)
    learning      WHICH to read next, and WHEN to stop         (pure)
    searching     a collection SEARCHED, by any engine         (pure)
    agreement     HOW FAR assessors agree                      (pure)
    consensus     ONE grade from several                       (pure)
    scoring       WHAT a run is worth                          (pure)
    formats       text to records and back; streams, not paths (pure)
    storage       rows: tables, engine, migrations
    settings      where things are, read once
    ranking       the one order in which a run is read
    texts         documents and files that are templates, filled in
    records       the nouns
    tables        results as tables: shown in notebooks, given as data frames, CSV, JSON and LaTeX
    figures       counts and shares as people read them
    outside       JSON and HTML that others have written
    errors        what a person can put right
    frozen        what a record is, how it is made of a row, and its JSON

How to add one stands in the docstring of its package: a coefficient in `agreement.coefficients`, a pooling
strategy in `pooling`, a learner or a stopping rule in `learning`, a search engine in `searching`, a rule of
consensus in `consensus`, a measure in `scoring`, a format in `formats`, a page in `web.pages`, a command on
files in `cli`, one of a campaign in `cli.campaign`, an order of documents or a kind of pool in
`workflow.judging`, a kind of job in `workflow.worker`.

Where things are decided:

    a judgment is recorded          workflow/judging/record.py; the way to it, in that package's docstring
    the next document               workflow/judging/handout.py; an adaptive pool asks its strategy in
                                    pooling/adaptive_strategies.py, a queue queue_handout.py, and the desk
                                    goes through what it has by static/desk/topic.js
    an answer that comes too late   workflow/judging/unrecorded.py: stored until the organiser decides
    a run is refused, or warned of  formats/runs.py under a code of formats/run_rules.py; pages, terminal and
                                    JSON show the RunReport of formats/run_report.py
    which pairs agreement includes  agreement/selection.py, under agreement/options.py
    what kappa is                   agreement/coefficients.py; alpha, agreement/alpha.py; their intervals over
                                    topics, agreement/jackknife.py
    which pairs are disputed        consensus/disputes.py; in what order, workflow/adjudication/queue_table.py
    what takes longer than a page   workflow/jobs.py; worker.py does them, by kind; web/jobs.py asks for one
                                    and has the page wait for it
    a page of a large campaign      web/large_pages.py: the last one made, and how old; its job in page_job.py
    what the overview advises       web/pages/overview.py, from workflow/overview
    what is in a release            releases/files.py; what is carried, releases/contents.py
    what a dropped file is          formats/recognition.py; it waits in workflow/setup.py until it is added
    one grade from several          consensus/settle.py, by a rule of consensus/rules.py
    who may see a page              web/access.py; who still judges sees nothing of others, by the roles of
                                    workflow/judging/worklists.py

Glossary: one word for one thing, in names, labels and messages.

    adjudication     the decision of a pair on which assessors differ
    agreement        how far assessors give the same grades
    assessor         who judges: a person, or a machine marked as such
    assignment       a topic of a pool that an assessor is to judge
    campaign         one test collection in the making
    consensus        a rule that makes one grade of several
    current          of a pair's judgments: the latest one
    dispute          a pair with different grades
    grade            a value of the scale; unsure and cannot judge are answers, not grades
    group            who sends runs
    handout          which documents an assignment has now
    judgment         what one assessor answered about one pair
    leniency         how far an assessor's grades are above those of the others
    pair             a topic and a document
    pool             the pairs to be judged, made by a recipe
    pooled kappa     Scott's pi: chance from the grades of both assessors together
    qrels            one grade for each pair, as scorers read it
    quality check    a repeat, planted pair or training pair, used to measure an assessor
    recipe           strategy, parameters, runs, tie rule and seed of a pool
    release          a collection frozen into files, under a version that never changes
    run              a system's ranked answer to the topics, named by its tag
    scale            the grades, and the lowest one that counts as relevant
    seed             what makes a random choice come out the same again
    submission       what an assessor's screen sends about one pair
    topic            the statement of an information need
    unpooled kappa   Cohen's kappa: chance from each assessor's own grades
    unrecorded       of an answer: received, but kept apart because it could not be recorded
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workbench.toolkit import (
        agree,
        check_release,
        compare_releases,
        leave_out_groups,
        make_pool,
        rank_by_judges,
        read_qrels,
        read_release,
        read_run,
        score,
        score_on_release,
        settle,
    )

__version__ = "0.1.0"
__all__ = [
    "__version__",
    "agree",
    "check_release",
    "compare_releases",
    "leave_out_groups",
    "make_pool",
    "rank_by_judges",
    "read_qrels",
    "read_release",
    "read_run",
    "score",
    "score_on_release",
    "settle",
]


def __getattr__(name: str) -> Any:
    # Imported at its first use: every command imports this package, and few need the science.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("workbench.toolkit"), name)
