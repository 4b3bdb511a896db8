"""How many tokens tools cost a model: our prompt beside the JSON schemas that frameworks send.

    python benchmarks/bench_prompt_size.py [--data ../shared/data]

Tokens are characters / 4. The tools are those of real MCP servers (see the data's own README):
5 and 50 of GitHub's, all 117 of them, and 375 of 47 servers.
"""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from toolscript import CodeMode, Namespace
from toolscript.mcp import tool_from_mcp

BUDGETS = (None, 8_000, 4_000)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    shared = Path(__file__).resolve().parents[2] / "shared" / "data"
    parser.add_argument("--data", type=Path, default=shared)
    catalogues = parser.parse_args().data / "mcp_catalogs"
    github = json.loads((catalogues / "github.json").read_text(encoding="utf-8"))
    servers = json.loads((catalogues / "live_servers.json").read_text(encoding="utf-8"))
    if isinstance(github, dict):
        github = github["tools"]
    sets: list[tuple[str, list[dict[str, Any]], Any]] = [
        (f"{size} of github", github[:size], _tools(github[:size], "github"))
        for size in (5, 50, len(github))
    ]
    every = [tool for server in servers for tool in server["tools"]]
    spaces = [
        Namespace(_namespace(server["server"]), _tools(server["tools"], server["server"]))
        for server in servers
    ]
    sets.append((f"{len(every)} of {len(servers)} servers", every, spaces))

    table = Table(title="tokens (characters / 4)")
    for heading in ("tools", "JSON schemas", "all declarations", "within 8,000", "within 4,000"):
        table.add_column(heading, justify="right")
    for label, definitions, tools in sets:
        engine = CodeMode(tools)
        sizes = [len(engine.prompt(budget)) // 4 for budget in BUDGETS]
        sent = len(json.dumps([_sent(one) for one in definitions], ensure_ascii=False)) // 4
        table.add_row(label, *(f"{size:,}" for size in (sent, *sizes)))
    Console().print(table)


def _sent(definition: dict[str, Any]) -> dict[str, Any]:
    """A tool as a framework sends it to a model's provider."""
    function = {
        "name": definition["name"],
        "description": definition.get("description") or "",
        "parameters": definition["inputSchema"],
    }
    return {"type": "function", "function": function}


def _tools(definitions: list[dict[str, Any]], server: str) -> list[Any]:
    return [tool_from_mcp(one, lambda name, arguments: None, server=server) for one in definitions]


def _namespace(server: str) -> str:
    name = re.sub(r"\W", "_", server)
    return f"_{name}" if name[0].isdigit() else name


if __name__ == "__main__":
    main()
