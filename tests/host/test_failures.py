"""What a script, a record and whoever wrote the tool learn of a tool's own exception."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from toolscript import CodeMode, GlobalFunction, Policy, PolicyRequest, RunFailed, ToolError


class Odd(Exception):
    """Says something else than what it was given."""

    def __str__(self) -> str:
        return f"status {self.args[0]}"


class Unprintable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no")


def engine(error: BaseException, **parts: Any) -> CodeMode:
    def fail() -> None:
        """Fail."""
        raise error

    return CodeMode([fail], **parts)


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (KeyError("zz"), "KeyError: 'zz'"),
        (KeyError("no such order: 3"), "KeyError: 'no such order: 3'"),
        (KeyError(), "KeyError"),
        (ValueError(), "ValueError"),
        (ValueError(3), "ValueError: 3"),
        (IndexError(None), "IndexError: None"),
        (ValueError("no such order"), "no such order"),
        (ValueError("no", "such"), "('no', 'such')"),
        (Odd(404), "status 404"),
        (Unprintable("x"), "Unprintable"),
        (
            FileNotFoundError(2, "No such file", "orders.csv"),
            "[Errno 2] No such file: 'orders.csv'",
        ),
    ],
    ids=repr,
)
async def test_a_bare_value_is_told_with_the_type_of_its_exception(
    error: Exception, message: str
) -> None:
    script = "try { await tools.fail() } catch (error) { return error.message }"
    result = await engine(error).run(script)
    assert result.value == message
    [call] = result.calls
    assert call.error is not None
    assert (call.error.message, call.error.type) == (message, type(error).__name__)


async def test_where_a_tool_raised_is_logged_and_told_to_nobody_else(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG, "toolscript")
    result = await engine(KeyError("zz")).run("await tools.fail()", run_id="r7")
    [record] = [record for record in caplog.records if "failed in call" in record.getMessage()]
    assert record.getMessage() == "fail failed in call 1 of run r7"
    assert record.levelno == logging.DEBUG
    assert record.exc_info is not None
    assert isinstance(record.exc_info[1], KeyError)
    assert "in fail" in caplog.text
    assert "Traceback" not in result.to_json()


async def test_so_is_where_a_global_function_raised(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "toolscript")

    def fail(args: Any, context: Any) -> None:
        raise KeyError("zz")

    result = await CodeMode([], globals=[GlobalFunction("fail", fail)]).run("await fail()")
    assert result.error is not None
    assert result.error.message == "KeyError: 'zz'"
    assert "KeyError: 'zz'" in caplog.text


async def test_by_default_and_of_what_is_said_on_purpose_nothing_is_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO, "toolscript")
    await engine(KeyError("zz")).run("await tools.fail()")
    caplog.set_level(logging.DEBUG, "toolscript")
    await engine(ToolError("not on sundays")).run("await tools.fail()")
    await engine(KeyError("zz")).run("await tools.fail({ no: 'such' })")
    assert not [record for record in caplog.records if record.name == "toolscript"]


async def test_a_policy_that_fails_is_logged_with_its_traceback(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def authorize(request: PolicyRequest) -> Any:
        raise ZeroDivisionError

    await engine(KeyError("zz"), policy=Policy(authorize)).run("await tools.fail()")
    [record] = [record for record in caplog.records if record.exc_info is not None]
    assert record.levelno == logging.WARNING
    assert "in authorize" in caplog.text


async def test_unwrap_names_tool_and_line() -> None:
    result = await engine(ValueError("no such order")).run("\nawait tools.fail()")
    with pytest.raises(RunFailed, match=r"^exception: no such order \(tool fail, line 2\)$"):
        result.unwrap()
    result = await engine(ValueError("no")).run("\nthrow new Error('gone')")
    with pytest.raises(RunFailed, match=r"gone \(line 2\)$"):
        result.unwrap()
