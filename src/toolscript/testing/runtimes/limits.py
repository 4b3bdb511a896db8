"""Isolation of scripts, bounds of what they use, and their ends."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace

import pytest

from toolscript.errors import ClosedError
from toolscript.sandbox.runtime import Clock, Program, Runtime
from toolscript.testing.guest_host import Ended, execute, surface
from toolscript.testing.runtimes.base import ANSWERS, GUARD_S, MIB, NAMES, RuntimeTests


class LimitTests(RuntimeTests):
    """Isolation of scripts, bounds of what they use, and their ends."""

    def test_nothing_is_left_from_an_earlier_script(self, runtime: Runtime) -> None:
        self.run(runtime, "globalThis.left = 1; Array.prototype.left = 2; leaked = 3; return 1")
        code = "return [typeof left, [].left === undefined, typeof leaked]"
        assert self.value(runtime, code) == ["undefined", True, "undefined"]

    def test_what_a_script_must_not_have(self, runtime: Runtime) -> None:
        names = [
            "fetch",
            "require",
            "process",
            "std",
            "os",
            "Deno",
            "Bun",
            "window",
            "performance",
            "XMLHttpRequest",
        ]
        code = f"return {names!r}.filter((name) => name in globalThis)"
        if runtime.capabilities.sandboxed:
            assert self.value(runtime, code) == []

    @pytest.mark.parametrize(
        "tampering",
        [
            "Promise.prototype.then = () => { throw 1 }",
            "globalThis.Promise = class { constructor() { throw 1 } }",
            "JSON.parse = JSON.stringify = () => 'forged'",
            "Array.prototype[Symbol.iterator] = function* () { yield 'forged' }",
            "Object.defineProperty(Array.prototype, '0', { set() { throw 1 }, configurable: true })",
            "Object.defineProperty(Object.prototype, 'value', { get: () => 'forged', set() {} })",
            "Object.prototype.get = () => 'forged'",
            "Function.prototype.call = Function.prototype.apply = () => 'forged'",
            "for (const k of Reflect.ownKeys(Reflect)) delete Reflect[k]",
            "String.prototype.charCodeAt = String.prototype.slice = () => 'forged'",
            "Object.keys = Object.freeze = Object.hasOwn = () => ['forged']",
            "Map.prototype.get = WeakMap.prototype.get = () => 'forged'",
            "Error.stackTraceLimit = 0; Error.prepareStackTrace = () => { throw 1 }",
            "Object.setPrototypeOf(Array.prototype, null)",
        ],
    )
    def test_tampering_does_not_reach_the_bridge(self, runtime: Runtime, tampering: str) -> None:
        code = (
            f"{tampering};\nconst r = await tools.echo({{ a: [1, 'x'] }});"
            " console.log('%s', r.a.length);"
            " let code; try { await tools.fail({}) } catch (e) { code = e.code }"
            " return { got: r, code }"
        )
        ended = self.run(runtime, code)
        assert ended.outcome == "returned", ended.end
        assert ended.value == {"got": {"a": [1, "x"]}, "code": "failed"}
        assert ended.printed == "2"

    def test_a_pinned_clock_and_random_source_repeat(self, runtime: Runtime) -> None:
        if not runtime.capabilities.deterministic:
            pytest.skip("the runtime does not declare `deterministic`")
        code = "return [Date.now(), new Date().toISOString(), Math.random(), Math.random()]"
        clock = Clock(now_ms=1_700_000_000_000, seed=7)
        first = self.value(runtime, code, clock=clock)
        assert first == self.value(runtime, code, clock=clock)
        assert first[:2] == [1_700_000_000_000, "2023-11-14T22:13:20.000Z"]
        assert first[2] != first[3]
        other = self.value(runtime, code, clock=replace(clock, seed=8))
        assert other[2] != first[2]

    def test_calls_are_numbered_alike_however_results_are_batched(self, runtime: Runtime) -> None:
        code = (
            "const one = async (i) => { await tools.echo({ i }); await 0; await 0;"
            " return tools.echo({ after: i }) };"
            " await Promise.all([1, 2, 3].map(one)); return 1"
        )
        ended = self.run(runtime, code)
        again = self.run(runtime, code)
        assert [c.args for c in ended.calls] == [c.args for c in again.calls]

    def test_computing_is_bounded(self, runtime: Runtime) -> None:
        for code in ("for (;;);", "for (;;) await 0", "try { for (;;); } finally { for (;;); }"):
            assert self.run(runtime, code, cpu_s=0.2).outcome == "timeout"
        assert self.value(runtime, "return 1") == 1

    def test_a_look_alike_of_an_interrupt_is_an_ordinary_error(self, runtime: Runtime) -> None:
        for message in ("interrupted", "out of memory"):
            code = f"const e = new Error('{message}'); e.name = 'InternalError'; throw e"
            assert self.run(runtime, code).outcome == "threw"

    def test_memory_is_bounded(self, runtime: Runtime) -> None:
        code = "const a = []; for (;;) a.push(new Array(10_000).fill(1))"
        ended = self.run(runtime, code, memory_bytes=32 * MIB)
        assert ended.outcome == "memory"
        assert self.value(runtime, "return 1") == 1

    def test_recursion_is_an_ordinary_error(self, runtime: Runtime) -> None:
        code = "function f() { f() } try { f() } catch (e) { return e.name }"
        assert self.value(runtime, code, stack_bytes=MIB) == "RangeError"

    def test_code_from_text_can_be_forbidden(self, runtime: Runtime) -> None:
        code = (
            "const no = (f) => { try { f(); return false } catch { return true } };"
            " return [no(() => eval('1')), no(() => new Function('1')),"
            " no(() => (() => 1).constructor('1')), no(() => (async () => 1).constructor('1')),"
            " (() => 1) instanceof Function]"
        )
        assert self.value(runtime, code, allow_eval=False) == [True] * 5
        assert self.value(runtime, "return eval('1 + 1')") == 2

    def test_modules_of_the_program(self, runtime: Runtime) -> None:
        code = "const m = await $module.load('m'); return [m.x, m === (await $module.load('m'))]"
        assert self.value(runtime, code, modules={"m": "return { x: 5 }"}) == [5, True]

    def test_what_a_runtime_that_kills_ends(self, runtime: Runtime) -> None:
        if not runtime.capabilities.kills_native_loops:
            pytest.skip("the runtime does not declare `kills_native_loops`")
        code = "Array.prototype.reverse.call({ length: 2 ** 53 - 1 })"
        assert self.run(runtime, code, cpu_s=0.2).outcome in ("timeout", "threw")
        assert self.value(runtime, "return 1") == 1

    def test_closing_an_execution_stops_it(self, runtime: Runtime) -> None:
        async def close_early(code: str) -> float:
            program = Program(code=code, surface=surface(NAMES), cpu_s=20.0)
            execution = await runtime.open(program)
            await asyncio.sleep(0.1)
            began = time.monotonic()
            await execution.aclose()
            execution.resolve(1, "1")
            return time.monotonic() - began

        codes = ["await tools.hang({})"]
        if runtime.capabilities.kills_native_loops:
            codes.append("for (;;) { try { for (;;); } finally { continue } }")
        for code in codes:
            assert asyncio.run(close_early(code)) < GUARD_S
            assert self.value(runtime, "return 1") == 1

    def test_runs_at_once_do_not_mix(self, runtime: Runtime) -> None:
        async def many() -> list[Ended]:
            programs = [
                Program(
                    code=f"let n = {i}; for (let k = 0; k < 5; k++)"
                    " n = (await tools.echo({ n })).n + 1; return n",
                    surface=surface(NAMES),
                )
                for i in range(12)
            ]
            return await asyncio.gather(*(execute(runtime, p, ANSWERS) for p in programs))

        assert [ended.value for ended in asyncio.run(many())] == [i + 5 for i in range(12)]

    def test_a_closed_runtime_opens_nothing(self) -> None:
        async def close_and_open() -> None:
            runtime = self.make_runtime()
            await runtime.aclose()
            await runtime.aclose()
            with pytest.raises(ClosedError):
                await runtime.open(Program(code="return 1", surface=surface(())))

        asyncio.run(close_and_open())
