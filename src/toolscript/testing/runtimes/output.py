"""What a script says, stores, reads and waits for."""

from __future__ import annotations

from toolscript.sandbox.runtime import Runtime
from toolscript.testing.runtimes.base import RuntimeTests


class OutputTests(RuntimeTests):
    """What a script says, stores, reads and waits for."""

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

    def test_timers_wait_in_the_host(self, runtime: Runtime) -> None:
        code = (
            "let n = 0; const id = setInterval(() => n++, 2); while (n < 2) await sleep(5);"
            " clearInterval(id);"
            " const seen = n; await sleep(10); setTimeout(() => n = -1, 1e6);"
            " return [seen > 1, n === seen, await new Promise((r) => setTimeout(r, 1, 'x'))]"
        )
        assert self.value(runtime, code) == [True, True, "x"]

    def test_a_promise_that_nothing_can_settle_is_seen_at_once(self, runtime: Runtime) -> None:
        assert self.run(runtime, "await new Promise(() => {})").outcome == "stalled"
