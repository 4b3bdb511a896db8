"""Ten questions over a real shop's data: one script each, checked against plain Python."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from langchain.agents import create_agent
from langchain_core.tools import tool

from tests.agent import CallsOnce
from tests.retail.answers import ANSWERS
from tests.retail.shop import Data, Shop, copy_of, load
from toolscript import CodeMode, CodeModeTool, RunResult

SCRIPTS = Path(__file__).with_name("scripts")


@pytest.fixture(scope="module")
def tables(shared: Path) -> Data:
    return load(shared)


async def ask(shop: Shop, question: str) -> RunResult:
    source = (SCRIPTS / f"{question}.ts").read_text(encoding="utf-8")
    async with CodeMode(shop.tools(), limits={"calls": 5_000}) as codemode:
        return await codemode.run(source)


@pytest.mark.parametrize("question", ANSWERS)
async def test_one_script_answers_the_question(tables: Data, question: str) -> None:
    expected_data = copy_of(tables)
    expected = ANSWERS[question](expected_data)
    shop = Shop(tables)

    result = await ask(shop, question)

    assert result.ok, result.text()
    assert result.value == expected
    assert shop.data == expected_data


async def test_refused_changes_are_caught_by_the_script_and_stay_in_the_receipts(
    tables: Data,
) -> None:
    result = await ask(Shop(tables), "ordered_by_mistake")

    assert result.ok
    assert [call.status for call in result.calls] == ["ok", "error", "error", "error"]


@pytest.mark.parametrize("question", ANSWERS)
async def test_an_agent_answers_with_its_one_tool(tables: Data, question: str) -> None:
    expected_data = copy_of(tables)
    expected = ANSWERS[question](expected_data)
    shop = Shop(tables)
    source = (SCRIPTS / f"{question}.ts").read_text(encoding="utf-8")
    code_tool = CodeModeTool([tool(one) for one in shop.tools()], limits={"calls": 5_000})
    agent = create_agent(CallsOnce(code=source), tools=[code_tool])

    state = await agent.ainvoke({"messages": [("user", source.splitlines()[0])]})

    [message] = [item for item in state["messages"] if item.type == "tool"]
    assert message.status == "success", message.text
    assert json.loads(message.text) == expected
    assert shop.data == expected_data


def test_there_are_ten_questions_and_each_has_its_script() -> None:
    assert sorted(ANSWERS) == sorted(path.stem for path in SCRIPTS.glob("*.ts"))
    assert len(ANSWERS) == 10
