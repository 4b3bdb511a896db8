"""Fixtures that every test may use."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.clock import Clock

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of outside cases and data that lies beside the checkout."""
    if not SHARED.is_dir():
        pytest.skip(f"the folder of outside cases and data is not here: expected ../{SHARED.name}")
    return SHARED


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock of limits and deadlines, event loops included; see `Clock`."""
    clock = Clock()
    monkeypatch.setattr(time, "monotonic", clock)
    return clock
