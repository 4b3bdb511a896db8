"""More cases of the outside kinds, written from the seeds' text: what those cases leave untried."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cases import test_policy as policy
from tests.cases import test_receipts as receipts
from tests.cases import test_scheduling as scheduling
from toolscript import (
    Approve,
    CodeMode,
    Determinism,
    Edit,
    InlineRuntime,
    MemoryJournal,
    Reject,
    RunResult,
    ToolError,
    ToolOptions,
    tool_from,
)

READ, GREP, GLOB, WRITE, BASH = (
    {"name": name, "op": "timed", "ms": 20, "class": kind}
    for name, kind in (
        ("Read", "read"),
        ("Grep", "read"),
        ("Glob", "read"),
        ("Write", "exclusive"),
        ("Bash", "exclusive"),
    )
)
BAD = {"name": "Bad", "op": "throw", "class": "read"}
A = {"name": "a", "op": "timed", "ms": 20, "class": "read"}
W = {"name": "w", "op": "timed", "ms": 20, "class": "exclusive"}
FAST = {"name": "fast", "op": "timed", "ms": 0, "class": "read"}
SLOW = {"name": "slow", "op": "timed", "ms": 60, "class": "read"}


def calls(*names: str) -> str:
    return ", ".join(f'tools.call("{name}", {{ file_path: "f" }})' for name in names)


def scheduled(name: str, profile: str, tools: list[Any], script: str, **expect: Any) -> Any:
    case = {"id": name, "profile": profile, "tools": tools, "script": script, "expect": expect}
    return pytest.param(case, id=name)


SCHEDULING = [
    scheduled(
        "nine-reads-are-groups-of-four",
        "seed1",
        [READ],
        f"await Promise.all([{calls(*['Read'] * 9)}])",
        groups=[4, 4, 1],
        peak=4,
    ),
    scheduled(
        "a-write-parts-groups",
        "seed1",
        [READ, WRITE],
        f"await Promise.all([{calls('Read', 'Read', 'Write', 'Read', 'Read', 'Read')}])",
        groups=[2, 1, 3],
        order=["Read", "Read", "Write", "Read", "Read", "Read"],
    ),
    scheduled(
        "reads-of-three-kinds-are-one-group",
        "seed1",
        [READ, GREP, GLOB],
        f"await Promise.all([{calls('Glob', 'Read', 'Grep')}])",
        groups=[3],
        order=["Glob", "Read", "Grep"],
    ),
    scheduled(
        "awaited-one-by-one-never-overlap",
        "seed1",
        [READ],
        'for (const n of [1, 2, 3]) await tools.call("Read", { file_path: String(n) })',
        groups=[1, 1, 1],
        peak=1,
    ),
    scheduled(
        "barriers-side-by-side",
        "seed1",
        [READ, WRITE, BASH],
        f"await Promise.all([{calls('Write', 'Bash', 'Read', 'Bash')}])",
        groups=[1, 1, 1, 1],
        order=["Write", "Bash", "Read", "Bash"],
    ),
    scheduled(
        "a-failed-read-does-not-stop-its-siblings-or-what-follows",
        "seed1",
        [READ, BAD, WRITE],
        f"await Promise.allSettled([{calls('Read', 'Bad', 'Read', 'Write')}]); return 1",
        ok=False,
        order=["Read", "Bad", "Read", "Write"],
        groups=[3, 1],
        calls=4,
    ),
    scheduled(
        "an-uncaught-failure-waits-for-its-siblings",
        "seed1",
        [READ, BAD],
        f"await Promise.all([{calls('Bad', 'Read', 'Read')}])",
        ok=False,
        quiescent=True,
        started=3,
    ),
    scheduled(
        "thirty-two-calls-are-allowed",
        "seed1",
        [{**READ, "ms": 0}],
        'for (let i = 0; i < 32; i++) await tools.call("Read", { file_path: "f" }); return 1',
        value=1,
        calls=32,
    ),
    scheduled(
        "thirty-three-at-once-are-too-many",
        "seed1",
        [{**READ, "ms": 0}],
        'await Promise.allSettled(Array.from({ length: 33 }, () => tools.call("Read", {}))); return 1',
        ok=False,
        calls=32,
    ),
    scheduled(
        "ten-at-once",
        "seed2",
        [A],
        "await Promise.all(Array.from({ length: 25 }, (_, n) => tools.a({ n })))",
        peak=10,
    ),
    scheduled(
        "a-place-is-taken-as-soon-as-it-is-free",
        "seed2",
        [FAST, SLOW],
        "await Promise.all([...Array.from({ length: 9 }, () => tools.slow({})),"
        " tools.fast({}), tools.fast({})])",
        peak=10,
        started=11,
    ),
    scheduled(
        "a-barrier-on-both-sides",
        "seed2",
        [A, W],
        "await Promise.all([tools.a({ n: 1 }), tools.a({ n: 2 }), tools.w({}), tools.a({ n: 3 })])",
        sequence=[
            "a1 start",
            "a2 start",
            "a1 end",
            "a2 end",
            "w start",
            "w end",
            "a3 start",
            "a3 end",
        ],
    ),
    scheduled(
        "a-failed-barrier-lets-the-next-go",
        "seed2",
        [{**BAD, "name": "w", "class": "exclusive"}, A],
        "await Promise.allSettled([tools.w({}), tools.a({ n: 1 })]); return 1",
        value=1,
        sequence=["w start", "w end", "a1 start", "a1 end"],
    ),
    scheduled(
        "what-never-started-leaves-no-trace-of-a-start",
        "seed2",
        [A, W],
        "tools.w({}); tools.a({ n: 1 }); tools.a({ n: 2 }); return 1",
        ok=True,
        started=1,
        quiescent=True,
    ),
    scheduled(
        "started-reads-are-awaited",
        "seed2",
        [A],
        "tools.a({ n: 1 }); tools.a({ n: 2 }); return 1",
        ok=True,
        started=2,
        quiescent=True,
        value=1,
    ),
    scheduled(
        "four-at-once-are-allowed",
        "seed3",
        [A],
        "return (await Promise.all([bindings.a({}), bindings.a({}), bindings.a({}), bindings.a({})])).length;",
        value=4,
        peak_parallelism=4,
    ),
    scheduled(
        "five-at-once-end-the-run",
        "seed3",
        [A],
        "try { await Promise.all([bindings.a({}), bindings.a({}), bindings.a({}), bindings.a({}),"
        " bindings.a({})]); } catch (e) { return 1; } return 2;",
        error_code="CODE_MODE_PARALLELISM_LIMIT",
        quiescent=True,
    ),
    scheduled(
        "a-call-that-nobody-awaits-is-an-error",
        "seed3",
        [A],
        "bindings.a({}); return 1;",
        ok=False,
        quiescent=True,
    ),
    scheduled(
        "nothing-holds-back-what-says-nothing",
        "seed4",
        [A, W],
        "await Promise.all([tools.a({ n: 1 }), tools.w({}), tools.a({ n: 2 })])",
        peak=3,
    ),
]


@pytest.mark.parametrize("case", SCHEDULING)
async def test_scheduling(case: Any) -> None:
    await scheduling.test_scheduling(case)


def decided(name: str, setup: dict[str, Any], **expect: Any) -> Any:
    case = {"id": name, "profile": "seed3", "setup": setup, "expect": expect}
    return pytest.param(case, id=name)


DENIED = {"handler_called": False, "code": "CODE_MODE_POLICY_DENIED"}
HIDDEN = {"listed": False}

POLICY = [
    decided("allow", {"decision": "allow"}, handler_called=True, ok=True),
    decided("a-word-that-is-none", {"decision": "perhaps"}, **DENIED),
    decided("no-word", {"decision": None}, **DENIED),
    decided("an-id-that-is-none", {"decision_id": None}, **DENIED),
    decided("a-reason-that-is-none", {"reason_code": None}, **DENIED),
    decided("allow-and-throw", {"authorizer": "throws", "decision": "allow"}, **DENIED),
    decided("nobody-behind-it", {"origin": ""}, **DENIED),
    decided("an-origin-in-capitals", {"origin": "AGENT"}, **DENIED),
    decided(
        "stale-and-malformed",
        {"version_match": False, "decision_id": "", "reason_code": ""},
        **DENIED,
    ),
    decided(
        "too-wide-and-too-narrow",
        {"scope_extra_capability": True, "scope_missing_capability": True},
        **DENIED,
    ),
    decided("sandbox-where-there-is-one", {"decision": "sandbox"}, handler_called=True, ok=True),
    decided("nested-four-deep", {"nested_depth": 3}, handler_called=True, ok=True),
    decided(
        "nested-thrice",
        {"nested_depth": 2},
        authorizer_calls=["a", "a", "a"],
        depth=[1, 2, 3],
    ),
    decided("no-policy-one-binding", {"policy": None, "bindings": 1}, **DENIED),
    decided(
        "secret-among-effects",
        {"manifest_effects": ["read", "secret"]},
        code="CODE_MODE_BINDING_REJECTED",
    ),
    decided("one-name-thrice", {"names": ["a", "b", "a"]}, code="CODE_MODE_BINDING_REJECTED"),
]

REGISTRY = [
    decided("ask-is-hidden", {"decision": "ask"}, reason_code="policy-denied", **HIDDEN),
    decided(
        "experimental-is-hidden",
        {"maturity": "experimental"},
        reason_code="maturity-unavailable",
        **HIDDEN,
    ),
    decided("a-hundred-and-thirty", {"bindings": 130}, code="CATALOG_LIMIT_EXCEEDED"),
    decided(
        "an-object-is-no-array", {"output_kind": "array", "value": {}}, code="OUTPUT_KIND_MISMATCH"
    ),
    decided(
        "an-array-is-no-object", {"output_kind": "object", "value": []}, code="OUTPUT_KIND_MISMATCH"
    ),
    decided(
        "null-is-no-object", {"output_kind": "object", "value": None}, code="OUTPUT_KIND_MISMATCH"
    ),
    decided(
        "a-list-is-no-scalar", {"output_kind": "scalar", "value": [1]}, code="OUTPUT_KIND_MISMATCH"
    ),
]


@pytest.mark.parametrize("case", POLICY)
async def test_policy(case: Any) -> None:
    await policy.test_policy(case)


@pytest.mark.parametrize("case", REGISTRY)
async def test_registry(case: Any) -> None:
    await policy.test_registry(case)


def kept(name: str, script: str, **expect: Any) -> Any:
    return pytest.param(
        {"id": name, "profile": "seed1", "script": script, "expect": expect}, id=name
    )


RECEIPTS = [
    kept("nothing-called", "return 1", ok=True, value=1, calls=[]),
    kept(
        "numbered-in-the-order-of-the-calls",
        'const [a, b] = [tools.call("Echo", { n: 1 }), tools.call("Echo", { n: 2 })];'
        " await b; await a; return 1",
        ok=True,
        calls=[
            {"id": 1, "tool": "Echo", "status": "ok"},
            {"id": 2, "tool": "Echo", "status": "ok"},
        ],
    ),
    kept(
        "an-error-then-a-success",
        'try { await tools.call("Fail", {}) } catch {} await tools.call("Echo", {}); return 1',
        ok=False,
        statuses=["error", "ok"],
    ),
    kept(
        "swallowed-by-then",
        'return await tools.call("Fail", {}).then(() => 1, () => 2)',
        ok=False,
        value=2,
        statuses=["error"],
    ),
    kept(
        "swallowed-by-any",
        'await Promise.any([tools.call("Denied", {}), tools.call("Echo", {})]); return 1',
        ok=False,
        statuses=["denied", "ok"],
    ),
    kept(
        "lost-by-race",
        'await Promise.race([tools.call("Echo", {}), tools.call("Fail", {})]); return 1',
        ok=False,
        statuses=["ok", "error"],
    ),
    kept(
        "thrown-after-a-success",
        'await tools.call("Echo", {}); throw new Error("mine")',
        ok=False,
        calls=[{"id": 1, "tool": "Echo", "status": "ok"}],
    ),
    kept(
        "a-broker-tool-of-its-own",
        'try { await tools.call("mcp__code-mode__execute", { code: "1" }) } catch {} return 1',
        ok=False,
        statuses=["denied"],
    ),
    kept(
        "a-name-in-other-letters",
        'try { await tools.call("echo", {}) } catch {} return 1',
        ok=False,
        calls=[{"id": 1, "tool": "echo", "status": "denied"}],
    ),
    kept(
        "a-name-of-every-object",
        'try { await tools.call("constructor", {}) } catch {} return 1',
        ok=False,
        calls=[{"id": 1, "tool": "constructor", "status": "denied"}],
    ),
    kept(
        "reserved-tool",
        'try { await tools.call("Echo", { tool: "Big" }) } catch {} return 1',
        ok=False,
        statuses=["denied"],
    ),
    kept(
        "reserved-prototype",
        'try { await tools.call("Echo", { prototype: 1 }) } catch {} return 1',
        ok=False,
        statuses=["denied"],
    ),
    kept(
        "a-reserved-word-further-in-is-data",
        'await tools.call("Echo", { data: { tool: 1, consent: 2 } }); return 1',
        ok=True,
        statuses=["ok"],
    ),
    kept(
        "arguments-true",
        'try { await tools.call("Echo", true) } catch {} return 1',
        ok=False,
        statuses=["denied"],
    ),
    kept("a-script-of-nothing", "   ", ok=False),
    kept("code-16384", "return 1" + " " * (16_384 - len("return 1")), ok=True, value=1),
    kept("return-15998", 'return "x".repeat(15998)', ok=True),
    kept(
        "a-partial-read-with-an-offset-alone",
        'return (await tools.call("Read", { file_path: "x", offset: 5 })) && 1',
        ok=True,
        statuses=["ok"],
    ),
]


@pytest.mark.parametrize("case", RECEIPTS)
async def test_receipts(case: Any) -> None:
    await receipts.test_receipts(case)


class Till:
    """Tools that ask, and what they did."""

    def __init__(self) -> None:
        self.did: list[str] = []

    def engine(self, **parts: Any) -> CodeMode:
        async def read(n: int) -> int:
            self.did.append(f"read {n}")
            return n

        def pay(n: int) -> str:
            self.did.append(f"pay {n}")
            return f"paid {n}"

        def picky(n: int) -> str:
            self.did.append(f"picky {n}")
            return f"done {n}"

        def fails(n: int) -> str:
            self.did.append(f"fails {n}")
            raise ToolError("declined", code="failed", details={"n": n})

        def asks(options: ToolOptions, *functions: Any) -> list[Any]:
            return [tool_from(function, options=options) for function in functions]

        always = ToolOptions(requires_approval=True)
        large = ToolOptions(requires_approval=lambda args: args["n"] > 100)
        tools = [read, *asks(always, pay, fails), *asks(large, picky)]
        return CodeMode(tools, runtime=InlineRuntime(), **parts)


async def answered(codemode: CodeMode, script: str, *answers: Any) -> RunResult:
    """The end of a run whose questions are answered one after the other."""
    result = await codemode.run(script)
    for answer in answers:
        assert result.status == "paused", result
        result = await codemode.resume(result.run_id, {result.pending[0].id: answer})
    return result


APPROVALS: list[tuple[str, str, tuple[Any, ...], Any, list[str]]] = [
    ("approve", "return await tools.pay({ n: 1 })", (Approve(),), "paid 1", ["pay 1"]),
    (
        "reject-is-caught",
        "try { await tools.pay({ n: 1 }) } catch (e) { return [e.code, e.message] }",
        (Reject("too much"),),
        ["denied", "too much"],
        [],
    ),
    (
        "no-catch-and-no-finally-runs-at-a-pause",
        "const seen = []; try { seen.push(await tools.pay({ n: 1 })) } catch { seen.push('caught') }"
        " finally { seen.push('finally'); await tools.read({ n: seen.length }) } return seen",
        (Approve(),),
        ["paid 1", "finally"],
        ["pay 1", "read 2"],
    ),
    ("edit", "return await tools.pay({ n: 1 })", (Edit({"n": 5}),), "paid 5", ["pay 5"]),
    (
        "an-edit-that-does-not-fit-is-asked-again",
        "return await tools.pay({ n: 1 })",
        (Edit({"n": "many"}), Edit({"n": 7})),
        "paid 7",
        ["pay 7"],
    ),
    (
        "below-what-asks",
        "return [await tools.picky({ n: 1 }), await tools.picky({ n: 101 })]",
        (Approve(),),
        ["done 1", "done 101"],
        ["picky 1", "picky 101"],
    ),
    (
        "one-after-the-other",
        "return [await tools.pay({ n: 1 }), await tools.pay({ n: 2 })]",
        (Approve(), Approve()),
        ["paid 1", "paid 2"],
        ["pay 1", "pay 2"],
    ),
    (
        "two-at-once-answered-one-by-one",
        "return (await Promise.allSettled([tools.pay({ n: 1 }), tools.pay({ n: 2 })]))"
        ".map((one) => one.status)",
        (Reject("no"), Approve()),
        ["rejected", "fulfilled"],
        ["pay 2"],
    ),
    (
        "an-approved-call-that-fails-is-not-asked-again",
        "try { await tools.fails({ n: 3 }) } catch (e) { return [e.code, e.details] }",
        (Approve(),),
        ["failed", {"n": 3}],
        ["fails 3"],
    ),
    (
        "work-beside-the-question-is-done-once",
        "const [n, p] = await Promise.all([tools.read({ n: 4 }), tools.pay({ n: 1 })]); return [n, p]",
        (Approve(),),
        [4, "paid 1"],
        ["read 4", "pay 1"],
    ),
    (
        "in-a-loop",
        "let sum = 0; for (const n of [1, 2, 3]) { try { await tools.pay({ n }); sum += n } catch {} }"
        " return sum",
        (Approve(), Reject(), Approve()),
        4,
        ["pay 1", "pay 3"],
    ),
]


@pytest.mark.parametrize("journal", [False, True])
@pytest.mark.parametrize(
    ("script", "answers", "value", "did"),
    [pytest.param(*rest, id=name) for name, *rest in APPROVALS],
)
async def test_approval(
    script: str, answers: tuple[Any, ...], value: Any, did: list[str], journal: bool
) -> None:
    till = Till()
    codemode = till.engine(journal=MemoryJournal()) if journal else till.engine()
    result = await answered(codemode, script, *answers)
    assert result.ok, result
    assert result.value == value
    assert sorted(till.did) == sorted(did)


@pytest.mark.parametrize(
    ("script", "answers", "value", "did"),
    [pytest.param(*rest, id=name) for name, *rest in APPROVALS],
)
async def test_approval_by_a_callback_comes_to_the_same(
    script: str, answers: tuple[Any, ...], value: Any, did: list[str]
) -> None:
    till, left = Till(), list(answers)

    async def approve(pending: Any) -> Any:
        return left.pop(0)

    result = await till.engine(approve=approve).run(script)
    assert result.value == value
    assert sorted(till.did) == sorted(did)
    assert not left


REPEATED = [
    (
        "now-moves-with-results",
        "const a = Date.now(); await tools.read({n: 1}); return Date.now() >= a",
    ),
    ("the-same-dates", "const d = new Date(); await tools.pay({n: 1}); return d.getTime()"),
    (
        "the-same-chance",
        "const r = [Math.random()]; await tools.pay({n: 1}); r.push(Math.random()); return r",
    ),
    (
        "a-race-has-the-same-winner",
        "return await Promise.race([tools.read({n: 1}), tools.read({n: 2}), tools.pay({n: 3})])",
    ),
    (
        "order-of-settling",
        "const s = []; await Promise.all([3, 1, 2].map(async n => { await tools.read({n}); s.push(n) }));"
        " s.push(await tools.pay({n: 9})); return s",
    ),
    (
        "sorted-by-chance",
        "const s = [1,2,3,4,5].sort(() => Math.random() - 0.5); await tools.pay({n: s[0]}); return s",
    ),
    (
        "keys-and-collections",
        "const m = new Map([[await tools.read({n: 2}), 1], [await tools.read({n: 1}), 2]]);"
        " await tools.pay({n: 1}); return [...m.keys(), ...Object.keys({b: 1, a: 2, 1: 3})]",
    ),
    (
        "a-timer-against-a-call",
        "const t = sleep(1).then(() => 's'); const p = tools.pay({n: 1}); return [await t, await p]",
    ),
    (
        "printed-twice-is-printed-once",
        "console.log('one'); await tools.pay({n: 1}); console.log('two')",
    ),
    ("stored-once", "store('k', Math.random()); await tools.pay({n: 1}); return load('k')"),
]


@pytest.mark.parametrize("script", [pytest.param(text, id=name) for name, text in REPEATED])
async def test_a_pause_changes_nothing(script: str) -> None:
    """The same clock and seed, once in one go and once with a pause and two resumptions."""
    pinned = Determinism(now_ms=1_700_000_000_000, seed=7)
    whole = await Till().engine(approve=lambda pending: Approve()).run(script, determinism=pinned)
    till = Till()
    journal = MemoryJournal()
    paused = await till.engine(journal=journal).run(script, run_id="r", determinism=pinned)
    result = paused
    if paused.status == "paused":
        still = await till.engine(journal=journal).resume("r")
        assert still.pending == paused.pending
        answers = {pending.id: Approve() for pending in paused.pending}
        result = await till.engine(journal=journal).resume("r", answers)
    assert result.ok
    assert whole.ok
    assert result.value == whole.value
    assert [item.text for item in result.output] == [item.text for item in whole.output]
    assert result.store_writes == whole.store_writes
    assert len(set(till.did)) == len(till.did)
    again = await till.engine(journal=journal).resume("r")
    assert again.to_json() == result.to_json()


async def test_tools_that_come_and_go_count_from_the_next_run() -> None:
    """The list of a run is that of its beginning (feature matrix, row 48)."""

    def grows() -> int:
        codemode.add_tool(late)
        codemode.remove_tool("stays")
        return 1

    def late() -> int:
        return 2

    def stays() -> int:
        return 3

    codemode = CodeMode([grows, stays], profile="broker", runtime=InlineRuntime())
    script = """
        const before = tools.list().map((one) => one.name);
        await tools.call("grows", {});
        const after = tools.list().map((one) => one.name);
        let late = "called";
        try { await tools.call("late", {}) } catch { late = "unknown" }
        return [before.join() === after.join(), late, (await tools.call("stays", {})).result];
    """
    first = await codemode.run(script)
    assert first.value == [True, "unknown", 3]
    second = await codemode.run('return (await tools.call("late", {})).result')
    assert second.value == 2
