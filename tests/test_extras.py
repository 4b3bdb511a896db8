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


def test_an_older_mcp_sdk_is_told_with_what_stands_against_a_newer_one(tmp_path: Path) -> None:
    """As where `langchain-mcp-adapters` is installed, which needs the SDK before version 2."""
    (tmp_path / "mcp").mkdir()
    (tmp_path / "mcp" / "__init__.py").write_text("")
    metadata = {
        "mcp-1.30.0": "Name: mcp\nVersion: 1.30.0\n",
        "langchain_mcp_adapters-0.3.2": "Name: langchain-mcp-adapters\nVersion: 0.3.2\n",
        "toolscript-0.1.0": (
            'Name: toolscript\nVersion: 0.1.0\nRequires-Dist: mcp>=2.0; extra == "mcp"\n'
        ),
    }
    for name, text in metadata.items():
        (tmp_path / f"{name}.dist-info").mkdir()
        (tmp_path / f"{name}.dist-info" / "METADATA").write_text(f"Metadata-Version: 2.1\n{text}")
    script = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import toolscript_adapters.mcp"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=240
    )
    told = done.stderr.strip().splitlines()[-1]
    assert "mcp 1.30.0 is installed, and mcp>=2.0 is wanted" in told
    assert "langchain-mcp-adapters" in told
    assert "CodeModeTool" in told
