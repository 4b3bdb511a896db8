"""Our runtimes pass the suite that we give to others."""

from __future__ import annotations

from toolscript.sandbox.inline import InlineRuntime
from toolscript.sandbox.quickjs import QuickJSRuntime
from toolscript.sandbox.runtime import Runtime
from toolscript.testing import RuntimeConformance


class TestInlineRuntime(RuntimeConformance):
    @classmethod
    def make_runtime(cls) -> Runtime:
        return InlineRuntime()


class TestQuickJSRuntime(RuntimeConformance):
    @classmethod
    def make_runtime(cls) -> Runtime:
        return QuickJSRuntime(max_workers=3)
