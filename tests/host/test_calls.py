"""The stages of a call, through scripts: what each one refuses, and that nothing runs before it."""

from __future__ import annotations

import asyncio
import threading
import time
from dataclasses import dataclass
from datetime import date
from typing import Any

import pytest

from tests.clock import Clock
from tests.host.support import run, tool
from toolscript.contract.tool import Retry, ToolValue
from toolscript.errors import ToolError
from toolscript.host.cancel import CancelToken
from toolscript.result import ErrorKind

ADD = {
    "type": "object",
    "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
    "required": ["a", "b"],
    "additionalProperties": False,
}

CAUGHT = "try { return ['value', %s] } catch (e) { return [e.code, e.message, e.details ?? null] }"


async def add(args: Any, context: Any) -> int:
    return args["a"] + args["b"]


async def caught(call: str, *tools: Any, **setup: Any) -> list[Any]:
    result = await run(CAUGHT % f"await {call}", tools, **setup)
    assert result.error is None, result.error
    return result.value


async def test_a_call_gives_what_the_tool_returns() -> None:
    result = await run("return await tools.add({ a: 1, b: 2 })", [tool("add", add, schema=ADD)])
    assert (result.status, result.value) == ("completed", 3)
    [call] = result.calls
    assert (call.seq, call.tool, call.status, call.args, call.result, call.line) == (
        1,
        "add",
        "ok",
        {"a": 1, "b": 2},
        3,
        1,
    )
    assert call.started_at is not None
    assert result.usage.calls == 1


async def test_a_blocking_tool_runs_beside_its_siblings() -> None:
    meet = threading.Barrier(8, timeout=60)

    def wait(args: Any, context: Any) -> int:
        meet.wait()
        return 1

    result = await run(
        "return (await Promise.all([1,2,3,4,5,6,7,8].map(() => tools.wait({})))).length",
        [tool("wait", wait)],
    )
    assert result.value == 8


@pytest.mark.parametrize(
    ("args", "says"),
    [
        ("{ a: 1 }", "b"),
        ("{ a: 1, b: 'x' }", "integer"),
        ("{ a: 1, b: 2, c: 3 }", "c"),
        ("[1]", "object"),
        ("5", "object"),
        ("'text'", "object"),
    ],
)
async def test_arguments_that_do_not_fit_never_reach_the_tool(args: str, says: str) -> None:
    ran: list[Any] = []

    async def call(args: Any, context: Any) -> None:
        ran.append(args)

    code, message, _ = await caught(f"tools.t({args})", tool("t", call, schema=ADD))
    assert code == "invalid_args"
    assert says in message
    assert not ran


@pytest.mark.parametrize(
    ("args", "expected", "note"),
    [
        ("{ a: '1', b: 2 }", 3, "a"),
        ("{ a: '1', b: '2' }", 3, "a, b"),
        ('\'{"a": 1, "b": 2}\'', 3, "arguments"),
    ],
)
async def test_a_string_that_is_exactly_the_value_is_taken_and_noted(
    args: str, expected: int, note: str
) -> None:
    result = await run(f"return await tools.add({args})", [tool("add", add, schema=ADD)])
    assert result.value == expected
    assert result.calls[0].note is not None
    assert result.calls[0].note.startswith(note)


async def test_a_string_stays_one_where_the_schema_allows_it() -> None:
    schema = {"type": "object", "properties": {"q": {"type": ["string", "integer"]}}}

    async def call(args: Any, context: Any) -> Any:
        return args["q"]

    result = await run("return await tools.t({ q: '5' })", [tool("t", call, schema=schema)])
    assert result.value == "5"
    assert result.calls[0].note is None


async def test_the_frameworks_own_validation_is_asked_instead_of_the_schema() -> None:
    def parse(args: dict[str, Any]) -> Any:
        if "n" not in args:
            raise ValueError("n is missing")
        return args["n"] * 2

    async def call(args: Any, context: Any) -> Any:
        return args

    one = tool("t", call, schema=ADD, parse_input=parse)
    assert (await caught("tools.t({ n: 4 })", one))[1] == 8
    assert (await caught("tools.t({})", one))[:2] == ["invalid_args", "n is missing"]
    assert (await caught("tools.t([])", one))[0] == "invalid_args"


async def test_too_large_arguments_and_results_fail_their_call_only() -> None:
    async def call(args: Any, context: Any) -> str:
        return "x" * args["n"]

    one = tool("t", call, result_bytes=100)
    code, _, details = await caught("tools.t({ n: 99 })", one)
    assert code == "too_large"
    assert details == {"limit": "result_bytes", "allowed": 100, "seen": 101}
    assert (await caught("tools.t({ n: 98 })", one))[0] == "value"
    code, _, details = await caught("tools.t({ n: 1 })", one, limits={"argument_bytes": 6})
    assert (code, details["seen"]) == ("too_large", 7)


async def test_results_that_do_not_fit_are_errors_of_their_call() -> None:
    async def call(args: Any, context: Any) -> Any:
        return "text"

    def dump(value: Any) -> Any:
        raise ValueError("not today")

    schema = tool("t", call, output={"type": "integer"})
    assert (await caught("tools.t({})", schema))[0] == "invalid_result"
    assert (await caught("tools.t({})", schema, knobs={"validate": "input"}))[0] == "value"
    dumped = tool("t", call, dump_output=dump)
    assert (await caught("tools.t({})", dumped))[0] == "invalid_result"


@dataclass
class Row:
    when: date
    tags: set[str]


async def test_python_values_arrive_in_their_json_form() -> None:
    async def rows(args: Any, context: Any) -> Any:
        return {"rows": (Row(date(2026, 1, 2), {"b", "a"}),), "raw": b"hi", 5: None}

    result = await run("return await tools.rows({})", [tool("rows", rows)])
    assert result.value == {
        "rows": [{"when": "2026-01-02", "tags": ["a", "b"]}],
        "raw": "aGk=",
        "5": None,
    }


async def test_a_value_without_json_form_names_its_place() -> None:
    async def bad(args: Any, context: Any) -> Any:
        return {"rows": [1, {"when": float("nan")}]}

    code, message, _ = await caught("tools.bad({})", tool("bad", bad))
    assert code == "invalid_result"
    assert "$.rows[1].when" in message
    assert "NaN" in message


async def test_large_integers_cross_exactly() -> None:
    async def big(args: Any, context: Any) -> int:
        return 2**60 + 1

    async def echo(args: Any, context: Any) -> Any:
        return repr(args)

    tools = [tool("big", big), tool("echo", echo)]
    script = "const n = await tools.big({}); return [typeof n, await tools.echo({ n })]"
    assert (await run(script, tools)).value == ["bigint", "{'n': 1152921504606846977}"]


async def test_a_result_with_two_faces_prints_as_its_text() -> None:
    async def call(args: Any, context: Any) -> Any:
        return ToolValue({"code": 0}, "done (0)")

    result = await run("const r = await tools.t({}); text(r); return r.code", [tool("t", call)])
    assert result.value == 0
    assert [item.text for item in result.output] == ["done (0)"]


@pytest.mark.parametrize("knob", ["message", "code"])
async def test_what_a_script_sees_of_an_exception(knob: Any) -> None:
    async def bad(args: Any, context: Any) -> None:
        raise RuntimeError("the secret is 42")

    async def told(args: Any, context: Any) -> None:
        raise ToolError("no such row", code="failed", details={"id": 7})

    tools = (tool("bad", bad), tool("told", told))
    got = await caught("tools.bad({})", *tools, knobs={"tool_errors": knob})
    told_ = await caught("tools.told({})", *tools, knobs={"tool_errors": knob})
    if knob == "message":
        assert got == ["failed", "the secret is 42", None]
        assert told_ == ["failed", "no such row", {"id": 7}]
    else:
        assert got == ["failed", "failed", None]
        assert told_ == ["failed", "failed", None]


async def test_a_tools_own_timeout_is_an_error_that_the_script_may_catch() -> None:
    async def hang(args: Any, context: Any) -> None:
        await asyncio.Event().wait()

    result = await run(
        CAUGHT % "await tools.hang({})", [tool("hang", hang, timeout=0.05)], wall_s=20
    )
    assert result.value[0] == "timeout"
    assert result.calls[0].status == "error"


async def test_a_tool_that_cancels_itself_fails_its_call_and_not_the_run() -> None:
    async def call(args: Any, context: Any) -> None:
        raise asyncio.CancelledError

    assert (await caught("tools.t({})", tool("t", call)))[0] == "cancelled"


@pytest.mark.parametrize("where", ["thread", "loop"])
async def test_a_tool_that_exits_fails_its_call_and_not_the_process(where: str) -> None:
    def blocking(args: Any, context: Any) -> None:
        raise SystemExit(3)

    async def waiting(args: Any, context: Any) -> None:
        raise SystemExit(3)

    one = tool("t", blocking if where == "thread" else waiting)
    assert (await caught("tools.t({})", one))[0] == "failed"


async def test_retry_only_of_what_may_be_repeated() -> None:
    tried: list[str] = []

    async def flaky(args: Any, context: Any) -> int:
        tried.append(context.tool)
        if tried.count(context.tool) < 3:
            raise OSError("again")
        return len(tried)

    retry = Retry(attempts=3, wait_s=0.001)
    tools = [
        tool("safe", flaky, retry=retry, idempotent=True),
        tool("unsafe", flaky, retry=retry),
    ]
    result = await run("return await tools.safe({})", tools)
    assert (result.value, result.calls[0].attempts) == (3, 3)
    result = await run("return await tools.unsafe({})", tools)
    assert not result.ok
    assert tried.count("unsafe") == 1


async def test_what_is_wrong_with_the_call_is_not_tried_again() -> None:
    tried: list[int] = []

    async def call(args: Any, context: Any) -> None:
        tried.append(1)
        raise ToolError("no", code="denied")

    one = tool("t", call, retry=Retry(attempts=5, wait_s=0.001), read_only=True)
    result = await run("return await tools.t({})", [one])
    assert (len(tried), result.calls[0].status) == (1, "denied")


async def test_a_tools_concurrency_and_rate() -> None:
    running = peak = 0
    starts: list[float] = []

    async def call(args: Any, context: Any) -> None:
        nonlocal running, peak
        starts.append(time.monotonic())
        running += 1
        peak = max(peak, running)
        await asyncio.sleep(0.005)
        running -= 1

    script = "await Promise.all([1,2,3,4,5,6].map(() => tools.t({})))"
    assert (await run(script, [tool("t", call, max_concurrency=2)])).ok
    assert peak == 2
    before = time.monotonic()
    assert (await run(script, [tool("t", call, rate_per_s=100)])).ok
    assert starts[-1] - before >= 0.05


async def test_a_tool_learns_about_its_call() -> None:
    seen: list[Any] = []

    async def call(args: Any, context: Any) -> None:
        seen.append((context.seq, context.run_id, context.tool, context.line, context.app))
        seen.append(context.deadline is not None)
        seen.append(context.cancelled.is_set())

    app = object()
    await run("\nawait tools.t({})", [tool("t", call)], app=app)
    assert seen == [(1, "run-1", "t", 2, app), True, False]


async def test_unknown_tools_are_on_record_and_hidden_ones_can_be_called() -> None:
    script = "try { await codemode.call('serch', {}) } catch (e) { return e.message }"
    result = await run(script, [tool("search", add)])
    assert "'search'" in repr(result.value) or "search" in result.value
    assert [(c.tool, c.status) for c in result.calls] == [("serch", "error")]
    result = await run(
        "return await codemode.call('secret', { a: 1, b: 1 })", [tool("secret", add, hidden=True)]
    )
    assert result.value == 2


async def test_too_many_calls_end_the_run_whatever_the_script_catches() -> None:
    script = "for (;;) { try { await tools.add({ a: 1, b: 1 }) } catch {} }"
    result = await run(script, [tool("add", add)], limits={"calls": 7})
    assert result.error is not None
    assert (result.error.kind, result.error.limit) == (ErrorKind.CALL_LIMIT, "calls")
    assert (result.error.allowed, result.error.seen, len(result.calls)) == (7, 8, 7)


async def test_too_many_at_once_wait_or_fail() -> None:
    async def call(args: Any, context: Any) -> int:
        await asyncio.sleep(0.01)
        return 1

    script = "return (await Promise.all([1,2,3,4,5].map(() => tools.t({})))).length"
    limits = {"parallel": 2}
    result = await run(script, [tool("t", call)], limits=limits)
    assert (result.value, result.usage.peak_parallel) == (5, 2)
    result = await run(script, [tool("t", call)], limits=limits, knobs={"over_limit": "fail"})
    assert result.error is not None
    assert (result.error.kind, result.error.limit) == (ErrorKind.CALL_LIMIT, "parallel")


async def test_arguments_are_the_tools_own_copy() -> None:
    async def call(args: Any, context: Any) -> Any:
        args["list"].append(5)
        return args["list"]

    result = await run("return await tools.t({ list: [1] })", [tool("t", call)])
    assert result.value == [1, 5]
    assert result.calls[0].args == {"list": [1]}


async def test_redaction_and_bounds_of_receipts() -> None:
    async def call(args: Any, context: Any) -> str:
        return "x" * 100_000

    def redact(name: str, value: Any) -> Any:
        return {"redacted": name}

    def broken(name: str, value: Any) -> Any:
        raise KeyError("secret")

    result = await run("await tools.t({ key: 'k' })", [tool("t", call)], knobs={"redact": redact})
    assert (result.calls[0].args, result.calls[0].result) == ({"redacted": "t"},) * 2
    result = await run("await tools.t({ key: 'k' })", [tool("t", call)], knobs={"redact": broken})
    assert "secret" not in repr(result.calls[0])
    assert "'k'" not in repr(result.calls[0])
    result = await run("await tools.t({})", [tool("t", call)])
    assert len(result.calls[0].result) < 3_000


async def test_a_retried_tool_has_its_time_anew_in_each_attempt(clock: Clock) -> None:
    deadlines: list[float] = []

    async def flaky(args: Any, context: Any) -> None:
        deadlines.append(context.deadline)
        if len(deadlines) == 1:
            clock.passes(60)
            await asyncio.Event().wait()

    retry = Retry(attempts=2, wait_s=0.001)
    one = tool("t", flaky, retry=retry, idempotent=True, timeout=60)
    result = await run("await tools.t({})", [one], wall_s=None)
    assert (result.ok, result.calls[0].attempts) == (True, 2)
    assert deadlines[1] > deadlines[0]


@pytest.mark.parametrize("when", ["in an attempt", "between attempts"])
async def test_a_retried_tool_can_be_cancelled(when: str) -> None:
    token, tried = CancelToken(), list[int]()

    async def flaky(args: Any, context: Any) -> None:
        tried.append(1)
        asyncio.get_running_loop().call_later(0.05, token.cancel)
        if when == "in an attempt":
            await asyncio.Event().wait()
        raise OSError("again")

    retry = Retry(attempts=9, wait_s=60.0)
    one = tool("t", flaky, retry=retry, idempotent=True)
    result = await run("try { await tools.t({}) } catch {}", [one], cancel=token)
    assert [call.status for call in result.calls] == ["cancelled"]
    assert len(tried) == 1


class Unspeakable(Exception):
    def __str__(self) -> str:
        raise ValueError("no words")


@pytest.mark.parametrize("error", [Unspeakable(), ToolError("x", details={"n": 10**5000})])
async def test_an_exception_that_cannot_be_written_is_the_calls_failure(error: Exception) -> None:
    def fails(args: Any, context: Any) -> Any:
        raise error

    result = await run("return await tools.t({}).catch((e) => e.code)", [tool("t", fails)])
    assert (result.value, result.calls[0].status) == ("failed", "error")
