"""Which calls a script makes and forgets: their errors would be heard by nobody."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolscript import CodeMode, ToolError
from toolscript.script.dropped import drops_call
from toolscript.script.ends import return_place, throw_place

DROPPED = [
    "const p = tools.ship({ id: 3 }); return 1",
    "tools.ship({ id: 3 }); return 1",
    "const all = [1, 2].map((id) => tools.ship({ id })); return 1",
    "[1, 2].forEach((id) => tools.ship({ id })); return 1",
    "[1, 2].forEach((id) => { tools.ship({ id }); }); return 1",
    "const p = Promise.all([tools.ship({ id: 3 })]); return 1",
    'const p = tools["ship"]({ id: 3 }); return 1',
    "const p = (tools.ship({ id: 3 })); return 1",
]
HEARD = [
    "const p = await tools.ship({ id: 3 }); return 1",
    "const p = tools.ship({ id: 3 }); try { await p } catch {} return 1",
    "const p = tools.ship({ id: 3 }).catch(() => 0); return 1",
    "await Promise.allSettled([1, 2].map((id) => tools.ship({ id }))); return 1",
    "const ps = []; ps.push(tools.ship({ id: 3 })); await Promise.allSettled(ps); return 1",
    "const go = (id) => tools.ship({ id }); await go(3).catch(() => 0); return 1",
    "async function go(id) { return tools.ship({ id }) } await go(3).catch(() => 0); return 1",
    "const p = { ship: tools.ship({ id: 3 }) }; return p.ship.catch(() => 0)",
]


@pytest.mark.parametrize("script", DROPPED)
def test_dropped(script: str) -> None:
    assert drops_call(f"// first\n{script}", 2, {"ship"})
    assert not drops_call(f"// first\n{script}", 1, {"ship"})
    assert not drops_call(f"// first\n{script}", 2, {"other"})


@pytest.mark.parametrize("script", HEARD)
def test_heard(script: str) -> None:
    assert not drops_call(script, 1, {"ship"})


def engine() -> CodeMode:
    def ship(id: int) -> str:
        """Ship an order."""
        raise ToolError(f"order {id} is locked")

    return CodeMode([ship], unawaited="drain")


@pytest.mark.parametrize("script", DROPPED)
async def test_its_error_is_a_warning(script: str) -> None:
    result = await engine().run(f"// first\n{script}")
    assert result.value == 1
    (told,) = [text for text in result.warnings if "failed and nobody awaited" in text]
    assert told.startswith("line 2: the call of ship ")
    assert "is locked" in told
    assert "is locked" in result.text()


@pytest.mark.parametrize("script", HEARD)
async def test_an_error_that_was_heard_is_none(script: str) -> None:
    result = await engine().run(script)
    assert not [text for text in result.warnings if "failed and nobody" in text]


PIECES = st.lists(
    st.sampled_from(
        [*"(){}[];,=.`'\n 1x\u00e9\U0001f600", "return ", "throw ", "tools.ship(", "=>"]
    ),
    max_size=30,
).map("".join)


@settings(max_examples=150, deadline=None)
@given(source=PIECES, line=st.integers(1, 5))
def test_any_text_is_looked_at_without_harm(source: str, line: int) -> None:
    lines = source.count("\n") + 1
    drops_call(source, line, {"ship"})
    for place in (return_place(source), throw_place(source)):
        assert place is None or (1 <= place[0] <= lines and place[1] >= 1)
