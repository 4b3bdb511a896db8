"""Our runtimes pass the suite that we give to others."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from toolscript.sandbox import process, thread_pipe
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


class TestQuickJSRuntimeOverThreads(TestQuickJSRuntime):
    """As on Windows, where no event loop watches pipes."""

    @pytest.fixture(scope="class", autouse=True)
    @classmethod
    def threads(cls) -> Iterator[None]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(process, "launch", thread_pipe.launch)
            yield
