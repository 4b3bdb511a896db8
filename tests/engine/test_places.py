"""Where a call stands, on its receipt and in the error that it fails with."""

from __future__ import annotations

import pytest

from toolscript import CodeMode, Namespace, tool_from


def ship(order_id: int, speed: str) -> int:
    """Fails for order 3."""
    if order_id == 3:
        raise ValueError("order 3 is on hold")
    return order_id


@pytest.mark.parametrize(
    ("script", "line", "column"),
    [
        ("\nreturn await tools.ship({ order_id: 3, speed: 'x' })", 2, 20),
        ("\nreturn await tools.ship({\n  order_id: 3,\n  speed: String('x'),\n})", 2, 20),
        ("return await tools\n  .ship({\n  order_id: Number('3'),\n  speed: 'x' })", 2, 4),
        ('return await tools["ship"]({\n  order_id: 3,\n  speed: [1].map(String)[0] })', 1, 20),
        (
            "const all = [3].map((id) => tools.ship({\n  order_id: id,\n  speed: `${id}`.trim(),\n"
            "}));\nreturn await Promise.all(all)",
            1,
            35,
        ),
        (
            "return await tools.ship({\n  order_id: (await tools.ship({\n    order_id: 1,\n"
            "    speed: String(1),\n  })) + 2,\n  speed: String(2),\n})",
            1,
            20,
        ),
        # Nothing with the tool's name spans the place: the engine's word counts.
        ("const go = tools.ship;\nreturn await go({\n  order_id: 3, speed: String(1) })", 3, 23),
    ],
)
async def test_a_call_stands_where_it_begins(script: str, line: int, column: int) -> None:
    async with CodeMode([ship]) as codemode:
        result = await codemode.run(script)
    assert result.error is not None
    assert (result.error.line, result.error.column) == (line, column)
    assert f"(script:{line}:{column})" in result.error.stack.splitlines()[0]
    assert result.calls[-1].line == line


async def test_shortcuts_and_names_of_namespaces_are_names_of_a_call() -> None:
    named = tool_from(ship, name="ship-it")
    async with CodeMode([Namespace("post", [named])], shortcuts={"send": "ship-it"}) as codemode:
        by_shortcut = await codemode.run("\nawait send({\n  order_id: 1,\n  speed: String(1),\n})")
        by_name = await codemode.run("\nawait post.ship_it({\n  order_id: 1, speed: String(1) })")
    assert [call.line for call in by_shortcut.calls] == [2]
    assert [call.line for call in by_name.calls] == [2]
