"""Black-box tests that any `Runtime` must pass, graded by what it declares it can do.

    class TestMyRuntime(RuntimeConformance):
        @classmethod
        def make_runtime(cls):
            return MyRuntime()

Nothing here knows how a runtime works: programs go in, frames come out.
"""

from __future__ import annotations

from toolscript.sandbox.runtime import Runtime
from toolscript.testing.runtimes.calls import CallTests
from toolscript.testing.runtimes.errors import ErrorTests
from toolscript.testing.runtimes.limits import LimitTests
from toolscript.testing.runtimes.output import OutputTests
from toolscript.testing.runtimes.values import ValueTests


class RuntimeConformance(ValueTests, CallTests, OutputTests, ErrorTests, LimitTests):
    """Subclass it, say how to make a runtime, and let pytest collect it."""

    def test_it_describes_itself(self, runtime: Runtime) -> None:
        assert len(runtime.description) > 10
        assert runtime.isolation
        if not runtime.capabilities.sandboxed:
            assert "sandbox" in runtime.description.lower()
