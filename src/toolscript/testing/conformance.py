"""Black-box tests that any `Runtime` must pass, graded by what it declares it can do.

    class TestMyRuntime(RuntimeConformance):
        @classmethod
        def make_runtime(cls):
            return MyRuntime()

Nothing here knows how a runtime works: programs go in, frames come out.
"""

from __future__ import annotations

import asyncio
import time
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

import pytest

from toolscript.errors import ClosedError
from toolscript.sandbox.runtime import Clock, Program, Runtime
from toolscript.sandbox.surface import Group, Helper, Member
from toolscript.testing.guest_host import Answer, Ended, execute, surface

# No single test may hang; this is a guard, not a measure.
GUARD_S: Final = 60.0
MIB: Final = 1024 * 1024


def echo(args: Any) -> Any:
    return args


async def wait_and_return(args: Any) -> Any:
    await asyncio.sleep(args["ms"] / 1000)
    return args.get("value")


def fail(args: Any) -> Any:
    raise ValueError("boom")


async def hang(args: Any) -> Any:
    await asyncio.Event().wait()


ANSWERS: Final[Mapping[Any, Answer]] = {
    0: echo,
    1: wait_and_return,
    2: fail,
    3: hang,
    "sleep": wait_and_return,
    "greet": echo,
    "codemode.search": lambda args: [{"name": "echo", "query": args["query"]}],
}
NAMES: Final = ("echo", "slow", "fail", "hang")


class RuntimeConformance:
    """Subclass it, say how to make a runtime, and let pytest collect it."""

    @classmethod
    @abstractmethod
    def make_runtime(cls) -> Runtime:
        """A new runtime, ready to open programs; the tests close it."""
        raise NotImplementedError

    @pytest.fixture(scope="class")
    @classmethod
    def runtime(cls) -> Iterator[Runtime]:
        runtime = cls.make_runtime()
        yield runtime
        asyncio.run(runtime.aclose())

    def run(self, runtime: Runtime, code: str, **options: Any) -> Ended:
        """Run the body of a script with the tools `echo`, `slow`, `fail` and `hang`."""
        program = replace(Program(code=code, surface=surface(NAMES), cpu_s=5.0), **options)

        async def bounded() -> Ended:
            async with asyncio.timeout(GUARD_S):
                return await execute(runtime, program, ANSWERS)

        return asyncio.run(bounded())

    def value(self, runtime: Runtime, code: str, **options: Any) -> Any:
        """What a script returns that must succeed."""
        ended = self.run(runtime, code, **options)
        assert ended.outcome == "returned", ended.end
        return ended.value

    # -- what it says of itself

    def test_it_describes_itself(self, runtime: Runtime) -> None:
        assert len(runtime.description) > 10
        assert runtime.isolation
        if not runtime.capabilities.sandboxed:
            assert "sandbox" in runtime.description.lower()

    # -- values

    @pytest.mark.parametrize(
        "expression",
        [
            "null",
            "true",
            "0",
            "-1.5",
            '"text"',
            "[]",
            "({})",
            '[1, [2, { a: "ü€😀" }], null]',
            '({ "": 1, "a b": 2, constructor: 3, ["__proto__"]: 4 })',
            '"\\ud800"',
            '"line\\nbreak\\u2028"',
        ],
    )
    def test_values_cross_unchanged_in_both_directions(
        self, runtime: Runtime, expression: str
    ) -> None:
        code = (
            f"const value = {expression}; const back = await tools.echo({{ value }});"
            " return [value, back.value, JSON.stringify(value) === JSON.stringify(back.value)]"
        )
        value, back, same = self.value(runtime, code)
        assert value == back
        assert same is True

    def test_nothing_returned_is_no_value(self, runtime: Runtime) -> None:
        for code in ("", "return", "return undefined"):
            ended = self.run(runtime, code)
            assert ended.outcome == "returned"
            assert ended.end is not None
            assert ended.end.value is None

    def test_integers_beyond_doubles_are_exact(self, runtime: Runtime) -> None:
        code = (
            "const { n } = await tools.echo({ n: 9007199254740993n });"
            " return [typeof n, n + 1n, { deep: [2n ** 70n] }]"
        )
        assert self.value(runtime, code) == ["bigint", 2**53 + 2, {"deep": [2**70]}]

    @pytest.mark.parametrize(
        ("expression", "path"),
        [
            ("{ rows: [1, { when: NaN }] }", "$.rows[1].when"),
            ("[() => 1]", "$[0]"),
            ("{ 'a b': Symbol('s') }", '$["a b"]'),
            ("{ m: new Map() }", "$.m"),
            ("(() => { const a = {}; a.self = a; return a })()", "$.self"),
        ],
    )
    def test_what_has_no_json_form_is_refused_with_its_path(
        self, runtime: Runtime, expression: str, path: str
    ) -> None:
        ended = self.run(runtime, f"return {expression}")
        assert ended.outcome == "invalid_output"
        assert ended.end is not None
        assert path in ended.end.message
        code = f"try {{ await tools.echo({{ v: {expression} }}) }} catch (e) {{ return e.message }}"
        ended = self.run(runtime, code)
        assert path.replace("$", "$.v") in ended.value
        assert not ended.calls

    def test_nesting_is_bounded_in_both_directions(self, runtime: Runtime) -> None:
        build = "let v = 1; for (let i = 0; i < {levels}; i++) v = [v];"
        assert self.run(runtime, build.format(levels=500) + "return v").outcome == "returned"
        for levels in (600, 200_000):
            ended = self.run(runtime, build.format(levels=levels) + "return v")
            assert ended.outcome == "invalid_output"
            code = build.format(levels=levels)
            code += "try { await tools.echo({ v }) } catch (e) { return e.code }"
            assert self.value(runtime, code) == "invalid_args"

    def test_promises_inside_the_result_are_settled(self, runtime: Runtime) -> None:
        code = "return [tools.echo({ a: 1 }), { b: tools.echo({ c: Promise.resolve }).catch(() => 2) }]"
        assert self.value(runtime, code) == [{"a": 1}, {"b": 2}]

    def test_large_values_cross(self, runtime: Runtime) -> None:
        code = "const { s } = await tools.echo({ s: 'ü'.repeat(4_000_000) }); return s.length"
        assert self.value(runtime, code) == 4_000_000

    # -- calls

    def test_calls_are_numbered_in_the_order_in_which_they_are_made(self, runtime: Runtime) -> None:
        ended = self.run(
            runtime,
            "const a = tools.slow({ ms: 30, value: 1 }); const b = greet(2);"
            " return [await b, await a, await tools.echo({ c: 3 })]",
            surface=surface(NAMES, helpers=[Helper("greet")]),
        )
        assert ended.value == [2, 1, {"c": 3}]
        assert [(call.seq, call.target) for call in ended.calls] == [(1, 1), (2, "greet"), (3, 0)]

    def test_independent_calls_are_made_at_once(self, runtime: Runtime) -> None:
        code = "return await Promise.all([30, 5, 15].map((ms, i) => tools.slow({ ms, value: i })))"
        ended = self.run(runtime, code)
        assert ended.value == [0, 1, 2]

    def test_a_thousand_calls(self, runtime: Runtime) -> None:
        code = (
            "const all = await Promise.all(Array.from({ length: 1000 }, (_, i) => tools.echo({ i })));"
            " return all.reduce((sum, { i }) => sum + i, 0)"
        )
        assert self.value(runtime, code) == 499_500

    def test_arguments_are_taken_when_the_call_is_made(self, runtime: Runtime) -> None:
        code = "const a = { n: 1 }; const p = tools.echo(a); a.n = 2; return (await p).n"
        assert self.value(runtime, code) == 1

    def test_a_failure_is_an_error_that_the_script_can_catch(self, runtime: Runtime) -> None:
        code = (
            "try { await tools.fail({}) } catch (e) { return [e instanceof ToolError,"
            " e instanceof Error, e.name, e.message, e.code] }"
        )
        assert self.value(runtime, code) == [True, True, "ToolError", "boom", "failed"]
        ended = self.run(runtime, "await tools.fail({})")
        assert ended.outcome == "threw"
        assert ended.end is not None
        assert (ended.end.name, ended.end.message, ended.end.code) == (
            "ToolError",
            "boom",
            "failed",
        )

    def test_names_reach_the_right_tool(self, runtime: Runtime) -> None:
        names = ("my-tool", "then", "constructor", "__proto__", "toJSON", "call")
        shown = surface(names)
        for index, name in enumerate(names):
            ended = self.run(runtime, f"tools[{name!r}]({{ a: 1 }}); return 1", surface=shown)
            assert [call.target for call in ended.calls] == [index], name
        ended = self.run(runtime, "await tools.my_tool()", surface=shown)
        assert [(call.target, call.args) for call in ended.calls] == [(0, b"{}")]

    def test_to_look_at_the_tools_calls_none(self, runtime: Runtime) -> None:
        ended = self.run(
            runtime,
            "const t = await tools; console.log(t, `${t}`, String(Object.keys(t)));"
            " JSON.stringify({ t }); return 'toString' in t",
            surface=surface(("a", "then", "toJSON", "toString", "constructor")),
        )
        assert ended.outcome == "returned", ended.end
        assert ended.calls == []

    def test_an_unknown_tool_explains_itself(self, runtime: Runtime) -> None:
        ended = self.run(
            runtime,
            "tools.ecoh({})",
            surface=surface(NAMES),
        )
        assert ended.end is not None
        assert (ended.end.code, ended.end.tool) == ("unknown_tool", "ecoh")
        assert "echo" in ended.end.message
        hinted = self.run(
            runtime, "tools.spawn", surface=surface(NAMES, hints={"spawn": "use fork"})
        )
        assert hinted.end is not None
        assert "use fork" in hinted.end.message

    def test_tools_by_name(self, runtime: Runtime) -> None:
        ended = self.run(
            runtime,
            "await tools.call('echo', { a: 1 }); tools.call('nobody', {}).catch(() => 0); await 0",
        )
        assert [(c.kind, c.target) for c in ended.calls] == [("tool", 0), ("named", "nobody")]

    def test_a_bare_string_fills_the_string_argument(self, runtime: Runtime) -> None:
        ended = self.run(
            runtime,
            "await tools.echo('ls', { timeout: 5 })",
            surface=surface(NAMES, string_argument="command"),
        )
        assert ended.calls[0].args == b'{"command":"ls","timeout":5}'

    def test_namespaces_have_their_own_error_class(self, runtime: Runtime) -> None:
        group = Group("github", (Member("create-issue", "create_issue", 2),), ("GitHubError", "op"))
        code = (
            "try { await tools.github.create_issue({}) } catch (e) { return ["
            "e instanceof GitHubError, e instanceof ToolError, e.name, e.op] }"
        )
        shown = surface(("echo",), groups=[group])
        expected = [True, True, "GitHubError", "create-issue"]
        assert self.value(runtime, code, surface=shown) == expected

    def test_shortcuts_and_namespaced_helpers(self, runtime: Runtime) -> None:
        shown = surface(NAMES, shortcuts={"e": 0}, helpers=[Helper("my.greet", spread=True)])
        ended = self.run(runtime, "await e({ a: 1 }); my.greet(1, 2); await 0", surface=shown)
        assert [(c.kind, c.target, c.args) for c in ended.calls] == [
            ("tool", 0, b'{"a":1}'),
            ("helper", "my.greet", b"[1,2]"),
        ]

    def test_discovery_is_answered_by_the_host(self, runtime: Runtime) -> None:
        code = "return [await codemode.search('find'), codemode.list(), ALL_TOOLS.length]"
        catalog = '[{"name":"echo","description":"d"}]'
        assert self.value(runtime, code, catalog=catalog) == [
            [{"name": "echo", "query": "find"}],
            [{"name": "echo", "description": "d"}],
            1,
        ]

    # -- output

    def test_output_arrives_in_order(self, runtime: Runtime) -> None:
        ended = self.run(
            runtime,
            "console.log('a', 1, { b: [2] }); console.error('bad'); text('t'); emit({ v: 1 });"
            " image('iVBORw0KGgo='); progress('half', 0.5); return 1",
        )
        assert [(o.type, o.text, o.stream, o.console) for o in ended.output] == [
            ("text", "a 1 { b: [ 2 ] }", "stdout", True),
            ("text", "bad", "stderr", True),
            ("text", "t", "stdout", False),
            ("value", "", "stdout", False),
            ("image", "", "stdout", False),
        ]
        assert ended.output[3].value == b'{"v":1}'
        assert ended.output[4].mime_type == "image/png"
        assert [(p.message, p.fraction) for p in ended.progress] == [("half", 0.5)]

    def test_output_of_a_failing_script_is_kept(self, runtime: Runtime) -> None:
        ended = self.run(runtime, "console.log('before'); throw new Error('x')")
        assert ended.printed == "before"
        assert ended.outcome == "threw"

    def test_exit_ends_the_script(self, runtime: Runtime) -> None:
        ended = self.run(runtime, "text('a'); try { exit() } catch {} text('b'); return 1")
        assert ended.outcome == "exited"
        assert ended.printed == "a"

    def test_stored_values(self, runtime: Runtime) -> None:
        ended = self.run(
            runtime,
            "store('k', { a: 1 }); store('gone', undefined); store('__proto__', 2);"
            " return [load('k'), load('old'), load('gone'), load('__proto__'), load('toString')]",
            store='{"old":7,"gone":8}',
        )
        assert ended.value == [{"a": 1}, 7, None, 2, None]
        assert [(s.key, s.value) for s in ended.stored] == [
            ("k", b'{"a":1}'),
            ("gone", None),
            ("__proto__", b"2"),
        ]

    def test_input_is_frozen_and_absent_where_there_is_none(self, runtime: Runtime) -> None:
        code = "input.a.push(2)"
        ended = self.run(runtime, code, input='{"a":[1]}')
        assert ended.outcome == "threw"
        assert self.value(runtime, "return typeof input") == "undefined"
        assert self.value(runtime, "return input", input="null") is None

    # -- waiting

    def test_timers_wait_in_the_host(self, runtime: Runtime) -> None:
        code = (
            "let n = 0; const id = setInterval(() => n++, 2); await sleep(30); clearInterval(id);"
            " const seen = n; await sleep(10); setTimeout(() => n = -1, 1e6);"
            " return [seen > 1, n === seen, await new Promise((r) => setTimeout(r, 1, 'x'))]"
        )
        assert self.value(runtime, code) == [True, True, "x"]

    def test_a_promise_that_nothing_can_settle_is_seen_at_once(self, runtime: Runtime) -> None:
        assert self.run(runtime, "await new Promise(() => {})").outcome == "stalled"

    # -- errors

    @pytest.mark.parametrize(
        ("code", "name", "message", "line", "column"),
        [
            ("\n  null.x", "TypeError", "null", 2, 8),
            ("throw new RangeError('r')", "RangeError", "r", 1, None),
            ("\n\nmissing", "ReferenceError", "missing", 3, None),
            ("throw 'plain'", "", "plain", None, None),
            ("throw { code: 7 }", "", '{"code":7}', None, None),
            ("throw null", "", "null", None, None),
            (
                "class MyError extends Error { name = 'Mine' }\nthrow new MyError('m')",
                "Mine",
                "m",
                2,
                None,
            ),
            (
                "\nclass A extends Error { constructor(m) { super(m) } }\n"
                "class B extends A {}\nconst make = () => new B('m')\nthrow make()",
                "Error",
                "m",
                4,
                None,
            ),
        ],
    )
    def test_errors_say_what_and_where(
        self,
        runtime: Runtime,
        code: str,
        name: str,
        message: str,
        line: int | None,
        column: int | None,
    ) -> None:
        end = self.run(runtime, code).end
        assert end is not None
        assert end.outcome == "threw"
        assert end.name == name
        assert message in end.message
        assert end.line == line
        if column is not None:
            assert end.column is not None

    def test_text_that_is_no_script_is_a_syntax_error(self, runtime: Runtime) -> None:
        for code, line in (("const = 3", 1), ("\n\nlet 1 = 2;\n", 3), ("return (", None)):
            end = self.run(runtime, code).end
            assert end is not None
            assert end.outcome == "syntax"
            if line is not None:
                assert end.line == line

    @pytest.mark.parametrize(
        "code",
        [
            "}); tools.echo({}); (async () => {",
            "}, async function () {",
            "} + function () {",
            "}} tools.echo({}); async function $() { {",
            "/*",
            "`",
        ],
    )
    def test_a_script_cannot_close_what_it_is_wrapped_in(self, runtime: Runtime, code: str) -> None:
        ended = self.run(runtime, code)
        assert ended.outcome == "syntax"
        assert ended.calls == []

    def test_a_hostile_error_is_told_as_far_as_it_can_be(self, runtime: Runtime) -> None:
        for thrown in (
            "new Proxy({}, { get() { throw 1 } })",
            "{ get message() { throw 1 }, toString() { throw 2 } }",
            "Object.defineProperty(new Error('m'), 'name', { get() { throw 1 } })",
            "(() => { const e = new Error('c'); e.cause = e; return e })()",
            "Object.assign(new Error(), { message: { toString() { throw 1 } } })",
            "new Error('x'.repeat(3_000_000))",
            "Symbol('s')",
        ):
            end = self.run(runtime, f"throw {thrown}").end
            assert end is not None
            assert end.outcome == "threw", thrown
            assert len(end.message) <= 70_000

    def test_a_rejection_that_nobody_waits_for_fails_nothing(self, runtime: Runtime) -> None:
        code = "Promise.reject(new Error('late')); queueMicrotask(() => { throw 1 }); await 0; return 1"
        assert self.value(runtime, code) == 1

    # -- isolation and tampering

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

    # -- clocks, limits, ends

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
            assert asyncio.run(close_early(code)) < GUARD_S / 4
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
