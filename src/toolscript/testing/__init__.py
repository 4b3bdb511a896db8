"""What others test their own parts with: suites for runtimes and journals, and a soak."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolscript.testing.conformance import RuntimeConformance

__all__ = ["RuntimeConformance"]


def __getattr__(name: str) -> object:
    # pytest is only needed by those who run the suites.
    if name == "RuntimeConformance":
        from toolscript.testing.conformance import RuntimeConformance

        return RuntimeConformance
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
