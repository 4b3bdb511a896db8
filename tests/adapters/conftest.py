"""Every framework of the test group has to be here: a missing one is a failure, not a skip."""

from __future__ import annotations

import os
from importlib.util import find_spec

import pytest

FRAMEWORKS = {
    "test_mcp.py": "mcp",
    "test_openai_agents.py": "agents",
    "test_pydantic_ai.py": "pydantic_ai",
    "test_fastmcp.py": "fastmcp",
    "test_google_adk.py": "google.adk",
    "test_claude_agent_sdk.py": "claude_agent_sdk",
    "test_anthropic.py": "anthropic",
    "test_strands.py": "strands",
    "test_llama_index.py": "llama_index.core",
}


def _is_here(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        return False


MISSING = {file: module for file, module in FRAMEWORKS.items() if not _is_here(module)}

if MISSING and not os.environ.get("TOOLSCRIPT_WITHOUT_ADAPTERS"):
    raise pytest.UsageError(
        f"not installed: {', '.join(MISSING.values())}. Install the test group, or set "
        "TOOLSCRIPT_WITHOUT_ADAPTERS=1 to go without the tests of what is missing"
    )

collect_ignore = list(MISSING)
