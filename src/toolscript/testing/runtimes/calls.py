"""Calls of tools and helpers: their order, their names, their failures."""

from __future__ import annotations

from toolscript.sandbox.runtime import Runtime
from toolscript.sandbox.surface import Group, Helper, Member
from toolscript.testing.guest_host import surface
from toolscript.testing.runtimes.base import NAMES, RuntimeTests


class CallTests(RuntimeTests):
    """Calls of tools and helpers: their order, their names, their failures."""

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
