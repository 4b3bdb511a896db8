"""Running out of memory is told as such, whatever the engine could still say."""

from __future__ import annotations

import sys

import pytest

from tests.processes import needs_proc
from toolscript import CodeMode, ErrorKind, QuickJSRuntime

MIB = 1024 * 1024
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


@needs_proc
async def test_a_run_tells_what_its_worker_held_at_most() -> None:
    runtime = QuickJSRuntime(max_workers=1)
    async with CodeMode([], runtime=runtime) as codemode:
        small = await codemode.run("return 1")
        large = await codemode.run("const text = 'x'.repeat(40_000_000); return text.length")
        again = await codemode.run("return 1")
    await runtime.aclose()
    sizes = [result.usage.memory_peak_bytes for result in (small, large, again)]
    assert all(size is not None and size > 4 * MIB for size in sizes)
    assert (sizes[1] or 0) - (sizes[0] or 0) > 30 * MIB
    assert (sizes[2] or 0) <= (sizes[1] or 0)


@needs_proc
async def test_a_run_that_was_killed_tells_it_too() -> None:
    async with CodeMode([], limits={"cpu_s": 0.3}) as codemode:
        result = await codemode.run(
            "const text = 'x'.repeat(40_000_000);"
            " Array.prototype.reverse.call({ length: 2 ** 53 - 1, text })"
        )
    assert (result.usage.memory_peak_bytes or 0) > 40 * MIB
