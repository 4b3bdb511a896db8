"""Workers killed at random under load: a short soak; the long one is a command (see `soak`)."""

from __future__ import annotations

import pytest

from tests.processes import needs_proc
from toolscript.testing.soak import soak


@needs_proc
@pytest.mark.usefixtures("transport")
async def test_only_the_runs_of_killed_workers_fail_and_nothing_is_left() -> None:
    report = await soak(runs=600, at_once=20, kill_every=25)
    assert report.ok, report
    assert report.killed > 10
    assert report.memory_growth < 20 * 1024 * 1024
