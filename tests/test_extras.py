"""Without its extra, a part says which one to install, and the rest goes on working."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path

PYPROJECT = Path(__file__).resolve().parents[1] / "pyproject.toml"

# Nothing of any framework can be found; langchain-core is no extra and stays.
SCRIPT = """
import importlib, json, sys

class Nothing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {packages}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
        return None

sys.meta_path.insert(0, Nothing())
told = {{}}
for extra, module in {modules}.items():
    try:
        importlib.import_module(module)
    except ImportError as error:
        told[extra] = str(error)
print(json.dumps(told))
"""

PACKAGES = {
    "agents",
    "anthropic",
    "claude_agent_sdk",
    "fastmcp",
    "google",
    "langchain",
    "langgraph",
    "llama_index",
    "mcp",
    "pydantic_ai",
    "strands",
    "workflows",
}


def test_every_part_names_the_extra_that_it_needs() -> None:
    project = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]
    modules = {
        extra: f"toolscript_adapters.{extra.replace('-', '_')}"
        for extra in project["optional-dependencies"]
        if extra not in ("typecheck", "otel", "langchain")
    } | {"langchain": "toolscript.langchain.middleware"}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(packages=PACKAGES, modules=modules)],
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told.keys() == modules.keys()
    for extra, message in told.items():
        assert f'pip install "toolscript[{extra}]"' in message
        assert message.count("pip install") == 2, message
