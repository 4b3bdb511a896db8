"""What a model is told of a mistake that only the run's own calls explain."""

from __future__ import annotations

from typing import Any

import pytest

from toolscript import CodeMode


def get_user(id: str) -> dict[str, Any]:
    """Get a user."""
    return {"id": id, "customer_name": "Ada", "items": [{"sku": "a", "unit_price": 2}]}


def fail(why: str) -> None:
    """Fail."""
    raise ValueError(why)


@pytest.mark.parametrize(
    ("script", "meant"),
    [
        ("return u.itmes.length", "items"),
        ("return u.item.map((x) => x.sku)", "items"),
        ("return u.items.map((x) => x.price.toFixed(2))", "unit_price"),
        ("return u.customer.name", "customer_name"),
    ],
)
async def test_a_wrong_property_of_a_result_is_answered_by_the_right_one(
    script: str, meant: str
) -> None:
    async with CodeMode([get_user]) as codemode:
        result = await codemode.run(f"const u = await tools.get_user({{ id: '1' }});\n{script}")
    assert result.error is not None
    assert f"did you mean `{meant}`, which get_user returned?" in result.error.hint


async def test_a_property_that_resembles_none_is_left_to_the_shape() -> None:
    async with CodeMode([get_user]) as codemode:
        result = await codemode.run("const u = await tools.get_user({ id: '1' });\nreturn u.zzz.x")
    assert result.error is not None
    assert "did you mean" not in result.error.hint
    assert "get_user returned { id: string" in result.text()


@pytest.mark.parametrize(
    ("dropped", "told"),
    [
        ("const f = async () => { throw new Error('lost') };\nf();", "f(), which nobody awaits (line 2)"),
        ("async function f() { await tools.fail({ why: 'lost' }) }\nf();", "f(), which nobody awaits"),
        ("(async () => { throw new Error('lost') })();", "an async function, which nobody awaits"),
        ("Promise.resolve(1).then(() => { throw 'lost' });", "a promise, which nobody awaits"),
    ],
)  # fmt: skip
async def test_what_a_dropped_promise_throws_is_printed(dropped: str, told: str) -> None:
    async with CodeMode([get_user, fail]) as codemode:
        result = await codemode.run(f"{dropped}\nawait sleep(20);\nreturn 1")
    assert result.value == 1
    printed = "".join(item.text or "" for item in result.output)
    assert f"Uncaught in {told}" in printed
    assert "lost" in printed


@pytest.mark.parametrize(
    "script",
    [
        "async function main() { throw new Error('kept') }\nmain()",
        "async function main() { throw new Error('kept') }\nawait main();\nreturn 1",
        "async function main() { throw new Error('kept') }\ntype T = string;\nmain();\ntype U = T;",
    ],
)
async def test_what_is_awaited_throws_as_ever(script: str) -> None:
    async with CodeMode([]) as codemode:
        result = await codemode.run(script)
    assert result.error is not None
    assert (result.error.message, result.error.line, result.error.column) == ("kept", 1, 35)
    assert result.output == ()


async def test_places_behind_a_dropped_promise_are_those_of_the_script() -> None:
    async with CodeMode([]) as codemode:
        result = await codemode.run("const f = async () => 1;\nf(); null.x;\nreturn 1")
    assert result.error is not None
    assert (result.error.line, result.error.column) == (2, 6)
    assert result.error.excerpt.startswith("f(); null.x;")
