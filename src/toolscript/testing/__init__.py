"""What others test their own parts with: suites for runtimes, journals and adapters, and a soak."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from toolscript.testing.adapters import AdapterConformance as AdapterConformance
    from toolscript.testing.conformance import RuntimeConformance as RuntimeConformance
    from toolscript.testing.journals import JournalConformance as JournalConformance

_SUITES: Final = {
    "AdapterConformance": "toolscript.testing.adapters",
    "JournalConformance": "toolscript.testing.journals",
    "RuntimeConformance": "toolscript.testing.conformance",
}

__all__ = ["AdapterConformance", "JournalConformance", "RuntimeConformance"]


def __getattr__(name: str) -> Any:
    if name not in _SUITES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # pytest is only needed by those who run the suites; it shows what an `assert` saw only in
    # modules that it knows of before they are imported.
    import pytest

    pytest.register_assert_rewrite(_SUITES[name], "toolscript.testing.runtimes")
    return getattr(importlib.import_module(_SUITES[name]), name)
