"""A Job Object: how Windows bounds a process, and ends it with its host.

The structures and numbers are those of `winnt.h` and `psapi.h`.
"""

from __future__ import annotations

import ctypes
import sys
from ctypes import wintypes
from typing import Any, Final

PROCESS_TERMINATE: Final = 0x0001
PROCESS_SET_QUOTA: Final = 0x0100
PROCESS_QUERY_INFORMATION: Final = 0x0400

EXTENDED_LIMITS: Final = 9
UI_RESTRICTIONS: Final = 4

LIMIT_PROCESS_TIME: Final = 0x0002
LIMIT_ACTIVE_PROCESS: Final = 0x0008
LIMIT_PROCESS_MEMORY: Final = 0x0100
LIMIT_DIE_ON_UNHANDLED_EXCEPTION: Final = 0x0400
LIMIT_KILL_ON_JOB_CLOSE: Final = 0x2000
# No clipboard, no windows of others, no settings of the desktop, no shutting down.
UI_ALL: Final = 0x00FF

# Windows counts time in tenths of a microsecond.
TICKS: Final = 10_000_000


class BasicLimits(ctypes.Structure):
    _fields_ = (
        ("process_time", ctypes.c_int64),
        ("job_time", ctypes.c_int64),
        ("flags", wintypes.DWORD),
        ("least_working_set", ctypes.c_size_t),
        ("most_working_set", ctypes.c_size_t),
        ("active_processes", wintypes.DWORD),
        ("affinity", ctypes.c_size_t),
        ("priority_class", wintypes.DWORD),
        ("scheduling_class", wintypes.DWORD),
    )


class ExtendedLimits(ctypes.Structure):
    _fields_ = (
        ("basic", BasicLimits),
        ("transfers", ctypes.c_uint64 * 6),
        ("process_memory", ctypes.c_size_t),
        ("job_memory", ctypes.c_size_t),
        ("peak_process_memory", ctypes.c_size_t),
        ("peak_job_memory", ctypes.c_size_t),
    )


class MemoryCounters(ctypes.Structure):
    _fields_ = (
        ("size", wintypes.DWORD),
        ("page_faults", wintypes.DWORD),
        ("peak_working_set", ctypes.c_size_t),
        ("working_set", ctypes.c_size_t),
        ("others", ctypes.c_size_t * 6),
    )


class Job:
    """The job of one worker process; closing it ends the process, as the end of the host does."""

    def __init__(self, pid: int, *, memory_bytes: int, cpu_s: int) -> None:
        """Put the process under limits: itself and no child, its memory, its computing time.

        Raises:
            OSError: if the system refuses a part of it; nothing is left of the job then.
        """
        self._system = _system()
        self._handles: list[int] = []
        try:
            self._job = self._own(self._system.CreateJobObjectW(None, None))
            self._process = self._own(
                self._system.OpenProcess(
                    PROCESS_TERMINATE | PROCESS_SET_QUOTA | PROCESS_QUERY_INFORMATION, False, pid
                )
            )
            limits = ExtendedLimits()
            limits.basic.flags = (
                LIMIT_PROCESS_TIME
                | LIMIT_ACTIVE_PROCESS
                | LIMIT_PROCESS_MEMORY
                | LIMIT_DIE_ON_UNHANDLED_EXCEPTION
                | LIMIT_KILL_ON_JOB_CLOSE
            )
            limits.basic.process_time = cpu_s * TICKS
            limits.basic.active_processes = 1
            limits.process_memory = memory_bytes
            self._limit(EXTENDED_LIMITS, limits)
            self._limit(UI_RESTRICTIONS, wintypes.DWORD(UI_ALL))
            _check(self._system.AssignProcessToJobObject(self._job, self._process))
        except OSError:
            self.close()
            raise

    def cpu_s(self) -> float:
        """Computing time of the process so far."""
        created, exited, kernel, user = (ctypes.c_uint64() for _ in range(4))
        found = self._system.GetProcessTimes(
            self._process,
            ctypes.byref(created),
            ctypes.byref(exited),
            ctypes.byref(kernel),
            ctypes.byref(user),
        )
        _check(found)
        return (kernel.value + user.value) / TICKS

    def memory(self) -> tuple[int, int]:
        """What the process holds now and what it held at most, in bytes."""
        counters = MemoryCounters(size=ctypes.sizeof(MemoryCounters))
        _check(
            self._system.K32GetProcessMemoryInfo(
                self._process, ctypes.byref(counters), counters.size
            )
        )
        return counters.working_set, counters.peak_working_set

    def close(self) -> None:
        """Let go of the job, which ends the process in it."""
        while self._handles:
            self._system.CloseHandle(self._handles.pop())

    def _own(self, handle: int | None) -> int:
        _check(handle)
        assert handle is not None
        self._handles.append(handle)
        return handle

    def _limit(self, kind: int, value: ctypes.Structure | wintypes.DWORD) -> None:
        _check(
            self._system.SetInformationJobObject(
                self._job, kind, ctypes.byref(value), ctypes.sizeof(value)
            )
        )


def _system() -> Any:
    """The functions used here, with the types that handles and pointers need."""
    assert sys.platform == "win32"
    system = ctypes.WinDLL("kernel32", use_last_error=True)
    handle, pointer, number = wintypes.HANDLE, ctypes.c_void_p, wintypes.DWORD
    for name, arguments, result in (
        ("CreateJobObjectW", (pointer, wintypes.LPCWSTR), handle),
        ("OpenProcess", (number, wintypes.BOOL, number), handle),
        ("SetInformationJobObject", (handle, ctypes.c_int, pointer, number), wintypes.BOOL),
        ("AssignProcessToJobObject", (handle, handle), wintypes.BOOL),
        ("GetProcessTimes", (handle, pointer, pointer, pointer, pointer), wintypes.BOOL),
        ("K32GetProcessMemoryInfo", (handle, pointer, number), wintypes.BOOL),
        ("CloseHandle", (handle,), wintypes.BOOL),
    ):
        function = getattr(system, name)
        function.argtypes = arguments
        function.restype = result
    return system


def _check(result: int | None) -> None:
    assert sys.platform == "win32"
    if not result:
        raise ctypes.WinError(ctypes.get_last_error())
