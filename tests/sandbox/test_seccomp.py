"""The filter of system calls, judged instruction by instruction, for every processor it is for.

The tests of `test_confinement.py` meet it in the kernel, on the processor at hand only.
"""

from __future__ import annotations

import struct
import sys

import pytest

from toolscript.sandbox.confinement import AUDIT_ARCH, CALLS, seccomp_filter

pytestmark = pytest.mark.skipif(sys.byteorder != "little", reason="as the processors it is for")

ALLOW = 0x7FFF0000
KILL = 0x80000000
READ, WRITE, EXECUTE = 1, 2, 4

# By the numbers of the kernel's own headers: asm/unistd_64.h, asm-generic/unistd.h.
ALLOWED = {
    # read write poll munmap brk rt_sigprocmask rt_sigreturn readv sched_yield mremap madvise getpid
    # exit gettimeofday sigaltstack gettid time futex restart_syscall clock_gettime clock_getres
    # exit_group ppoll getrandom rseq
    "x86_64": {0, 1, 7, 11, 12, 14, 15, 19, 24, 25, 28, 39, 60, 96, 131, 186, 201, 202, 219, 228}
    | {229, 231, 271, 318, 334},
    # read write readv ppoll exit exit_group futex clock_gettime clock_getres sched_yield
    # restart_syscall sigaltstack rt_sigprocmask rt_sigreturn gettimeofday getpid gettid brk munmap
    # mremap madvise getrandom rseq
    "aarch64": {63, 64, 65, 73, 93, 94, 98, 113, 114, 124, 128, 132, 135, 139, 169, 172, 178, 214}
    | {215, 216, 233, 278, 293},
}
MEMORY = {"x86_64": {"mmap": 9, "mprotect": 10}, "aarch64": {"mmap": 222, "mprotect": 226}}


def verdict(program: bytes, arch: int, number: int, third: int = 0) -> int:
    """What the kernel does about a call, by the rules of linux/filter.h and linux/seccomp.h."""
    arguments = (7, 7, third, 7, 7, 7)
    data = struct.pack("<IIQ6Q", number, arch, 0x1000, *arguments)
    instructions = list(struct.iter_unpack("<HBBI", program))
    accumulator = at = 0
    while True:
        code, if_true, if_false, value = instructions[at]
        at += 1
        match code:
            case 0x20:  # ld [value]
                (accumulator,) = struct.unpack_from("<I", data, value)
            case 0x15:  # jeq
                at += if_true if accumulator == value else if_false
            case 0x35:  # jge
                at += if_true if accumulator >= value else if_false
            case 0x45:  # jset
                at += if_true if accumulator & value else if_false
            case 0x06:  # ret
                return value
            case _:
                raise AssertionError(f"an instruction that is not known here: {code:#x}")


def test_there_is_one_for_each_processor_whose_calls_are_known() -> None:
    assert set(CALLS) == set(AUDIT_ARCH) == set(ALLOWED)


@pytest.mark.parametrize("machine", ALLOWED)
def test_only_computing_and_the_pipe_are_allowed(machine: str) -> None:
    program, arch = seccomp_filter(machine), AUDIT_ARCH[machine]
    memory = set(MEMORY[machine].values())
    numbers = [*range(2048), 0x40000000, 0x4000003F, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF]
    allowed = {number for number in numbers if verdict(program, arch, number) == ALLOW}
    assert allowed == ALLOWED[machine] | memory
    assert all(verdict(program, arch, number) == KILL for number in set(numbers) - allowed)


@pytest.mark.parametrize("machine", ALLOWED)
@pytest.mark.parametrize("name", ["mmap", "mprotect"])
def test_memory_that_can_be_executed_is_refused(machine: str, name: str) -> None:
    program, arch, number = seccomp_filter(machine), AUDIT_ARCH[machine], MEMORY[machine][name]
    for protection in range(8):
        expected = KILL if protection & EXECUTE else ALLOW
        assert verdict(program, arch, number, protection) == expected
    # What a 64-bit argument holds above its low half is no permission.
    assert verdict(program, arch, number, READ | WRITE | EXECUTE | 1 << 32) == KILL


@pytest.mark.parametrize("machine", ALLOWED)
def test_calls_in_the_form_of_another_processor_are_refused(machine: str) -> None:
    program = seccomp_filter(machine)
    others = [arch for name, arch in AUDIT_ARCH.items() if name != machine]
    # i386, arm, x86-64 with the byte order bit missing
    for arch in [*others, 0x40000003, 0x40000028, 0x3E, 0]:
        assert all(verdict(program, arch, number) == KILL for number in range(512))


def test_the_narrow_form_of_calls_is_refused() -> None:
    program = seccomp_filter("x86_64")
    x32 = 0x40000000
    for number in ALLOWED["x86_64"] | set(MEMORY["x86_64"].values()):
        assert verdict(program, AUDIT_ARCH["x86_64"], x32 | number) == KILL
