"""Reported cases about what a failure says."""

from __future__ import annotations

from tests.cases.reported.support import reported, run, run_each, tools_of
from tests.cases.support import Case
from toolscript import ErrorKind


@reported("C087")
async def test_a_failing_tool_can_be_caught(case: Case) -> None:
    result = await run(tools_of(case), case["input"]["script"])
    assert result.value == [1, "boom 400", "f", ["fulfilled", "rejected"]], result.text()


@reported("C089")
async def test_errors_name_the_place_in_the_models_own_source(case: Case) -> None:
    for script, result in zip(
        case["input"]["scripts"], await run_each([], case["input"]["scripts"]), strict=True
    ):
        assert result.error is not None, script
        text = result.text()
        if script in ("throw 'plain string'", "throw {code: 5}"):
            # What is no Error has no stack, so there may be no line to name.
            assert "plain string" in text or "5" in text
            continue
        assert result.error.name in text
        if script == "null.x":
            # The engine has no position for a property of the literal `null`.
            assert result.error.message in text
            continue
        assert result.error.line == 1, (script, text)
        assert script in text, text
    cause = await run([], case["input"]["scripts"][4])
    assert "c" in cause.text()


@reported("C090")
async def test_a_tools_message_is_visible_unless_redacted(case: Case) -> None:
    result = await run(tools_of(case), case["input"]["script"])
    assert result.value == "ValueError: bad id 7"
    assert "Traceback" not in result.to_json()
    assert __file__ not in result.to_json()
    hidden = await run(tools_of(case), case["input"]["script"], tool_errors="code")
    assert "bad id 7" not in str(hidden.value)


@reported("C091")
async def test_each_limit_has_its_own_name(case: Case) -> None:
    looping, hoarding, recursing = await run_each(
        [], case["input"]["scripts"], limits={"cpu_s": 0.2, "memory_bytes": 32 * 1024 * 1024}
    )
    assert looping.error is not None
    assert looping.error.kind == ErrorKind.TIMEOUT
    assert hoarding.error is not None
    assert hoarding.error.kind in (ErrorKind.MEMORY, ErrorKind.TIMEOUT)
    assert recursing.error is not None
    assert recursing.error.name in ("RangeError", "InternalError")
    roomy = await run(
        [], case["input"]["scripts"][1], limits={"cpu_s": 20, "memory_bytes": 32 * 1024 * 1024}
    )
    assert roomy.error is not None
    assert roomy.error.kind == ErrorKind.MEMORY, roomy.error


@reported("C093")
async def test_argument_errors_speak_of_the_schema(case: Case) -> None:
    result = await run(tools_of(case), case["input"]["script"])
    assert result.error is not None
    message = result.error.message
    assert "sk-secret" not in message
    assert "errors.pydantic.dev" not in message
    for word in ("q", "n", "integer", "kind"):
        assert word in message, message


@reported("C094")
async def test_unsupported_syntax_is_a_result(case: Case) -> None:
    scripts = case["input"]["scripts"]
    results = await run_each([], scripts)
    for script, result in zip(scripts, results, strict=True):
        if script.startswith("#!"):
            assert result.value == 1, result.text()
        elif script.startswith(("using", "with")):
            # What the engine itself understands may run.
            assert result.ok or result.error is not None
        else:
            assert result.error is not None, script
            assert result.error.kind == ErrorKind.SYNTAX, (script, result.error)


@reported("C095")
async def test_calls_that_nobody_awaits(case: Case) -> None:
    tools = tools_of(case)
    cancelled = await run(tools, case["input"]["script"])
    assert cancelled.value == "done"
    assert [call.status for call in cancelled.calls] == ["cancelled", "cancelled"]
    drained = await run(tools, case["input"]["script"], unawaited="drain")
    assert drained.value == "done"
    assert [call.status for call in drained.calls] == ["ok", "error"]
    for result in (cancelled, drained):
        assert any("bad" in warning for warning in result.warnings), result.warnings
