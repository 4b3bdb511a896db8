"""Fixtures that every test may use."""

from __future__ import annotations

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of outside cases and data that lies beside the checkout."""
    if not SHARED.is_dir():
        pytest.skip(f"the folder of outside cases and data is not here: expected ../{SHARED.name}")
    return SHARED
