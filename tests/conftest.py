"""Fixtures that every test may use, and how the property tests find their examples.

They take the same examples in each run, so that a change is refused for what it does and not by
chance; `pytest --hypothesis-profile=random` looks for others.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.clock import Clock, a_clock
from toolscript.sandbox import process, socket_pipe, thread_pipe

# How long an example takes is the machine's affair.
TIMELESS = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("steady", TIMELESS, derandomize=True)
settings.register_profile("random", TIMELESS)
settings.load_profile("steady")


def pytest_collection_finish() -> None:
    """Keep what the imports left, some 100 MB, out of each later search for garbage."""
    gc.collect()
    gc.freeze()


SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of outside cases and data that lies beside the checkout."""
    if not SHARED.is_dir():
        pytest.skip(f"the folder of outside cases and data is not here: expected ../{SHARED.name}")
    return SHARED


@pytest.fixture
def clock() -> Iterator[Clock]:
    """The clock of limits and deadlines, event loops included; see `Clock`."""
    with a_clock() as clock:
        yield clock


@pytest.fixture(params=["socket", "threads"])
def transport(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways to speak to workers, for a test that starts a pool of its own."""
    if sys.platform == "win32" and request.param == "socket":
        pytest.skip("Windows has the other way only")
    launch = {"socket": socket_pipe.launch, "threads": thread_pipe.launch}[request.param]
    monkeypatch.setattr(process, "launch", launch)
    return request.param
