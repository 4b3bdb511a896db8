"""What code can do that runs natively inside of a worker: compute, and use its pipe.

The programs here are not scripts. They stand in for an engine that was taken over: the real
`worker.py` confines the process, and then runs them in place of serving scripts.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from toolscript.sandbox import confinement
from toolscript.sandbox.process import ALLOCATION
from toolscript.sandbox.quickjs import QuickJSRuntime

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="the protections are those of Linux"
)

INTRUDER = """
import ctypes, json, os, sys, socket, subprocess, threading, mmap, resource, errno, time
import importlib.util
spec = importlib.util.spec_from_file_location("confinement", {path!r})
confinement = importlib.util.module_from_spec(spec)
spec.loader.exec_module(confinement)
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
secret = os.open("/etc/hostname", os.O_RDONLY)
os.environ.clear()
state = confinement.confine({{"host_pid": os.getppid(), "address_bytes": 1 << 30, "cpu_s": 60}})
try:
    result = (lambda: {attempt})()
except OSError as error:
    result = "refused: " + errno.errorcode.get(error.errno, "")
except MemoryError:
    result = "refused: memory"
os.write(1, json.dumps([state, repr(result)]).encode())
os._exit(0)
"""


def intrude(attempt: str) -> tuple[int, str]:
    """The exit code of a confined process that tries something, and what it got."""
    source = INTRUDER.format(path=confinement.__file__, attempt=attempt)
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, check=False)
    told: Any = json.loads(done.stdout) if done.stdout else [{}, ""]
    return done.returncode, told[1]


def test_computing_and_the_pipe_work() -> None:
    assert intrude("sum(range(1000))") == (0, "499500")


@pytest.mark.parametrize(
    "attempt",
    [
        "os.open('/etc/passwd', os.O_RDONLY)",
        "open('/proc/self/environ').read()",
        "os.listdir('/')",
        "os.unlink('/nowhere')",
        "os.stat('/')",
        "socket.socket()",
        "socket.socket(socket.AF_UNIX)",
        "socket.socketpair()",
        "os.fork()",
        "os.execv('/bin/true', ['true'])",
        "os.posix_spawn('/bin/true', ['true'], {})",
        "threading.Thread(target=print).start()",
        "os.kill(os.getppid(), 0)",
        "os.kill(os.getpid(), 15)",
        "os.setuid(0)",
        "os.pipe()",
        "os.dup(0)",
        "os.memfd_create('x')",
        "libc.ptrace(0, 0, 0, 0)",
        "libc.prctl(22, 0, 0, 0, 0)",
        "libc.mmap(None, 4096, 7, 0x22, -1, 0)",
        "libc.mprotect(ctypes.c_void_p(id(0) & ~4095), 4096, 7)",
        "libc.syscall(425, 1, 0)",
        "libc.syscall(321, 0, 0, 0)",
        "libc.syscall(39 | 0x40000000)",
        "libc.unshare(0x10000000)",
        "resource.setrlimit(resource.RLIMIT_AS, (-1, -1))",
    ],
)
def test_everything_else_ends_the_process(attempt: str) -> None:
    code, result = intrude(attempt)
    assert code == -signal.SIGSYS, result


def test_what_was_open_is_closed() -> None:
    code, result = intrude("os.read(secret, 10)")
    assert code == 0
    assert result == "'refused: EBADF'"


def test_memory_is_bounded_by_the_system_too() -> None:
    assert intrude("len(bytearray(3 << 30))") == (0, "'refused: memory'")


def test_the_environment_of_a_worker_is_empty() -> None:
    runtime = QuickJSRuntime()
    assert runtime.isolation["process"] is True
    (worker,) = runtime._pool._idle
    environment = Path(f"/proc/{worker.pid}/environ").read_bytes()
    names = {part.partition(b"=")[0] for part in environment.split(b"\0") if part}
    assert names <= {b"LD_LIBRARY_PATH", *(name.encode() for name in ALLOCATION)}
    runtime._pool.kill_all()


def test_a_worker_holds_its_pipe_and_nothing_else() -> None:
    runtime = QuickJSRuntime()
    assert runtime.isolation["closed_descriptors"] is True
    (worker,) = runtime._pool._idle
    assert sorted(os.listdir(f"/proc/{worker.pid}/fd")) == ["0", "1"]
    status = Path(f"/proc/{worker.pid}/status").read_text()
    fields = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    assert fields["NoNewPrivs"] == "1"
    assert fields["Seccomp"] == "2"
    assert int(fields["CapEff"], 16) == int(fields["CapPrm"], 16) == 0
    assert worker.pid == os.getsid(worker.pid)
    runtime._pool.kill_all()


def test_a_protection_that_is_refused_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    # In a child: what it gives up cannot be had back.
    source = f"""
import importlib.util, json, os, sys
spec = importlib.util.spec_from_file_location("confinement", {confinement.__file__!r})
confinement = importlib.util.module_from_spec(spec)
spec.loader.exec_module(confinement)
for calls in confinement.CALLS.values():
    calls["landlock_create_ruleset"] = 9999
sys.stdout.write(json.dumps(confinement.confine(
    {{"host_pid": os.getppid(), "address_bytes": 1 << 30, "cpu_s": 60}})))
sys.stdout.flush()
os._exit(0)
"""
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, check=True)
    state = json.loads(done.stdout)
    assert "not implemented" in state["landlock"]
    assert state["seccomp"] is True
    assert socket.socket().fileno() > 0


def test_what_other_systems_lack_is_named() -> None:
    # In a child: what it gives up cannot be had back.
    source = f"""
import importlib.util, json, os, sys
spec = importlib.util.spec_from_file_location("confinement", {confinement.__file__!r})
confinement = importlib.util.module_from_spec(spec)
spec.loader.exec_module(confinement)
sys.platform = "darwin"
state = confinement.confine({{"host_pid": os.getppid(), "address_bytes": 1 << 30, "cpu_s": 60}})
os.write(1, json.dumps(state).encode())
os._exit(0)
"""
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, check=True)
    state = json.loads(done.stdout)
    assert state["process"] is state["closed_descriptors"] is True
    assert "memory only by the engine" in state["limits"]
    assert "pipe closes" in state["dies_with_host"]
    assert state["seccomp"] == state["landlock"] == "not available on darwin"
