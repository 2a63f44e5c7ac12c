"""What each consensus rule would make of the judgments, and of the ranking of runs, before one is used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flask import Blueprint, render_template, request

from workbench.consensus.rule_choice import (
    RuleChoice,
    choice_label,
    choice_name,
    choices_of,
    default_rules,
)
from workbench.consensus.rules import RULES
from workbench.errors import Finding, WorkbenchError
from workbench.storage import Session
from workbench.web.access import here, reader
from workbench.web.context import reading
from workbench.web.forms import findings_of, status_of
from workbench.web.pages.qrels.rule_form import OF_RULE, GradeCountRow, RuleForm, grade_rows, sent_choice
from workbench.web.requests import of_api, wants_fragment
from workbench.web.results import (
    TABLE_ONLY,
    CampaignResult,
    MadeResult,
    ResultOption,
    StillComputing,
    result,
)
from workbench.workflow.campaigns.collection import topics_of
from workbench.workflow.people.assessors import assessors_of
from workbench.workflow.qrels.qrels import who_graded_most
from workbench.workflow.qrels.rule_preview import RulePreview, preview_rules
from workbench.workflow.scores.rule_ranking import (
    MEASURE,
    PREVIEW_EXPORTS,
    RankingPreview,
    preview_ranking,
)

blueprint = Blueprint("consensus_preview", __name__, url_prefix="/c/<slug>/qrels/preview")
# How long a request may score runs before it says how far it has come.
SECONDS = 2.0
MOST_SWAPS, MOST_MOVES, MOST_EMPTY = 12, 12, 8
# Of 1,000 runs the table would be half of the page.
MOST_RUNS = 200
OF_PREVIEW = (
    ResultOption("table", "Which table", tuple(PREVIEW_EXPORTS), part="part"),
    ResultOption("rule", "A rule to compare; the usual ones if none is named", tuple(RULES), several=True),
    *(one for one in OF_RULE if one.name not in {"rule", "assessor"}),
    ResultOption("assessor", "Whose own grades are compared under the rule `one`", several=True),
    ResultOption("measure", f"The measure that ranks the runs, {MEASURE} if none is named"),
)


@dataclass(frozen=True, slots=True)
class PreviewForm:
    """What is to be compared, as the address says it; `asked` is false before the form was sent.

    `people` are the assessors whose own grades are compared under the rule `one`; `against` is the rule with
    which the others are compared in words.
    """

    asked: bool
    rule: RuleForm
    rules: tuple[str, ...]
    people: tuple[str, ...]
    measure: str
    against: str

    @property
    def choices(self) -> tuple[RuleChoice, ...]:
        """Every rule with its parameters."""
        return choices_of(self.rules, self.rule.choice, assessors=self.people)

    def arguments(self) -> dict[str, Any]:
        """The same as it stands in an address."""
        choice = self.rule.choice
        values = {
            field.parameter.name: field.value
            for field in self.rule.fields
            if field.value and field.parameter.name != "assessor"
        }
        return {
            "asked": 1,
            "rule": list(self.rules),
            **values,
            "assessor": list(self.people),
            "measure": self.measure,
            **({"against": self.against} if self.against else {}),
            **({"machines": "yes"} if choice.machines else {}),
        }


@blueprint.get("")
@reader
def index() -> str | tuple[str, int]:
    """The form and what it asks for; before it is sent, htmx fetches what it proposes."""
    with reading() as db:
        form = _form(db)
        if not form.rule.assessors or (not form.asked and not wants_fragment()):
            return _page(form)
        try:
            found = preview_rules(db, here().id, form.choices, patient="anew" not in request.args)
        except WorkbenchError as error:
            return _page(form, findings=findings_of(error, "Rules")), status_of(error)
        ranking, findings = _ranking(db, form, None if "whole" in request.args else SECONDS)
        titles = {topic.id: topic.title for topic in topics_of(db, here().id)}
    return _page(form, found, ranking, titles, not_ranked=findings)


@blueprint.get("/ranking")
@reader
def ranking() -> str:
    """The ranking of the runs as far as it is scored; htmx asks again until it is whole."""
    with reading() as db:
        form = _form(db)
        found, findings = _ranking(db, form, SECONDS)
    labels = {choice_name(choice): choice_label(choice) for choice in form.choices}
    return render_template(
        "consensus/_ranking.html", form=form, **_of_ranking(form, found, labels), not_ranked=findings
    )


@blueprint.get(f"/<any({', '.join(repr(name) for name in PREVIEW_EXPORTS)}):part>.csv")
@reader
@result(
    CampaignResult(
        "consensus.preview",
        "What each rule makes of the judgments",
        "a rule, a run, two rules or two runs, by table",
        OF_PREVIEW,
        TABLE_ONLY,
    )
)
def table_csv(part: str) -> MadeResult:
    """One table as CSV, with all rows and digits."""
    with reading() as db:
        form = _form(db)
        found = preview_rules(db, here().id, form.choices)
        ranked = None if part == "rules" else _whole_ranking(db, form)
    about = {"pairs": found.pairs, "measure": ranked.measure if ranked else None}
    return MadeResult(part, PREVIEW_EXPORTS[part](found, ranked), about=about)


def _whole_ranking(db: Session, form: PreviewForm) -> RankingPreview:
    """The ranking of a result. A program does not wait for it, but asks again: raises StillComputing."""
    seconds = SECONDS if of_api() else None
    found = preview_ranking(db, here().id, form.choices, measure=form.measure, seconds=seconds)
    if found.done < found.total:
        raise StillComputing("runs scored", found.done, found.total)
    return found


def _form(db: Session) -> PreviewForm:
    assessors = assessors_of(db, here().id)
    asked = "asked" in request.args or "rule" in request.args
    rules = tuple(request.args.getlist("rule")) if asked else default_rules()
    people = tuple(name for name in request.args.getlist("assessor") if name)
    first = who_graded_most(db, here().id)
    return PreviewForm(
        asked=asked,
        rule=RuleForm(sent_choice(rules[0] if rules else "", first), assessors),
        rules=rules,
        people=people or ((first,) if first else ()),
        measure=request.args.get("measure", "").strip() or MEASURE,
        against=request.args.get("against", ""),
    )


def _ranking(
    db: Session, form: PreviewForm, seconds: float | None
) -> tuple[RankingPreview | None, tuple[Finding, ...]]:
    try:
        return (
            preview_ranking(db, here().id, form.choices, measure=form.measure, seconds=seconds, patient=True),
            (),
        )
    except WorkbenchError as error:
        return None, findings_of(error, "Ranking", "measure")


def _page(
    form: PreviewForm,
    found: RulePreview | None = None,
    ranking: RankingPreview | None = None,
    titles: Mapping[str, str] | None = None,
    *,
    findings: tuple[Finding, ...] = (),
    not_ranked: tuple[Finding, ...] = (),
) -> str:
    labels = {line.name: line.label for line in found.rules} if found else {}
    return render_template(
        "consensus/_report.html" if wants_fragment() else "consensus/index.html",
        form=form,
        rules=RULES,
        found=found,
        grades=_grades(found) if found else {},
        titles=titles or {},
        most_empty=MOST_EMPTY,
        findings=findings,
        not_ranked=not_ranked,
        **_of_ranking(form, ranking, labels),
    )


def _of_ranking(
    form: PreviewForm, ranking: RankingPreview | None, labels: Mapping[str, str]
) -> dict[str, Any]:
    """What the part of the page on the ranking needs."""
    whole = ranking if ranking and ranking.total and ranking.done == ranking.total else None
    names = list(whole.scores) if whole else []
    against = form.against if form.against in names else (names[0] if names else "")
    plot = slopes(whole, labels) if whole else None
    return {
        "ranking": ranking,
        "whole": whole,
        "labels": labels,
        "names": names,
        "against": against,
        "versus": whole.of(against) if whole else {},
        "plot": plot,
        "rows": _score_rows(whole, plot["lines"]) if whole and plot else (),
        "most_swaps": MOST_SWAPS,
        "most_moves": MOST_MOVES,
    }


def _grades(found: RulePreview) -> dict[str, tuple[GradeCountRow, ...]]:
    return {
        line.name: grade_rows(
            line.found.by_grade,
            found.scale,
            relevant_from=line.found.relevant_from,
            own_scale=not RULES[line.choice.rule].own_scale,
        )
        for line in found.rules
        if line.found
    }


def _score_rows(
    ranked: RankingPreview, lines: Sequence[Mapping[str, Any]]
) -> list[tuple[str, list[tuple[str, int]]]]:
    """The first runs under the first rule, each with its score, as it is shown, and its rank under each."""
    found = []
    for line in sorted(lines, key=lambda one: one["ranks"][:1])[:MOST_RUNS]:
        shown = [_shown(scores[line["name"]]) for scores in ranked.scores.values()]
        found.append((line["name"], list(zip(shown, line["ranks"], strict=True))))
    return found


def _shown(score: float) -> str:
    # As `ui.decimals` writes it, which takes ten times as long for ten thousand of them.
    return f"{score:z.4f}".replace("-", "−")


def slopes(ranked: RankingPreview, labels: Mapping[str, str]) -> dict[str, Any]:
    """A line for every run over the rules, by its rank; the runs that move furthest stand out."""
    places = ranked.ranks
    runs = sorted(next(iter(ranked.scores.values()), {}))
    lines = [{"name": run, "ranks": [places[name][run] for name in places]} for run in runs]
    return {"columns": [labels.get(name, name) for name in places], "lines": lines}
