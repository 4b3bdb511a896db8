"""What adapters share: a runner that promises a script only what its framework keeps."""

from __future__ import annotations

from typing import Any

import pytest

from toolscript import ConfigurationError, ContractError, tool_from
from toolscript_adapters.kit import CodeRunner, CodeRunners, Session, convert_tools


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
    with pytest.raises(ConfigurationError, match="paralel"):
        CodeRunners({"paralel": "all", "name": "code"})  # pyright: ignore
