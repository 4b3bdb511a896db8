"""Takes away from this process, for good, all that running a script does not need.

Runs inside the worker, which imports this file by path, before the worker sees a script. Each
protection that the system refuses is left out and said so; the rest still applies.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
import sys
from collections.abc import Callable
from typing import Any

if sys.platform != "win32":
    # Before anything is closed: it is a file, too.
    import resource

# linux/prctl.h
PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_CAPBSET_DROP = 24
PR_SET_NO_NEW_PRIVS = 38
SIGKILL = 9

# linux/sched.h
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWNET = 0x40000000

# System calls by machine, from the kernel's tables.
CALLS: dict[str, dict[str, int]] = {
    "x86_64": {
        "read": 0,
        "write": 1,
        "readv": 19,
        "poll": 7,
        "mmap": 9,
        "mprotect": 10,
        "munmap": 11,
        "brk": 12,
        "rt_sigprocmask": 14,
        "rt_sigreturn": 15,
        "sched_yield": 24,
        "mremap": 25,
        "madvise": 28,
        "getpid": 39,
        "exit": 60,
        "gettimeofday": 96,
        "sigaltstack": 131,
        "gettid": 186,
        "time": 201,
        "futex": 202,
        "restart_syscall": 219,
        "clock_gettime": 228,
        "clock_getres": 229,
        "exit_group": 231,
        "ppoll": 271,
        "getrandom": 318,
        "rseq": 334,
        "capset": 126,
        "seccomp": 317,
        "landlock_create_ruleset": 444,
        "landlock_restrict_self": 446,
    },
    "aarch64": {
        "read": 63,
        "write": 64,
        "readv": 65,
        "ppoll": 73,
        "mmap": 222,
        "mprotect": 226,
        "munmap": 215,
        "brk": 214,
        "rt_sigprocmask": 135,
        "rt_sigreturn": 139,
        "sched_yield": 124,
        "mremap": 216,
        "madvise": 233,
        "getpid": 172,
        "exit": 93,
        "gettimeofday": 169,
        "sigaltstack": 132,
        "gettid": 178,
        "futex": 98,
        "restart_syscall": 128,
        "clock_gettime": 113,
        "clock_getres": 114,
        "exit_group": 94,
        "getrandom": 278,
        "rseq": 293,
        "capset": 91,
        "seccomp": 277,
        "landlock_create_ruleset": 444,
        "landlock_restrict_self": 446,
    },
}
AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}

# What computing and one pipe need. `mmap` and `mprotect` only without PROT_EXEC.
ALLOWED = (
    "read",
    "readv",
    "write",
    "poll",
    "ppoll",
    "munmap",
    "mremap",
    "madvise",
    "brk",
    "futex",
    "clock_gettime",
    "clock_getres",
    "gettimeofday",
    "time",
    "getpid",
    "gettid",
    "getrandom",
    "rseq",
    "sched_yield",
    "rt_sigprocmask",
    "rt_sigreturn",
    "sigaltstack",
    "restart_syscall",
    "exit",
    "exit_group",
)
NOT_EXECUTABLE = ("mmap", "mprotect")
PROT_EXEC = 4

# linux/seccomp.h and linux/filter.h
SECCOMP_SET_MODE_FILTER = 1
SECCOMP_FILTER_FLAG_TSYNC = 1
RET_ALLOW = 0x7FFF0000
RET_KILL_PROCESS = 0x80000000
LOAD = 0x20
JUMP_EQUAL = 0x15
JUMP_GREATER_EQUAL = 0x35
JUMP_SET = 0x45
RETURN = 0x06
DATA_NUMBER = 0
DATA_ARCH = 4
DATA_THIRD_ARGUMENT = 32
X32_BIT = 0x40000000


class FilterProgram(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


def confine(settings: dict[str, Any]) -> dict[str, bool | str]:
    """Apply every protection there is; returns which are in force, or why not.

    `settings` has `host_pid`, `address_bytes` and `cpu_s`.
    """
    state: dict[str, bool | str] = {"process": True}
    if sys.platform != "linux":
        reason = f"not available on {sys.platform}"
        return state | dict.fromkeys(LINUX_ONLY, reason) | _elsewhere(settings)
    libc = ctypes.CDLL(None, use_errno=True)
    machine = platform.machine()
    calls = CALLS.get(machine)
    state["no_new_privileges"] = _attempt(lambda: _prctl(libc, PR_SET_NO_NEW_PRIVS, 1))
    state["dies_with_host"] = _attempt(lambda: _die_with(libc, settings["host_pid"]))
    _attempt(lambda: _prctl(libc, PR_SET_DUMPABLE, 0))
    state["closed_descriptors"] = _attempt(_close_descriptors)
    state["namespaces"] = _attempt(lambda: _unshare(libc))
    # A change of credentials forgets the signal: say it again.
    _attempt(lambda: _die_with(libc, settings["host_pid"]))
    if calls is None:
        reason = f"not implemented for {machine}"
        state["capabilities_dropped"] = state["landlock"] = state["seccomp"] = reason
        state["limits"] = _attempt(lambda: _limits(settings))
        return state
    state["capabilities_dropped"] = _attempt(lambda: _drop_capabilities(libc, calls))
    state["landlock"] = _attempt(lambda: _landlock(libc, calls))
    state["limits"] = _attempt(lambda: _limits(settings))
    state["seccomp"] = _attempt(lambda: _seccomp(libc, machine, calls))
    return state


def _elsewhere(settings: dict[str, Any]) -> dict[str, bool | str]:
    """What other systems than Linux offer from inside the process."""
    if sys.platform == "win32":
        # The host hands over no handle but those of the pipe, and sets the limits from outside.
        return {"closed_descriptors": True}
    limits = _attempt(lambda: _limits(settings))
    if limits is True:
        # macOS takes a bound of the address space and does not keep it.
        limits = "in part: files and processor time, but memory only by the engine"
    return {
        "closed_descriptors": _attempt(_close_descriptors),
        "limits": limits,
        "dies_with_host": "when its pipe closes; a script that computes then, at its time limit",
    }


LINUX_ONLY = (
    "no_new_privileges",
    "namespaces",
    "capabilities_dropped",
    "landlock",
    "seccomp",
)


def _attempt(apply: Callable[[], None]) -> bool | str:
    try:
        apply()
    except (OSError, ValueError, AttributeError, ImportError) as error:
        return f"refused: {error}"
    return True


def _check(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def _prctl(libc: ctypes.CDLL, option: int, value: int) -> None:
    _check(libc.prctl(option, value, 0, 0, 0), f"prctl {option}")


def _die_with(libc: ctypes.CDLL, host_pid: int) -> None:
    _prctl(libc, PR_SET_PDEATHSIG, SIGKILL)
    if os.getppid() != host_pid:
        # The host ended before the signal was asked for.
        os._exit(0)


def _close_descriptors() -> None:
    for name in os.listdir("/proc/self/fd" if sys.platform == "linux" else "/dev/fd"):
        if int(name) > 1:
            try:
                os.close(int(name))
            except OSError as error:
                # The descriptor of the listing itself is closed already.
                if error.errno != errno.EBADF:
                    raise


def _unshare(libc: ctypes.CDLL) -> None:
    _check(libc.unshare(CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWIPC), "unshare")


def _drop_capabilities(libc: ctypes.CDLL, calls: dict[str, int]) -> None:
    for capability in range(64):
        if libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) < 0:
            # Without privileges there is nothing to take out of the bounding set; past the last
            # capability the kernel says EINVAL.
            break
    # linux/capability.h, version 3: two sets of 32 bits, all empty.
    header = ctypes.create_string_buffer(struct.pack("=Ii", 0x20080522, 0), 8)
    data = ctypes.create_string_buffer(24)
    _check(libc.syscall(calls["capset"], header, data), "capset")


def _landlock(libc: ctypes.CDLL, calls: dict[str, int]) -> None:
    assert sys.platform == "linux"
    create = calls["landlock_create_ruleset"]
    version = _check(libc.syscall(create, None, ctypes.c_size_t(0), 1), "landlock")
    # linux/landlock.h: the rights that each version knows; all are handled, none is given.
    files = (1 << 13) - 1
    if version >= 2:
        files |= 1 << 13
    if version >= 3:
        files |= 1 << 14
    if version >= 5:
        files |= 1 << 15
    network = 3 if version >= 4 else 0
    scoped = 3 if version >= 6 else 0
    size = 8 if version < 4 else 16 if version < 6 else 24
    attributes = ctypes.create_string_buffer(struct.pack("=QQQ", files, network, scoped), 24)
    rules = _check(libc.syscall(create, attributes, ctypes.c_size_t(size), 0), "landlock")
    try:
        _check(libc.syscall(calls["landlock_restrict_self"], rules, 0), "landlock")
    finally:
        os.close(rules)
    try:
        os.close(os.open("/", os.O_RDONLY | os.O_DIRECTORY))
    except PermissionError:
        return
    raise OSError(errno.ENOSYS, "landlock is accepted but not enforced")


def _limits(settings: dict[str, Any]) -> None:
    assert sys.platform != "win32"

    def limit(what: int, most: int) -> None:
        hard = resource.getrlimit(what)[1]
        if hard != resource.RLIM_INFINITY:
            most = min(most, hard)
        resource.setrlimit(what, (most, most))

    limit(resource.RLIMIT_CORE, 0)
    limit(resource.RLIMIT_FSIZE, 0)
    limit(resource.RLIMIT_CPU, settings["cpu_s"])
    if sys.platform == "linux":
        limit(resource.RLIMIT_NOFILE, 3)
        limit(resource.RLIMIT_AS, settings["address_bytes"])


def _instruction(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)


def seccomp_filter(machine: str) -> bytes:
    """The program by which the kernel judges each system call, for one kind of processor.

    Instructions of the classic Berkeley packet filter, of 8 bytes each, over `seccomp_data`.
    """
    calls = CALLS[machine]
    kill = _instruction(RETURN, RET_KILL_PROCESS)
    allow = _instruction(RETURN, RET_ALLOW)
    program = [
        _instruction(LOAD, DATA_ARCH),
        _instruction(JUMP_EQUAL, AUDIT_ARCH[machine], if_true=1),
        kill,
        _instruction(LOAD, DATA_NUMBER),
    ]
    if machine == "x86_64":
        program += [_instruction(JUMP_GREATER_EQUAL, X32_BIT, if_false=1), kill]
    for name in ALLOWED:
        if name in calls:
            program += [_instruction(JUMP_EQUAL, calls[name], if_false=1), allow]
    for name in NOT_EXECUTABLE:
        program += [
            _instruction(JUMP_EQUAL, calls[name], if_false=4),
            _instruction(LOAD, DATA_THIRD_ARGUMENT),
            _instruction(JUMP_SET, PROT_EXEC, if_false=1),
            kill,
            allow,
        ]
    program.append(kill)
    return b"".join(program)


def _seccomp(libc: ctypes.CDLL, machine: str, calls: dict[str, int]) -> None:
    code = seccomp_filter(machine)
    buffer = ctypes.create_string_buffer(code, len(code))
    program = FilterProgram(len(code) // 8, ctypes.cast(buffer, ctypes.c_void_p))
    flags = SECCOMP_FILTER_FLAG_TSYNC
    _check(
        libc.syscall(calls["seccomp"], SECCOMP_SET_MODE_FILTER, flags, ctypes.byref(program)),
        "seccomp",
    )
