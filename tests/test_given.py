"""A part of the wrong kind is refused where it is given, by a sentence that says what to write."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from typing import Any

import pytest

from toolscript import (
    Approve,
    Authority,
    CancelToken,
    CodeMode,
    ConfigurationError,
    Decision,
    Determinism,
    GlobalFunction,
    Limits,
    Manifest,
    MemoryJournal,
    Namespace,
    NodeRuntime,
    Policy,
    PolicyRequest,
    Profile,
    QuickJSRuntime,
    Reject,
    ResumeError,
    Retry,
    SQLiteJournal,
    Tool,
    ToolOptions,
    tool_from,
)

Wrong: Any = object()


def add(a: int, b: int = 1) -> int:
    """Add."""
    return a + b


def rules(request: PolicyRequest) -> Decision:
    return Decision("allow")


def engine(**parts: Any) -> Callable[[], Any]:
    return lambda: CodeMode([add], **parts)


def ran(**options: Any) -> Callable[[], Any]:
    return lambda: CodeMode([add]).run_sync("return 1", **options)


def anything(value: Any) -> Any:
    return value


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (engine(policy=rules), ("policy=", "rules", 'Policy(rules, version="1")')),
        (engine(policy=3), ("policy=", "Policy", "3")),
        (engine(policy=Policy), ("policy=", "class Policy", "Policy(...)")),
        (engine(journal="runs.db"), ("journal=", "'runs.db'", "SQLiteJournal('runs.db')")),
        (engine(journal=MemoryJournal), ("journal=", "class MemoryJournal")),
        (engine(runtime="node"), ("runtime=", "'node'", "NodeRuntime()")),
        (engine(runtime=QuickJSRuntime), ("runtime=", "QuickJSRuntime(...)")),
        (engine(approve="yes"), ("approve=", "'yes'", "function")),
        (engine(redact=True), ("redact=", "True", "redact(tool, value)")),
        (engine(profile=None), ("profile=", "None", "Profile")),
        (lambda: Profile(name="mine", json=anything("yes")), ("json=", "'yes'", "'lossless'")),
        (lambda: Profile(name="mine", limits=anything({"wall_s": 3})), ("limits=", "Limits")),
        (engine(limits=5), ("limits=", "5", "Limits")),
        (engine(modules=["a"]), ("modules=", "list", "mapping")),
        (engine(modules={"a": 1}), ("modules=", "mapping")),
        (engine(globals=[add]), ("globals=", 'GlobalFunction("add", add)')),
        (engine(shortcuts=["g"]), ("shortcuts=", "list")),
        (engine(tool_hints="no"), ("tool_hints=", "'no'")),
        (engine(input_schema=3), ("input_schema=", "3", "JSON Schema")),
        (engine(input_schema={"type": "objct"}), ("input_schema=", "objct")),
        (lambda: CodeMode(anything(add)), ("tools", "[add]")),
        (lambda: CodeMode({"stock": anything(add)}), ("tools=", "[add]")),
        (ran(store=[1]), ("store=", "list")),
        (ran(store={"a": {"b": Wrong}}), ("store=", "$.a.b")),
        (ran(authority="ada"), ("authority=", "Authority(principal='ada')")),
        (ran(authority={"read"}), ("authority=", "Authority(capabilities=")),
        (ran(timeout="5"), ("timeout=", "'5'", "seconds")),
        (ran(timeout=True), ("timeout=", "True")),
        (ran(run_id=7), ("run_id=", "7")),
        (ran(run_id=""), ("run_id=", "''")),
        (ran(cancel=CancelToken), ("cancel=", "CancelToken(...)")),
        (ran(on_event=1), ("on_event=", "function")),
        (ran(determinism={"seed": 1}), ("determinism=", "Determinism")),
        (lambda: CodeMode([add]).run_sync(anything(None)), ("source=", "None", "text of a script")),
        (lambda: CodeMode([add]).run_sync(anything(b"return 1")), ("source=", "source.decode()")),
        (lambda: CodeMode([add]).prompt(anything("8k")), ("max_tokens=", "'8k'")),
        (lambda: CodeMode([add]).prompt(authority=anything("ada")), ("authority=", "'ada'")),
        (lambda: CodeMode([add]).add_tool(add, namespace=anything(1)), ("namespace=", "1")),
        (lambda: tool_from(add, options={"requires_aproval": True}), ("did you mean",)),
        (lambda: tool_from(add, options=anything(True)), ("options=", "ToolOptions", "True")),
        (lambda: tool_from(add, output_schema=anything(str)), ("output_schema=", "class str")),
        (lambda: tool_from(add, input_schema={"type": "objct"}), ("input_schema", "objct")),
        (lambda: tool_from(add, name=anything(3)), ("name=", "3")),
        (
            lambda: tool_from(
                Tool("t", "", {}, None, anything(add), anything({"read_only": True}))
            ),
            ("'t'", "ToolOptions"),
        ),
        (lambda: Namespace("stock", anything(add)), ("Namespace(tools=)", "[add]")),
        (lambda: Namespace(anything(None), [add]), ("Namespace(name=)", "None")),
        (lambda: ToolOptions(read_only=anything("no")), ("read_only=", "'no'", "True or False")),
        (lambda: ToolOptions(capabilities=anything("pay")), ("capabilities=", "{'pay'}")),
        (lambda: ToolOptions(timeout=0), ("timeout=", "0", "above 0")),
        (lambda: ToolOptions(retry=anything(3)), ("retry=", "Retry(attempts=3)")),
        (lambda: ToolOptions(requires_approval=anything("yes")), ("requires_approval=", "'yes'")),
        (lambda: ToolOptions(examples=anything([1])), ("examples=",)),
        (lambda: Retry(attempts=0), ("attempts=", "0", "from 1 on")),
        (lambda: Manifest(effects=anything("write")), ("effects=", "{'write'}")),
        (lambda: GlobalFunction("now", anything(5)), ("call=", "5")),
        (lambda: Authority(anything(None)), ("principal=", "None")),
        (lambda: Authority(capabilities=anything("pay")), ("capabilities=", "{'pay'}")),
        (lambda: Policy(anything("allow")), ("authorize=", "'allow'", "function")),
        (lambda: Policy(rules, anything(1)), ("version=", "1")),
        (lambda: Decision(anything("yes")), ("kind=", "'yes'", "'allow'")),
        (lambda: Reject(anything(None)), ("reason=", "None")),
        (lambda: SQLiteJournal(anything(None)), ("path=", "None")),
        (lambda: QuickJSRuntime(max_workers=0), ("max_workers=", "0", "from 1 on")),
        (lambda: QuickJSRuntime(isolation=anything("full")), ("isolation=", "'required'")),
        (lambda: NodeRuntime(boot_s=0), ("boot_s=", "above 0")),
        (lambda: Determinism(anything("now"), 1), ("now_ms=", "'now'")),
    ],
)
def test_a_part_of_the_wrong_kind(make: Callable[[], Any], words: tuple[str, ...]) -> None:
    with pytest.raises(ConfigurationError) as refused:
        make()
    for word in words:
        assert word in str(refused.value)


async def test_an_answer_that_is_none() -> None:
    codemode = CodeMode([tool_from(add, options={"requires_approval": True})])
    paused = await codemode.run("return await tools.add({ a: 1 })")
    with pytest.raises(ResumeError, match=r"not True; write Approve\(\)"):
        await codemode.resume(paused.run_id, {paused.pending[0].id: anything(True)})
    with pytest.raises(ConfigurationError, match="run_id="):
        await codemode.resume(anything(None), {})
    done = await codemode.resume(paused.run_id, {paused.pending[0].id: Approve()})
    assert done.value == 2


async def test_an_approval_by_callback_that_is_none(caplog: pytest.LogCaptureFixture) -> None:
    codemode = CodeMode(
        [tool_from(add, options={"requires_approval": True})],
        approve=lambda pending: anything(True),
    )
    result = await codemode.run("return await tools.add({ a: 1 })")
    assert "gave True" in result.text()
    assert "here Approve()" in result.text()
    assert "on a call of add, the approval gave True" in caplog.text


async def test_a_policy_that_gives_no_decision(caplog: pytest.LogCaptureFixture) -> None:
    codemode = CodeMode([add], policy=Policy(lambda request: anything(True)))
    result = await codemode.run("return await tools.add({ a: 1 })")
    assert "no decision but True" in result.text()
    assert "Decision('allow')" in result.text()
    assert "on a call of add, the policy gave no decision but True" in caplog.text


def test_lists_and_sets_of_names_are_sets_of_names() -> None:
    options = ToolOptions(capabilities=anything(["pay"]), tags=anything({"billing"}))
    assert options.capabilities == frozenset({"pay"})
    assert options.tags == frozenset({"billing"})
    assert Authority(capabilities=anything(["pay"])).capabilities == frozenset({"pay"})


def test_what_will_do_nothing_is_warned_of_and_what_is_right_is_not() -> None:
    with pytest.warns(UserWarning, match=r"retry=.*read_only=True"):
        ToolOptions(retry=Retry())
    with pytest.warns(UserWarning, match=r"'plus'.*no tool 'ad'.*did you mean 'add'"):
        CodeMode([add], shortcuts={"plus": "ad"})
    with pytest.warns(UserWarning, match=r"'constrained'.*denied.*policy="):
        CodeMode([add], profile="constrained")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ToolOptions(retry=Retry(), idempotent=True)
        CodeMode([add], shortcuts={"plus": "add", "same": "tools.add"})
        CodeMode([add], profile="constrained", policy=Policy(rules, version="1"))


def test_a_warning_names_the_line_that_made_the_engine() -> None:
    with pytest.warns(UserWarning, match="plus") as told:
        CodeMode([add], shortcuts={"plus": "ad"})
    assert told[0].filename == __file__


@pytest.mark.parametrize(
    ("kind", "wrong", "meant"),
    [
        (Limits, "wall", "wall_s"),
        (ToolOptions, "readonly", "read_only"),
        (Namespace, "descriptions", "description"),
        (Authority, "principle", "principal"),
        (Policy, "versions", "version"),
        (Profile, "names_", "name"),
        (QuickJSRuntime, "workers", "max_workers"),
        (SQLiteJournal, "code", "codec"),
    ],
)
def test_a_constructor_names_what_it_takes(kind: Any, wrong: str, meant: str) -> None:
    taken = list(inspect.signature(kind).parameters)
    with pytest.raises(TypeError, match=rf"{kind.__name__}\(\) takes no '{wrong}'") as told:
        kind(**{wrong: 1})
    assert meant in taken
    for name in taken:
        assert name in str(told.value)
