"""Node.js on the host: what it imports, what it bounds, and what becomes of its process."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.processes import (
    eventually,
    is_alive,
    needs_proc,
    open_descriptors,
    settle_pools,
    worker_pids,
)
from toolscript import CodeMode, ConfigurationError, NodeRuntime
from toolscript.errors import ClosedError
from toolscript.sandbox.frames import EndFrame, OutputFrame
from toolscript.sandbox.runtime import Clock, Execution, Program, Runtime
from toolscript.testing import RuntimeConformance
from toolscript.testing.guest_host import Ended, execute, surface
from toolscript.testing.runtimes.base import ANSWERS, NAMES

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not on PATH")

GUARD_S = 60.0


class TestNodeRuntime(RuntimeConformance):
    @classmethod
    def make_runtime(cls) -> Runtime:
        return NodeRuntime()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with a module, a JSON file, packages of both kinds, and declarations."""
    root = tmp_path_factory.mktemp("project")
    files = {
        "lib/double.mjs": "export const two = 2; export default (n) => n * two;",
        "numbers.json": '{ "one": 1 }',
        "broken.mjs": "export const = 1;",
        "node_modules/old/package.json": '{ "name": "old", "main": "main.js" }',
        "node_modules/old/main.js": "exports.pad = (s) => s.padStart(4, '*'); exports.list = () => [];",
        "node_modules/new/package.json": '{ "name": "new", "type": "module", "exports": "./m.js" }',
        "node_modules/new/m.js": "let n = 0; export const next = () => ++n;",
        "node_modules/@types/node/index.d.ts": 'declare module "node:util" {\n'
        "  export function inspect(value: unknown): string;\n}\n",
        "node_modules/@types/node/ts4.8/index.d.ts": "this is for older compilers",
    }
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


@pytest.fixture(scope="module")
def runtime(folder: Path) -> Iterator[NodeRuntime]:
    runtime = NodeRuntime(cwd=folder)
    yield runtime
    asyncio.run(runtime.aclose())


async def run(runtime: Runtime, code: str, **options: Any) -> Ended:
    program = replace(Program(code=code, surface=surface(NAMES), cpu_s=10.0), **options)
    async with asyncio.timeout(GUARD_S):
        return await execute(runtime, program, ANSWERS)


HANGING = Program(code="await tools.hang({})", surface=surface(NAMES))


async def end_of(execution: Execution) -> EndFrame:
    """The end of a program that was opened, whatever came before."""
    while True:
        for frame in await execution.receive():
            if isinstance(frame, EndFrame):
                return frame


async def value(runtime: Runtime, code: str, **options: Any) -> Any:
    ended = await run(runtime, code, **options)
    assert ended.outcome == "returned", ended.end
    return ended.value


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


# -- imports


async def test_a_module_imports_what_node_finds_from_its_folder(runtime: NodeRuntime) -> None:
    result = await CodeMode([add], runtime=runtime).run(
        """
        import { inspect } from "node:util";
        import double, { two } from "./lib/double.mjs";
        import { pad } from "old";
        import * as fresh from "new";
        import numbers from "./numbers.json" with { type: "json" };
        import { readFile } from "node:fs/promises";

        export default async function ({ tools, console }) {
          console.log(inspect({ two }));
          const text = await readFile("numbers.json", "utf8");
          const { pad: again } = await import("old");
          return [double(3), pad("a"), fresh.next(), numbers.one, JSON.parse(text).one,
            again === pad, await tools.add({ a: 1, b: 2 }), import.meta.dirname === process.cwd()];
        }
        """
    )
    assert result.error is None
    assert result.value == [6, "***a", 1, 1, 1, True, 3, True]
    assert [item.text for item in result.output] == ["{ two: 2 }"]


async def test_modules_are_fresh_for_each_script(runtime: NodeRuntime) -> None:
    code = "const { next } = await $module.load('new'); return [next(), next()]"
    assert await value(runtime, code) == [1, 2]
    assert await value(runtime, code) == [1, 2]


async def test_modules_of_the_program_come_before_those_of_the_platform(
    runtime: NodeRuntime,
) -> None:
    code = "const { pad } = await $module.load('old'); return pad"
    assert await value(runtime, code, modules={"old": "return { pad: 'ours' }"}) == "ours"


async def test_a_script_shares_its_built_ins_with_what_it_imports(runtime: NodeRuntime) -> None:
    code = (
        "const { list } = await $module.load('old'); const fs = await $module.load('node:fs');"
        " let error; try { fs.readFileSync('nowhere') } catch (e) { error = e }"
        " return [list() instanceof Array, error instanceof Error, error.code]"
    )
    assert await value(runtime, code) == [True, True, "ENOENT"]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ('import "nowhere"; return 1', "nowhere"),
        ('import "./nowhere.mjs"; return 1', "nowhere.mjs"),
        ('import "./broken.mjs"; return 1', "Unexpected token"),
        ('import { nothing } from "old"; return nothing', "nothing"),
    ],
)
async def test_an_import_that_fails_says_what_is_wrong(
    runtime: NodeRuntime, source: str, message: str
) -> None:
    result = await CodeMode([add], runtime=runtime).run(source)
    assert result.error is not None
    assert message in result.error.message


async def test_the_type_checker_knows_the_declarations_of_the_folder(
    runtime: NodeRuntime, tmp_path: Path
) -> None:
    assert list(runtime.type_definitions()) == ["index.d.ts"]
    assert NodeRuntime(cwd=tmp_path).type_definitions() == {}
    engine = CodeMode([add], runtime=runtime, check="types")
    head = 'import { inspect } from "node:util"; import double from "./lib/double.mjs";\n'
    good = await engine.run(head + "return double(inspect(1).length)")
    assert good.value == 2
    bad = await engine.run(head + "const n: number = inspect(1); return n")
    assert bad.error is not None
    assert "Type 'string' is not assignable" in bad.error.message


# -- what Node.js does by itself


async def test_a_script_that_waits_for_node_is_not_stalled(runtime: NodeRuntime) -> None:
    code = (
        "const { setTimeout: wait } = await $module.load('node:timers/promises');"
        " const fs = await $module.load('node:fs/promises'); await wait(30);"
        " const text = await fs.readFile('numbers.json', 'utf8');"
        " return [text.length > 1, (await tools.echo({ a: 1 })).a,"
        " await new Promise((done) => setTimeout(done, 20, 'timer'))]"
    )
    assert await value(runtime, code) == [True, 1, "timer"]
    assert (await run(runtime, "await new Promise(() => {})")).outcome == "stalled"


async def test_an_error_outside_of_any_promise_fails_the_script(runtime: NodeRuntime) -> None:
    code = "setImmediate(() => { throw new RangeError('late') }); await sleep(10_000)"
    end = (await run(runtime, code)).end
    assert end is not None
    assert (end.outcome, end.name, end.message) == ("threw", "RangeError", "late")


async def test_what_is_printed_past_the_guest_library_is_no_output(runtime: NodeRuntime) -> None:
    code = (
        "process.stdout.write('a'); (await $module.load('node:fs')).writeSync(1, 'b');"
        " (await $module.load('node:child_process')).execSync('echo c', { stdio: 'inherit' });"
        " console.log('d'); return 1"
    )
    ended = await run(runtime, code)
    assert ended.outcome == "returned", ended.end
    assert ended.printed == "d"


async def test_a_pinned_clock_also_orders_timers(runtime: NodeRuntime) -> None:
    code = (
        "const at = Date.now(); await new Promise((done) => setTimeout(done, 5));"
        " return [at, Date.now() - at]"
    )
    assert await value(runtime, code, clock=Clock(now_ms=1000, seed=1)) == [1000, 0]


# -- ends


async def test_a_loop_in_one_script_stops_no_other(runtime: NodeRuntime) -> None:
    loop = asyncio.create_task(run(runtime, "console.log('begun'); for (;;);", cpu_s=2.0))
    for _ in range(5):
        assert await value(runtime, "return (await tools.echo({ a: 1 })).a") == 1
    ended = await loop
    assert (ended.outcome, ended.printed) == ("timeout", "begun")
    assert (ended.usage.cpu_s or 0) > 1


async def test_native_code_that_cannot_be_stopped_takes_its_siblings_along(folder: Path) -> None:
    runtime = NodeRuntime(cwd=folder)
    pid = await value(runtime, "return process.pid")
    execution = await runtime.open(
        Program(
            # What the getter tells comes when the native code is under way.
            code="Array.prototype.reverse.call("
            "{ length: 2 ** 53 - 1, get 0() { text('begun') }, set 0(_) {} })",
            surface=surface((), builtins=("text",)),
        )
    )
    sibling = await runtime.open(HANGING)
    assert await execution.receive()
    async with asyncio.timeout(GUARD_S):
        await execution.aclose()
        assert (await end_of(sibling)).outcome == "worker_exit"
    await sibling.aclose()
    assert await value(runtime, "return 1") == 1
    assert gone(pid)
    await runtime.aclose()


@pytest.mark.parametrize(
    "code",
    [
        "process.exit(3)",
        "(await $module.load('node:worker_threads')).parentPort.postMessage({}); await tools.hang()",
        "(await $module.load('node:worker_threads')).parentPort.postMessage('sno frame');"
        " await tools.hang({})",
        "process.removeAllListeners('uncaughtException'); setImmediate(() => { throw null });"
        " await tools.hang({})",
        "process.removeAllListeners('uncaughtException');"
        " setImmediate(() => { throw { message: { toString: 1, valueOf: 1 } } });"
        " await tools.hang({})",
    ],
)
async def test_a_script_that_goes_past_the_guest_library_ends_alone(
    runtime: NodeRuntime, code: str
) -> None:
    sibling = asyncio.create_task(
        value(runtime, "return (await tools.slow({ ms: 300, value: 7 })) + 1")
    )
    await asyncio.sleep(0.1)
    assert (await run(runtime, code)).outcome == "worker_exit"
    assert await sibling == 8


@pytest.fixture
def preloaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], NodeRuntime]:
    """Makes a runtime in whose process a text runs first, in each thread."""

    def make(text: str) -> NodeRuntime:
        preload = tmp_path / "preload.cjs"
        preload.write_text(text)
        monkeypatch.setenv("NODE_OPTIONS", f"--require {preload.as_posix()}")
        return NodeRuntime(cwd=tmp_path, boot_s=GUARD_S)

    return make


async def test_what_a_thread_does_before_its_script_is_not_the_script_s_computing(
    preloaded: Callable[[str], NodeRuntime],
) -> None:
    # The guest library takes its time.
    runtime = preloaded("""
        const vm = require("node:vm");
        const { Script } = vm;
        vm.Script = class extends Script {
          constructor(text, options) {
            super(text, options);
            if (options.filename !== "<guest main>") return;
            for (const end = performance.now() + 800; performance.now() < end; );
          }
        };
    """)
    ended = await run(runtime, "return 1", cpu_s=0.5)
    assert ended.value == 1, ended.end
    await runtime.aclose()


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="needs POSIX signals")
@needs_proc
async def test_time_in_which_a_script_got_no_processor_is_not_its_computing(
    runtime: NodeRuntime,
) -> None:
    # It ends when it has been stopped for a while.
    code = (
        "text(process.pid); let last = Date.now();"
        " for (;;) { const now = Date.now(); if (now - last > 900) break; last = now; }"
    )
    began = time.monotonic()
    execution = await runtime.open(Program(code=code, surface=surface((), builtins=("text",))))
    (said,) = [f for f in await execution.receive() if isinstance(f, OutputFrame)]
    os.kill(int(said.text), signal.SIGSTOP)
    await asyncio.sleep(1.0)
    os.kill(int(said.text), signal.SIGCONT)
    assert (await end_of(execution)).outcome == "returned"
    await execution.aclose()
    assert 0 < (execution.usage.cpu_s or 0) < time.monotonic() - began - 0.9


async def test_where_the_system_counts_no_computing_a_loop_ends_all_the_same(
    preloaded: Callable[[str], NodeRuntime],
) -> None:
    runtime = preloaded(
        'const fs = require("node:fs"); const { readFileSync } = fs;'
        " fs.readFileSync = (path, how) => {"
        ' if (String(path).startsWith("/proc")) throw new Error("not here");'
        " return readFileSync(path, how); };"
    )
    assert await value(runtime, "return 1") == 1
    ended = await run(runtime, "for (;;);", cpu_s=0.3)
    assert ended.outcome == "timeout"
    assert 0.3 <= (ended.usage.cpu_s or 0) < GUARD_S
    await runtime.aclose()


async def test_a_thread_that_the_system_does_not_give_fails_one_script(
    preloaded: Callable[[str], NodeRuntime],
) -> None:
    # The first thread is no script's; the next are the first script's, the one made ahead for the
    # second, which is tried again for it, and the one made ahead for the third.
    runtime = preloaded("""
        const threads = require("node:worker_threads");
        const { Worker } = threads;
        let made = 0;
        threads.Worker = class extends Worker {
          constructor(...given) {
            if ([3, 4].includes(++made)) throw new Error("no thread for number " + made);
            super(...given);
          }
        };
        require("node:module").syncBuiltinESMExports();
    """)
    pid = await value(runtime, "return process.pid")
    ended = await run(runtime, "return 2")
    assert ended.outcome == "worker_exit"
    assert ended.end is not None
    assert "cannot be started: no thread" in ended.end.message
    assert await value(runtime, "return process.pid") == pid
    await runtime.aclose()


async def test_a_flood_of_output_is_held_back(runtime: NodeRuntime) -> None:
    result = await CodeMode([add], runtime=runtime).run("for (;;) console.log('x'.repeat(100_000))")
    assert result.error is not None
    assert result.error.kind == "output_limit"


async def test_many_scripts_at_once(runtime: NodeRuntime) -> None:
    code = (
        "let n = {i}; for (let k = 0; k < 10; k++) n = (await tools.echo({{ n }})).n + 1; return n"
    )
    found = await asyncio.gather(*(value(runtime, code.format(i=i)) for i in range(20)))
    assert found == [i + 10 for i in range(20)]


def test_event_loops_and_threads_share_one_process(runtime: NodeRuntime) -> None:
    pids: list[int] = []

    def work() -> None:
        pids.append(asyncio.run(value(runtime, "return process.pid")))

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    work()
    assert len(pids) == 4
    assert len(set(pids)) == 1


async def test_a_loop_that_forgot_its_script_leaves_the_others_alone(runtime: NodeRuntime) -> None:
    async def forget() -> None:
        program = Program(code="for (;;) await tools.echo({})", surface=surface(NAMES))
        await runtime.open(program)

    await asyncio.to_thread(asyncio.run, forget())
    assert await value(runtime, "return 1") == 1


# -- the process


def gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


async def test_closing_waits_for_the_process(folder: Path) -> None:
    runtime = NodeRuntime(cwd=folder)
    pid = await value(runtime, "return process.pid")
    hanging = await runtime.open(HANGING)
    looping = await runtime.open(replace(HANGING, code="for (;;);"))
    finished = asyncio.create_task(runtime.finished())
    await asyncio.sleep(0)
    await runtime.aclose()
    assert gone(pid)
    assert (await finished).kind == "closed"
    for execution in (hanging, looping):
        assert (await end_of(execution)).outcome == "worker_exit"
        await execution.aclose()
    with pytest.raises(ClosedError):
        await runtime.open(Program(code="return 1", surface=surface(())))


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs POSIX signals")
async def test_a_dead_process_ends_its_scripts_and_is_replaced(folder: Path) -> None:
    runtime = NodeRuntime(cwd=folder)
    pid = await value(runtime, "return process.pid")
    finished = asyncio.create_task(runtime.finished())
    running = [await runtime.open(HANGING) for _ in range(3)]
    os.kill(pid, signal.SIGKILL)
    for execution in running:
        end = await end_of(execution)
        assert end.outcome == "worker_exit"
        assert "ended unexpectedly" in end.message
        await execution.aclose()
    assert (await finished).kind == "failed"
    assert await value(runtime, "return process.pid") != pid
    await runtime.aclose()


async def test_a_cancelled_opening_leaves_nothing_behind(folder: Path) -> None:
    runtime = NodeRuntime(cwd=folder)
    for wait_s in (0.0, 0.02, 0.1, 0.3):
        opening = asyncio.create_task(
            runtime.open(Program(code="for (;;);", surface=surface(NAMES)))
        )
        await asyncio.sleep(wait_s)
        if opening.cancel():
            with pytest.raises(asyncio.CancelledError):
                await opening
        else:
            await (await opening).aclose()
    assert await value(runtime, "return 1") == 1
    await runtime.aclose()


async def test_openings_and_the_closing_of_a_runtime_may_meet(folder: Path) -> None:
    for wait_s in (0.0, 0.05, 0.3):
        runtime = NodeRuntime(cwd=folder)
        openings = [
            asyncio.create_task(runtime.open(Program(code="for (;;);", surface=surface(NAMES))))
            for _ in range(3)
        ]
        await asyncio.sleep(wait_s)
        async with asyncio.timeout(GUARD_S):
            await runtime.aclose()
            for opened in await asyncio.gather(*openings, return_exceptions=True):
                if not isinstance(opened, ClosedError):
                    assert isinstance(opened, Execution)
                    await opened.aclose()


async def test_without_node_it_says_what_to_install(folder: Path, tmp_path: Path) -> None:
    program = Program(code="return 1", surface=surface(()))
    for runtime, message in (
        (NodeRuntime(node="no-such-node"), "install Node.js"),
        (NodeRuntime(cwd=tmp_path / "nowhere"), "cwd"),
    ):
        with pytest.raises(ConfigurationError, match=message):
            await runtime.open(program)
        await runtime.aclose()


@pytest.mark.skipif(os.name == "nt", reason="needs an executable script")
async def test_a_program_that_is_no_node_is_told(tmp_path: Path) -> None:
    program = Program(code="return 1", surface=surface(()))
    for text, boot_s, message in (
        ("exit 7", 60.0, "exit code 7"),
        ("exec sleep 60", 1.0, "boot_s"),
    ):
        path = tmp_path / "node"
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
        runtime = NodeRuntime(node=str(path), boot_s=boot_s)
        with pytest.raises(ConfigurationError, match=message):
            await runtime.open(program)
        await runtime.aclose()


# Parses for as long as the engine has not been told to give the digits of numbers, and has the
# telling take its time.
PARSING_THREADS = """
const { isMainThread } = require("node:worker_threads");
const v8 = require("node:v8");
const told = () => JSON.parse("1", (key, value, context) => context) !== undefined;
if (isMainThread) {
  const { setFlagsFromString } = v8;
  v8.setFlagsFromString = (flags) => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
    setFlagsFromString(flags);
  };
  require("node:module").syncBuiltinESMExports();
} else {
  let text = null;
  for (const end = Date.now() + 10_000; !told() && Date.now() < end; ) {
    text ??= JSON.stringify("x".repeat(1 << 26));
    JSON.parse(text, (key, value) => value);
  }
}
"""


async def test_a_thread_that_parses_while_the_process_starts_does_not_end_it(
    preloaded: Callable[[str], NodeRuntime],
) -> None:
    runtime = preloaded(PARSING_THREADS)
    assert await value(runtime, "return 1") == 1
    await runtime.aclose()


@needs_proc
async def test_many_openings_leave_no_process_and_no_descriptor(folder: Path) -> None:
    for _ in range(2):
        runtime = NodeRuntime(cwd=folder)
        assert await value(runtime, "return 1") == 1
        await runtime.aclose()
    settle_pools()
    before, children = open_descriptors(), worker_pids()
    for _ in range(3):
        runtime = NodeRuntime(cwd=folder)
        await asyncio.gather(*(value(runtime, "return 1") for _ in range(3)))
        await runtime.aclose()
    assert eventually(lambda: open_descriptors() <= before)
    assert eventually(lambda: worker_pids() <= children)


HOST = """
import asyncio, os, signal, sys, threading
from toolscript import NodeRuntime
from toolscript.sandbox.runtime import Program
from toolscript.testing.guest_host import execute, surface

async def main():
    runtime = NodeRuntime()
    shown = surface(("echo",))
    ask = Program(code="return process.pid", surface=shown)
    ended = await execute(runtime, ask, {})
    print(ended.value or ended.end, flush=True)
    threading.Timer(float(sys.argv[2]), os.kill, (os.getpid(), signal.SIGKILL)).start()
    await execute(runtime, Program(code=sys.argv[1], surface=shown), {0: lambda args: args})

asyncio.run(main())
"""


@needs_proc
@pytest.mark.parametrize("seconds", [0.05, 0.6])
@pytest.mark.parametrize(
    "code",
    [
        "Array.prototype.reverse.call({ length: 2 ** 53 - 1 })",
        "for (;;) console.log('x'.repeat(10_000))",
        "for (;;) tools.echo({ a: 1 })",
        "const all = []; for (;;) all.push(new Array(1000).fill(all.length))",
        "for (;;) process.stdout.write('x'.repeat(1000))",
        "const { parentPort } = await $module.load('node:worker_threads');"
        " for (;;) parentPort.postMessage('sx')",
    ],
)
def test_the_process_ends_with_its_host_whatever_a_script_does(
    folder: Path, code: str, seconds: float
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", HOST, code, str(seconds)],
        capture_output=True,
        text=True,
        cwd=folder,
        timeout=GUARD_S,
    )
    pid = int(done.stdout)
    assert eventually(lambda: not is_alive(pid))
