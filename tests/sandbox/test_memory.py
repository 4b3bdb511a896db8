"""Running out of memory is told as such, whatever the engine could still say."""

from __future__ import annotations

import sys

import pytest

from toolscript import CodeMode, ErrorKind

FILLERS = [
    "const a = []; for (;;) a.push({ a: 1 })",
    "const a = []; for (;;) a.push([a.length])",
    "const m = {}; for (let i = 0; ; i++) m['k' + i] = i",
    "const a = []; for (;;) a.push('x'.repeat(10000) + a.length)",
]


@pytest.mark.skipif(sys.platform != "linux", reason="a process's peak is read from /proc")
@pytest.mark.parametrize("source", FILLERS)
async def test_a_script_that_fills_its_memory_ends_as_memory(source: str) -> None:
    codemode = CodeMode([], limits={"memory_bytes": 16 * 1024 * 1024})
    full = await codemode.run(source)
    assert full.error is not None
    assert (full.error.kind, full.error.limit) == (ErrorKind.MEMORY, "memory_bytes")
    thrown = await codemode.run("throw null")
    assert thrown.error is not None
    assert thrown.error.kind is ErrorKind.EXCEPTION
