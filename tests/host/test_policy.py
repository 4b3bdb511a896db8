"""Authority and policy: what may be called, narrowed and never widened, and closed on failure."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.clock import Clock
from tests.host.support import run, tool
from toolscript.contract.entry import Entry
from toolscript.contract.tool import Manifest
from toolscript.errors import ConfigurationError
from toolscript.host.approval import Approve, Edit
from toolscript.host.availability import unavailable
from toolscript.host.policy import Authority, Decision, Policy, PolicyRequest
from toolscript.profiles import profile_named


class Watched:
    """A tool that needs a capability, and what became of it."""

    def __init__(self, **options: Any) -> None:
        self.ran: list[Any] = []
        self.authorities: list[Any] = []
        self.tool = tool("t", self._call, capabilities=frozenset({"read"}), **options)

    async def _call(self, args: Any, context: Any) -> Any:
        self.ran.append(args)
        self.authorities.append(context.authority)
        return 1


SCRIPT = "try { return await tools.t({ n: 1 }) } catch (e) { return [e.code, e.message] }"
READ = Authority("someone", frozenset({"read", "write"}))


async def test_a_tool_needs_its_capabilities() -> None:
    watched = Watched()
    for authority in (None, Authority(), Authority("x", frozenset({"write"}))):
        result = await run(SCRIPT, [watched.tool], authority=authority)
        assert result.value[0] == "denied"
        assert "read" in result.value[1]
        assert result.calls[0].status == "denied"
        assert result.calls[0].started_at is None
    assert not watched.ran
    assert (await run(SCRIPT, [watched.tool], authority=READ)).value == 1


def test_a_capability_set_is_no_string() -> None:
    with pytest.raises(ConfigurationError):
        Authority("x", "read")  # pyright: ignore[reportArgumentType]


def raises(request: PolicyRequest) -> Decision:
    raise RuntimeError("the secret name is DB_PASSWORD")


@pytest.mark.parametrize(
    "answer",
    [
        raises,
        lambda request: None,
        lambda request: True,
        lambda request: "allow",
        lambda request: Decision("maybe"),  # pyright: ignore
        lambda request: Decision("deny", reason="not on Sundays"),
        lambda request: Decision("allow", policy_version="old"),
        lambda request: Decision("allow", scope=frozenset({"read", "root"})),
        lambda request: Decision("allow", scope=frozenset({"write"})),
        lambda request: Decision("allow", scope="read"),  # pyright: ignore
        lambda request: Decision("sandbox"),
    ],
)
@pytest.mark.parametrize("waits", [False, True])
async def test_whatever_is_no_clear_allowance_is_a_denial(answer: Any, waits: bool) -> None:
    watched = Watched()

    async def later(request: PolicyRequest) -> Any:
        await asyncio.sleep(0)
        return answer(request)

    policy = Policy(later if waits else answer, "new")
    result = await run(SCRIPT, [watched.tool], authority=READ, policy=policy, sandboxed=False)
    assert result.value[0] == "denied"
    assert "DB_PASSWORD" not in result.value[1]
    assert not watched.ran
    assert [call.status for call in result.calls] == ["denied"]


async def test_a_policy_that_never_answers_ends_with_the_run(clock: Clock) -> None:
    async def hang(request: PolicyRequest) -> Decision:
        clock.passes(60)
        await asyncio.Event().wait()
        raise AssertionError

    watched = Watched()
    result = await run(SCRIPT, [watched.tool], authority=READ, policy=Policy(hang), wall_s=60)
    assert not result.ok
    assert [call.status for call in result.calls] == ["cancelled"]
    assert not watched.ran


async def test_the_policy_is_asked_afresh_with_all_that_it_needs() -> None:
    asked: list[PolicyRequest] = []
    manifest = Manifest(secrets=frozenset({"DB_PASSWORD"}))
    watched = Watched(manifest=manifest)

    def authorize(request: PolicyRequest) -> Decision:
        asked.append(request)
        return Decision("allow", scope=frozenset({"read"}))

    script = "await tools.t({ n: 1 }); await tools.t({ n: 2 }); return 1"
    policy = Policy(authorize, "v7")
    result = await run(script, [watched.tool], authority=READ, policy=policy, app="app")
    assert result.value == 1
    assert [request.args for request in asked] == [{"n": 1}, {"n": 2}]
    first = asked[0]
    assert (first.tool, first.seq, first.depth, first.app) == ("t", 1, 1, "app")
    assert (first.policy_version, first.authority) == ("v7", READ)
    assert first.manifest is manifest
    assert watched.authorities[0].capabilities == {"read"}
    assert "DB_PASSWORD" not in result.to_json()


async def test_a_nested_run_gets_the_intersection() -> None:
    seen: list[Any] = []

    async def inner(args: Any, context: Any) -> Any:
        seen.append(context.authority.capabilities)
        return 1

    async def outer(args: Any, context: Any) -> Any:
        return (await context.run("return await tools.inner({})")).status

    def authorize(request: PolicyRequest) -> Decision:
        wide = frozenset({"read", "write"}) & request.authority.capabilities  # pyright: ignore
        return Decision("allow", scope=frozenset({"read"}) if request.tool == "outer" else wide)

    tools = [tool("inner", inner), tool("outer", outer)]
    result = await run(
        "return await tools.outer({})", tools, authority=READ, policy=Policy(authorize)
    )
    assert result.value == "completed"
    assert seen == [{"read"}]


async def test_ask_means_a_person() -> None:
    watched = Watched()
    policy = Policy(lambda request: Decision("ask", reason="a large order"))
    result = await run(SCRIPT, [watched.tool], authority=READ, policy=policy)
    assert result.status == "paused"
    assert result.pending[0].reason == "a large order"
    assert not watched.ran
    result = await run(
        SCRIPT, [watched.tool], authority=READ, policy=policy, approve=lambda pending: Approve()
    )
    assert result.value == 1


async def test_edited_arguments_are_authorised_again() -> None:
    watched = Watched(requires_approval=True)

    def authorize(request: PolicyRequest) -> Decision:
        return Decision("deny" if request.args["n"] > 5 else "allow")

    result = await run(
        SCRIPT,
        [watched.tool],
        authority=READ,
        policy=Policy(authorize),
        approve=lambda pending: Edit({"n": 6}),
    )
    assert result.value[0] == "denied"
    assert not watched.ran


async def test_where_a_policy_is_required_nothing_runs_without() -> None:
    watched = Watched()
    script = "try { return await bindings.t({}) } catch (e) { return e.message }"
    result = await run(script, [watched.tool], profile="constrained", authority=READ)
    assert result.value == "CODE_MODE_POLICY_DENIED"
    assert not watched.ran


@pytest.mark.parametrize(
    ("manifest", "authority", "code"),
    [
        (Manifest(), READ, None),
        (Manifest(implementation_only=True), READ, "implementation-only"),
        (Manifest(phases=frozenset({"plan"})), READ, "phase-unavailable"),
        (Manifest(principals=frozenset({"other"})), READ, "principal-unavailable"),
        (Manifest(runtimes=frozenset({"node"})), READ, "runtime-unavailable"),
        (Manifest(maturity="beta"), READ, "maturity-unavailable"),
        (Manifest(capabilities=frozenset({"root"})), READ, "authority-insufficient"),
        (Manifest(), None, "authority-insufficient"),
        (Manifest(), Authority("x", READ.capabilities, origin="user"), "authority-insufficient"),
    ],
)
def test_why_a_tool_is_left_out(manifest: Manifest, authority: Any, code: Any) -> None:
    def allow(request: PolicyRequest) -> Decision:
        return Decision("allow", "d", "v1", "because", frozenset({"read"}))

    def ask(request: PolicyRequest) -> Decision:
        return Decision("ask", "d", "v1", "because", frozenset({"read"}))

    entry = Entry(0, Watched(manifest=manifest).tool, None, "t")
    strict = profile_named("constrained")
    found = unavailable(entry, authority, strict, policy=Policy(allow, "v1"), runtime="quickjs")
    assert found == code
    if code is None:
        for denied in (raises, ask):
            policy = Policy(denied, "v1")
            assert unavailable(entry, authority, strict, policy=policy) == "policy-denied"
        lenient = profile_named("default")
        assert unavailable(entry, authority, lenient, policy=Policy(raises)) is None


async def test_what_is_not_available_cannot_be_called_by_name_either() -> None:
    ran: list[int] = []

    async def call(args: Any, context: Any) -> None:
        ran.append(1)

    manifest = Manifest(implementation_only=True)
    one = tool("secret", call, hidden=True, manifest=manifest)
    script = "try { await codemode.call('secret', {}) } catch (e) { return e.code }"
    assert (await run(script, [one])).value == "denied"
    assert not ran


async def test_a_tool_of_another_runtime_cannot_be_called() -> None:
    async def call(args: Any, context: Any) -> int:
        return 1

    one = tool("t", call, manifest=Manifest(runtimes=frozenset({"node"})))
    assert (await run(SCRIPT, [one], runtime_name="quickjs")).value[0] == "denied"
    assert (await run(SCRIPT, [one], runtime_name="node")).value == 1
