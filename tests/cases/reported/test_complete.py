"""Every reported case has a check of its own, or a reason."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from tests.cases.left_out import LEFT_OUT
from tests.cases.reported.support import CASES, CHECKED


@pytest.mark.skipif(not CASES, reason="the outside cases are not here")
def test_every_case_is_accounted_for() -> None:
    for path in Path(__file__).parent.glob("test_*.py"):
        # Importing a module of checks registers them.
        import_module(f"tests.cases.reported.{path.stem}")
    assert set(CASES) - CHECKED - set(LEFT_OUT) == set()
    assert set(CASES) >= CHECKED
