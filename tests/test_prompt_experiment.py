"""The prompt experiment in benchmarks/prompt: its judge, its papers, and the record of scripts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.prompt import paper
from benchmarks.prompt.github import HANDLERS
from benchmarks.prompt.judge import judge, search, table
from benchmarks.prompt.tasks import PAPERS, TASKS, World

SCRIPTS = Path(paper.__file__).with_name("scripts")
RECORD = SCRIPTS / "outcomes.json"
FEW_CALLS = 60
"""Scripts that read the whole shop take seconds; the judge itself runs those."""

pytestmark = pytest.mark.usefixtures("shared")


def recorded() -> list[dict[str, Any]]:
    return json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else []


def task(id: str) -> Any:
    return next(task for task in TASKS if task.id == id)


@pytest.mark.parametrize(
    ("id", "script", "verdict", "kind"),
    [
        (
            "retail_cancel_small_orders",
            """
            for (const order_id of ["#W5694685", "#W6689278"]) {
              await tools.cancel_order({ order_id, reason: "no longer needed" });
            }
            return ["#W5694685", "#W6689278"];
            """,
            "right",
            "",
        ),
        ("retail_cancel_small_orders", 'return ["#W5694685", "#W6689278"];', "wrong", "data"),
        ("retail_cancel_small_orders", "return [];", "wrong", "answer"),
        ("retail_cancel_small_orders", "return (;", "failed", "syntax"),
        (
            "github_close_untriaged",
            """
            const at = { owner: "acme", repo: "shopfront", state: "closed" };
            const numbers = [21, 63, 91];
            for (const issue_number of numbers) {
              await tools.issue_write({
                ...at, method: "update", issue_number, state_reason: "not_planned",
              });
            }
            return numbers;
            """,
            "right",
            "",
        ),
        (
            "github_open_work",
            'return await tools.list_issues({ owner: "acme", repo: "nowhere" });',
            "failed",
            "exception failed",
        ),
    ],
)
async def test_the_judge_tells_right_from_wrong(
    tmp_path: Path, id: str, script: str, verdict: str, kind: str
) -> None:
    (tmp_path / f"{id}.ts").write_text(script, encoding="utf-8")

    outcome = await judge(task(id), tmp_path)

    assert (outcome.verdict, outcome.kind) == (verdict, kind), outcome.detail
    assert id in table([outcome])


async def test_a_script_that_nobody_wrote_is_missing(tmp_path: Path) -> None:
    assert (await judge(TASKS[0], tmp_path)).verdict == "missing"


async def test_a_search_leaves_what_its_reader_gets_to_see(tmp_path: Path) -> None:
    found = task("github_urgent_alerts")
    source = 'return await codemode.search("list dependabot alerts", { limit: 3 });'
    (tmp_path / f"{found.id}.search.ts").write_text(source, encoding="utf-8")

    await search(found, tmp_path)

    seen = (tmp_path / f"{found.id}.search.txt").read_text(encoding="utf-8")
    assert "list_dependabot_alerts(args" in seen


@pytest.mark.parametrize("name", PAPERS)
def test_a_paper_is_the_prompt_and_the_tasks(name: Any) -> None:
    text = paper.paper(name)

    assert text.startswith(World(name).engine.prompt(max_tokens=PAPERS[name]).rstrip())
    assert "toolscript" not in text
    for one in TASKS:
        assert (one.text in text) == (one.paper == name)


def test_there_are_forty_tasks_and_an_answer_for_every_tool_of_the_catalogue() -> None:
    assert len({task.id for task in TASKS}) == 40
    assert {tool.name for tool in World("github").engine.contract.tools} == set(HANDLERS)


@pytest.mark.parametrize(
    "outcome",
    [one for one in recorded() if one["calls"] <= FEW_CALLS],
    ids=lambda outcome: outcome["task"],
)
async def test_a_recorded_script_still_comes_to_its_outcome(outcome: dict[str, Any]) -> None:
    now = await judge(task(outcome["task"]), SCRIPTS)

    assert (now.verdict, now.kind) == (outcome["verdict"], outcome["kind"]), now.detail
