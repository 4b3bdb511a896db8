"""The pool in real applications: threads, forks, several loops, servers, signals, no `aclose`."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest

from tests.pool.scripts import run_code, run_program, start_program
from tests.processes import eventually, is_alive, needs_proc, worker_pids

posix = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals and fork")


def test_importing_is_light_and_starts_nothing() -> None:
    code = """
import sys
import toolscript
heavy = {
    "asyncio", "jsonschema_rs", "langchain", "langchain_core", "langgraph", "pydantic",
    "quickjs", "_quickjs", "tree_sitter",
}
print(sorted(heavy & set(sys.modules)))
toolscript.CodeMode
import threading
print(sorted({"langchain", "langchain_core", "quickjs", "_quickjs"} & set(sys.modules)))
print(threading.active_count())
"""
    assert run_code(code).splitlines() == ["[]", "[]", "1"]


def test_one_engine_in_many_threads_each_with_its_loop(tmp_path: Path) -> None:
    printed = run_program(
        tmp_path,
        """
        codemode = CodeMode([add])
        values = []

        def work():
            for _ in range(5):
                values.append(asyncio.run(codemode.run(SCRIPT)).value)

        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        print(len(values), set(values))
        """,
    )
    assert printed == "40 {3}"


def test_several_loops_one_after_another(tmp_path: Path) -> None:
    printed = run_program(
        tmp_path,
        """
        codemode = CodeMode([add])
        print([asyncio.run(codemode.run(SCRIPT)).value for _ in range(4)])
        """,
    )
    assert printed == "[3, 3, 3, 3]"


def test_run_sync_with_and_without_a_running_loop(tmp_path: Path) -> None:
    printed = run_program(
        tmp_path,
        """
        from contextvars import ContextVar
        who = ContextVar("who", default="nobody")

        def ask() -> str:
            "Who asks."
            return who.get()

        codemode = CodeMode([add, ask])
        print(codemode.run_sync(SCRIPT).value)

        async def cell():
            # As in a notebook, whose loop already runs.
            who.set("the notebook")
            return codemode.run_sync(SCRIPT).value, codemode.run_sync("return await tools.ask({})").value

        print(asyncio.run(cell()))
        """,
    )
    assert printed.splitlines() == ["3", "(3, 'the notebook')"]


@posix
def test_a_forked_child_forgets_its_parents_pool(tmp_path: Path) -> None:
    printed = run_program(
        tmp_path,
        """
        codemode = CodeMode([add])
        print(codemode.run_sync(SCRIPT).value, flush=True)
        children = []
        for _ in range(3):
            pid = os.fork()
            if pid == 0:
                value = codemode.run_sync(SCRIPT).value
                os._exit(value)
            children.append(pid)
        print(sorted(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in children))
        print(codemode.run_sync(SCRIPT).value)
        """,
    )
    assert printed.splitlines() == ["3", "[3, 3, 3]", "3"]


def test_multiprocessing_workers_as_a_web_server_has_them(tmp_path: Path) -> None:
    printed = run_program(
        tmp_path,
        """
        import multiprocessing

        def serve(number):
            async def requests():
                codemode = CodeMode([add])
                results = await asyncio.gather(*(codemode.run(SCRIPT) for _ in range(5)))
                return sum(result.value for result in results)
            return asyncio.run(requests())

        if __name__ == "__main__":
            context = multiprocessing.get_context("spawn")
            with context.Pool(2) as pool:
                print(pool.map(serve, range(3)))
        """,
    )
    assert printed == "[15, 15, 15]"


@needs_proc
@pytest.mark.parametrize("ending", ["pass", "sys.exit(0)", "os._exit(0)"])
def test_nobody_calls_aclose_and_nothing_stays(tmp_path: Path, ending: str) -> None:
    printed = run_program(
        tmp_path,
        f"""
        from pathlib import Path
        codemode = CodeMode([add])
        assert codemode.run_sync(SCRIPT).value == 3
        mine = [
            pid for task in Path("/proc/self/task").iterdir()
            for pid in (task / "children").read_text().split()
        ]
        print(*mine, flush=True)
        {ending}
        """,
    )
    workers = [int(pid) for pid in printed.split()]
    assert workers
    assert eventually(lambda: not any(map(is_alive, workers)))


@needs_proc
@posix
@pytest.mark.parametrize(
    "does",
    [
        "for (;;) {}",
        "Array.prototype.reverse.call({ length: 2 ** 53 - 1 })",
        "for (;;) { console.log('x'.repeat(1000)); await 0 }",
        "for (;;) tools.add({ a: 1, b: 2 })",
        "const all = []; for (;;) all.push(new Array(1000).fill(all.length))",
    ],
)
def test_workers_die_with_a_host_that_is_killed(tmp_path: Path, does: str) -> None:
    process = start_program(
        tmp_path,
        f"""
        from pathlib import Path

        def begin() -> None:
            "Tells the test which processes there are while the script runs."
            children = [task / "children" for task in Path("/proc/self/task").iterdir()]
            print(*(pid for file in children for pid in file.read_text().split()))

        limits = {{"calls": 10**9, "output_bytes": 10**9, "output_items": 10**9}}
        codemode = CodeMode([add, begin], limits=limits)
        codemode.run_sync({"await tools.begin({}); " + does!r}, timeout=100)
        time.sleep(100)
        """,
    )
    assert process.stdout is not None
    workers = [int(pid) for pid in process.stdout.readline().split()]
    assert workers
    process.kill()
    process.wait(timeout=20)
    process.stdout.close()
    assert process.stderr is not None
    process.stderr.close()
    assert eventually(lambda: not any(map(is_alive, workers)))


@needs_proc
@posix
def test_ctrl_c_ends_a_run_at_once(tmp_path: Path) -> None:
    process = start_program(
        tmp_path,
        """
        async def main():
            async with CodeMode([ready]) as codemode:
                await codemode.run("await tools.ready(); for (;;) {}", timeout=100)

        try:
            asyncio.run(main())
        except KeyboardInterrupt:
            print("interrupted")
        """,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    workers = worker_pids(process.pid)
    # A terminal sends Ctrl-C to the whole group; workers must leave it to the host.
    os.killpg(process.pid, signal.SIGINT)
    printed, errors = process.communicate(timeout=60)
    assert printed == "interrupted\n"
    assert errors == ""
    assert process.returncode == 0
    assert eventually(lambda: not any(map(is_alive, workers)))


@needs_proc
@posix
def test_ctrl_c_during_run_sync(tmp_path: Path) -> None:
    process = start_program(
        tmp_path,
        """
        codemode = CodeMode([add, ready])
        try:
            codemode.run_sync("await tools.ready(); for (;;) {}", timeout=100)
        except KeyboardInterrupt:
            print("interrupted", codemode.run_sync(SCRIPT).value)
        """,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    os.killpg(process.pid, signal.SIGINT)
    printed, errors = process.communicate(timeout=60)
    assert printed == "interrupted 3\n", errors
    assert process.returncode == 0
