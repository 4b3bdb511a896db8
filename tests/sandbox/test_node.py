"""Node.js and other byte-channel environments."""

from __future__ import annotations

import shutil

import pytest

from toolscript.sandbox.node import NodeRuntime
from toolscript.sandbox.runtime import Runtime
from toolscript.testing.conformance import RuntimeConformance

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not on PATH")


class TestNodeRuntime(RuntimeConformance):
    @classmethod
    def make_runtime(cls) -> Runtime:
        return NodeRuntime()
