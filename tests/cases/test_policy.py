"""`policy.json`: who may call what under a mandatory policy (seed 003)."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.cases.support import Case, each_case
from toolscript import (
    Authority,
    CodeMode,
    ContractError,
    Decision,
    Manifest,
    Policy,
    RunResult,
    Tool,
    ToolContext,
    ToolOptions,
)
from toolscript.contract.entry import Entry
from toolscript.host.availability import unavailable
from toolscript.host.policy import PolicyRequest
from toolscript.profiles import profile_named

NEEDS = frozenset({"db.read"})
AUTHORITY = Authority(principal="agent-1", capabilities=NEEDS | {"db.list"}, phase="run")
SECRET = "the password is hunter2"


class Bench:
    """One engine under a policy, and what its tool and its policy saw."""

    def __init__(self, setup: dict[str, Any]) -> None:
        self.setup = setup
        self.handled: list[str] = []
        self.asked: list[tuple[str, int]] = []
        manifest = Manifest(
            effects=frozenset(setup.get("manifest_effects", ())),
            capabilities=NEEDS,
            secrets=frozenset({"DB_PASSWORD"}),
        )
        names = setup.get("names") or ["a", "b"][: setup.get("bindings", 2)]
        self.tools = [self._tool(name, manifest) for name in names]

    def _tool(self, name: str, manifest: Manifest) -> Tool:
        async def call(args: Any, context: ToolContext) -> Any:
            self.handled.append(name)
            if self.setup.get("handler"):
                raise RuntimeError(SECRET)
            if "nested" in self.setup and name == "a":
                return (await context.run("return await bindings.b({})")).value
            if "nested_depth" in self.setup and args["left"]:
                left = args["left"] - 1
                result = await context.run(f"return await bindings.a({{ left: {left} }})")
                return result.unwrap()
            return "done"

        schema = {"type": "object"}
        return Tool(
            name, f"The binding {name}.", schema, None, call, ToolOptions(manifest=manifest)
        )

    def authorize(self, request: PolicyRequest) -> Decision:
        setup = self.setup
        if setup.get("authorizer") == "throws":
            raise RuntimeError(SECRET)
        if not request.listing:
            self.asked.append((request.tool, request.depth))
        scope = request.capabilities
        if setup.get("scope_extra_capability"):
            scope |= {"db.drop"}
        if setup.get("scope_missing_capability"):
            scope -= NEEDS
        return Decision(
            setup.get("decision", "allow"),
            id=setup.get("decision_id", "d-1"),
            policy_version="v1" if setup.get("version_match", True) else "v0",
            reason=setup.get("reason_code", "by-test"),
            scope=scope,
        )

    async def run(self, script: str) -> RunResult:
        policy = Policy(self.authorize, "v1") if self.setup.get("policy", True) else None
        authority = replace(AUTHORITY, origin=self.setup.get("origin", "agent"))
        async with CodeMode(self.tools, profile="constrained", policy=policy) as codemode:
            return await codemode.run(script, authority=authority)


def _script(setup: dict[str, Any]) -> str:
    if setup.get("bindings") == 0:
        return "return 1;"
    return f"return await bindings.a({{ left: {setup.get('nested_depth', 0)} }});"


@each_case("policy.json", where=lambda case: not case["setup"].get("registry"))
async def test_policy(case: Case) -> None:
    setup, expect = case["setup"], case["expect"]
    bench = Bench(setup)
    if setup.keys() & {"manifest_effects", "names"}:
        with pytest.raises(ContractError) as raised:
            await bench.run(_script(setup))
        assert raised.value.code == expect["code"]
        return
    result = await bench.run(_script(setup))
    if expect.get("ok"):
        assert result.ok, result.text()
    if "code" in expect:
        assert result.error is not None
        assert result.error.code == expect["code"]
        if expect["code"] != "CODE_MODE_NESTING_LIMIT":
            caught = await bench.run(
                "try { await bindings.a({}); } catch (e) { return e.message; } return 0;"
            )
            assert caught.value == expect["code"]
    if "handler_called" in expect:
        assert bool(bench.handled) == expect["handler_called"]
    if "secret_leaked" in expect:
        assert SECRET not in result.to_json()
    if "authorizer_calls" in expect:
        assert [name for name, _ in bench.asked] == expect["authorizer_calls"]
        assert [depth for _, depth in bench.asked] == expect["depth"]


@each_case("policy.json", where=lambda case: bool(case["setup"].get("registry")))
async def test_registry(case: Case) -> None:
    setup = case["setup"]
    for field, check in _REGISTRY.items():
        if field in setup:
            return await check(setup, case["expect"])
    pytest.fail(f"no check for {setup}")


async def _availability(setup: dict[str, Any], expect: dict[str, Any]) -> None:
    bench = Bench({"decision": setup.get("decision", "allow")})
    manifest = Manifest(
        capabilities=NEEDS,
        maturity=setup.get("maturity", "stable"),
        implementation_only=setup.get("implementation_only", False),
        runtimes=frozenset({setup["runtime"]} if "runtime" in setup else ()),
    )
    one = replace(bench.tools[0], options=ToolOptions(manifest=manifest))
    policy = Policy(bench.authorize, "v1")
    reason = unavailable(
        Entry(0, one, None, "a"),
        AUTHORITY,
        profile_named("constrained"),
        policy=policy,
        runtime=setup.get("active_runtime", "quickjs"),
    )
    assert reason == expect["reason_code"]
    if "runtime" not in setup:
        async with CodeMode([one], profile="constrained", policy=policy) as codemode:
            assert ("The binding a." in codemode.declarations(AUTHORITY)) == expect["listed"]
            result = await codemode.run("return await bindings.a({});", authority=AUTHORITY)
            assert not result.ok
            assert not bench.handled


async def _catalog(setup: dict[str, Any], expect: dict[str, Any]) -> None:
    bench = Bench({"names": [f"tool_{number}" for number in range(setup["bindings"])]})
    with pytest.raises(ContractError) as raised:
        await bench.run("return 1;")
    assert raised.value.code == expect["code"]


async def _order(setup: dict[str, Any], expect: dict[str, Any]) -> None:
    bench = Bench({"names": [f"tool_{number}" for number in range(9)]})
    policy = Policy(bench.authorize, "v1")
    texts: set[str] = set()
    for seed in range(5):
        shuffled = list(bench.tools)
        random.Random(seed).shuffle(shuffled)
        codemode = CodeMode(shuffled, profile="constrained", policy=policy)
        texts.add(codemode.declarations(AUTHORITY))
    assert (len(texts) == 1) == expect["same_declarations"]


async def _output(setup: dict[str, Any], expect: dict[str, Any]) -> None:
    async def call(args: Any, context: ToolContext) -> Any:
        return setup["value"]

    options = ToolOptions(output_kind=setup.get("output_kind"))
    one = Tool("a", "Gives a value.", {"type": "object"}, None, call, options)
    policy = Policy(Bench({}).authorize, "v1")
    async with CodeMode([one], profile="constrained", policy=policy) as codemode:
        result = await codemode.run("return await bindings.a({});", authority=AUTHORITY)
    assert result.error is not None
    assert result.error.code == expect["code"]


async def _dropped(setup: dict[str, Any], expect: dict[str, Any]) -> None:
    # Python has no undefined: a field that a model leaves out is what comes nearest.
    from pydantic import BaseModel, model_serializer

    class Row(BaseModel):
        a: int
        b: int | None = None

        @model_serializer
        def _set_only(self) -> dict[str, Any]:
            return {name: getattr(self, name) for name in self.model_fields_set}

    async def call(args: Any, context: ToolContext) -> Any:
        return Row(a=1)

    one = Tool("a", "Gives a row.", {"type": "object"}, None, call)
    policy = Policy(Bench({}).authorize, "v1")
    async with CodeMode([one], profile="constrained", policy=policy) as codemode:
        result = await codemode.run("return await bindings.a({});", authority=AUTHORITY)
    assert result.text() == expect["json"]


_REGISTRY: dict[str, Callable[..., Any]] = {
    "decision": _availability,
    "maturity": _availability,
    "implementation_only": _availability,
    "runtime": _availability,
    "bindings": _catalog,
    "shuffle": _order,
    "output_kind": _output,
    "value": _dropped,
}
