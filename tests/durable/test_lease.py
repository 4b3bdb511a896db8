"""When a run may be taken from its owner."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import replace

import pytest

from toolscript.host.lease import LEASE_S, Lease, is_over, new_lease, renewed

linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a dead owner apart")

PRINT_LEASE = """
import dataclasses, json, sys
from toolscript.host.lease import new_lease
print(json.dumps(dataclasses.astuple(new_lease())), flush=True)
sys.stdin.read()
"""


def lease_of_a_process() -> tuple[Lease, subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-c", PRINT_LEASE],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    return Lease(*json.loads(process.stdout.readline())), process


def test_a_lease_lasts_and_ends():
    lease = new_lease()
    assert not is_over(lease)
    assert is_over(replace(lease, expires_at=time.time() - 0.001))
    late = replace(lease, expires_at=time.time() - 100)
    assert not is_over(renewed(late))
    assert renewed(late).expires_at <= time.time() + LEASE_S


def test_each_holding_has_an_owner_of_its_own():
    assert new_lease().owner != new_lease().owner


@linux
def test_a_dead_owner_of_this_machine_is_gone_at_once():
    lease, process = lease_of_a_process()
    assert not is_over(lease)
    process.kill()
    # Killed but not waited for: it runs no more, and is gone.
    deadline = time.monotonic() + 60
    while not is_over(lease) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert is_over(lease)
    process.wait(60)
    assert is_over(lease)


@linux
def test_a_later_process_of_the_same_id_is_not_the_owner():
    lease = new_lease()
    assert lease.started is not None
    assert is_over(replace(lease, started=lease.started - 1))
    other, process = lease_of_a_process()
    assert other.started is not None
    assert is_over(replace(other, started=other.started - 1))
    process.communicate("", timeout=60)


@linux
@pytest.mark.parametrize("machine", ["another boot/1", None])
def test_an_owner_elsewhere_is_gone_when_its_time_is(machine: str | None):
    lease, process = lease_of_a_process()
    process.communicate("", timeout=60)
    assert is_over(lease)
    elsewhere = replace(lease, machine=machine)
    assert not is_over(elsewhere)
    assert is_over(replace(elsewhere, expires_at=time.time() - 1))
