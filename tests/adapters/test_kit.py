"""What adapters share: a runner that promises a script only what its framework keeps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from claude_agent_sdk import ClaudeAgentOptions
from pydantic_ai.toolsets import FunctionToolset

from toolscript import ConfigurationError, ContractError, tool_from
from toolscript_adapters import (
    anthropic,
    claude_agent_sdk,
    fastmcp,
    google_adk,
    llama_index,
    mcp,
    openai_agents,
    pydantic_ai,
    strands,
)
from toolscript_adapters.kit import CodeRunner, Session, convert_tools


def add(a: int, b: int) -> int:
    """Add."""
    return a + b


async def test_scripts_have_a_store_only_where_the_framework_keeps_it() -> None:
    script = "store('n', (load('n') ?? 0) + 1); return load('n');"
    kept: dict[str, Any] = {}
    keeping = CodeRunner([add], {}, stores=True)
    assert "store(" in keeping.prompt
    answers = [await keeping.begin(script, Session(None, "c"), store=kept) for _ in range(2)]
    assert [answer.value for answer in answers] == [1, 2]
    assert kept == {"n": 2}
    other = CodeRunner([add], {})
    assert "store(" not in other.prompt
    assert (await other.begin("return typeof store", Session(None, "c"))).value == "undefined"


def test_parts_of_the_wrong_kind() -> None:
    wrong: Any = add
    with pytest.raises(ContractError, match=r"goes in a list: \[add\]"):
        convert_tools(wrong, tool_from)
    with pytest.raises(ConfigurationError, match=r'Policy\(add, version="1"\)'):
        CodeRunner([add], {"policy": wrong})
    with pytest.raises(ConfigurationError, match="profile"):
        CodeRunner([add], {"profile": wrong})


CODE_TOOLS: list[tuple[Callable[..., Any], tuple[Any, ...], str]] = [
    (google_adk.CodeModeToolset, ([add],), "tools"),
    (llama_index.CodeModeTool, ([add],), "requires_approval"),
    (strands.CodeModePlugin, (), "keep"),
    (pydantic_ai.CodeModeCapability, (), "tools"),
    (pydantic_ai.CodeModeToolset, (FunctionToolset([]),), "wrapped"),
    (openai_agents.code_tool, ([add],), "hooks"),
    (openai_agents.custom_code_tool, ([add],), "hooks"),
    (anthropic.code_tool, ([add],), "tools"),
    (anthropic.sync_code_tool, ([add],), "tools"),
    (claude_agent_sdk.code_server, ([add], ClaudeAgentOptions()), "server"),
    (fastmcp.CodeTransform, (), "tool_options"),
    (mcp.code_server, ([add],), "tools"),
]


@pytest.mark.parametrize(("make", "given", "own"), CODE_TOOLS)
def test_a_code_tool_names_what_it_takes_when_it_is_made(
    make: Callable[..., Any], given: tuple[Any, ...], own: str
) -> None:
    with pytest.raises(ConfigurationError, match=r"'nme'.*did you mean 'name'") as unknown:
        make(*given, nme="code")
    for name in (own, "approver", "prompt_tokens", "track_lines", "policy"):
        assert name in str(unknown.value)
    for wrong in (
        {"name": ""},
        {"result_tokens": 0},
        {"authority": "ada"},
        {"parallel": "some"},
        {"journal": "x.db"},
    ):
        with pytest.raises(ConfigurationError, match=next(iter(wrong))):
            make(*given, **wrong)


def test_names_of_tools_that_ask_are_checked() -> None:
    with pytest.raises(ConfigurationError, match=r"requires_approval=.*write \['add'\]"):
        llama_index.CodeModeTool([add], requires_approval="add")
    with pytest.raises(ConfigurationError, match=r"no tool 'ad' \(did you mean 'add'\?\)"):
        llama_index.CodeModeTool([add], requires_approval=["ad"])
    with pytest.raises(ConfigurationError, match=r"keep=.*write \['add'\]"):
        strands.CodeModePlugin(keep="add")
