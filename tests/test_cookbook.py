"""Every recipe runs as it stands: offline, with no key, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

COOKBOOK = Path(__file__).parents[1] / "cookbook"

SAYS = {
    "anthropic_sales.py": ("Sat, with 31.0 pieces a day.",),
    "claude_agent_support.py": ("is lost.': no", "Cleo: request 3 answered; Eve: I call her"),
    "deepagents_interpreter.py": ("3 plants are in /plants.md", "- oak: tree, 3000 cm"),
    "fastmcp_orders.py": ("order 29 costs most to send: 14.22 euros", "'freight_quote': 8"),
    "google_adk_invoices.py": ("Allow pay_back", "A-2: 40 paid back; A-5: 950 paid back"),
    "langchain_agents.py": ("Above 200 euros: desk. Sold out: chair.",),
    "langchain_approval.py": ("(paying 120 for A-1)", "(paying 100 for A-3)"),
    "langchain_catalogue.py": ("400 tools", '"oldest":"shipment-0001"'),
    "langchain_database.py": ('"region":"south"',),
    "langchain_mcp.py": ('{"books":2,"pages":571}',),
    "llama_index_library.py": ("May I order Songs Below?", 'Done: ["ordered Songs Below"]'),
    "mcp_servers.py": ("wants to call loans.remind", "4 letters: Ada: Volume 7"),
    "openai_agents_expenses.py": ("R1: 42 euros paid", "R2: not approved"),
    "pydantic_ai_refunds.py": ("- 30 for B-1, by Dora", "- 100 for B-3, by Dora"),
    "strands_greenhouse.py": ("10 liters for the herbs, for Gil", "melons are watered by hand"),
    "temporal.py": ("approval 4: refund", "'refunded 35 for order 2'"),
}
"""What a recipe prints when its script did what it is about."""

NEEDS = {
    "anthropic_sales.py": ("anthropic",),
    "claude_agent_support.py": ("claude_agent_sdk",),
    "deepagents_interpreter.py": ("deepagents",),
    "fastmcp_orders.py": ("fastmcp",),
    "google_adk_invoices.py": ("google", "google.adk"),
    "langchain_mcp.py": ("langchain_mcp_adapters", "mcp"),
    "llama_index_library.py": ("llama_index",),
    "mcp_servers.py": ("mcp",),
    "openai_agents_expenses.py": ("agents",),
    "pydantic_ai_refunds.py": ("pydantic_ai",),
    "strands_greenhouse.py": ("strands",),
    "temporal.py": ("temporalio",),
}


@pytest.mark.parametrize("name", sorted(SAYS))
def test_a_recipe_runs_as_it_stands(name: str) -> None:
    if name == "langchain_mcp.py":
        # Its newest version for version 2 of the MCP SDK does not import with it.
        pytest.importorskip("langchain_mcp_adapters.client", exc_type=ImportError)
    for package in NEEDS.get(name, ()):
        if find_spec(package) is None:
            pytest.skip(f"{package} is not installed")
    offline = {key: value for key, value in os.environ.items() if not key.endswith("_API_KEY")}
    ended = subprocess.run(
        [sys.executable, str(COOKBOOK / name)],
        env=offline,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    for line in SAYS[name]:
        assert line in ended.stdout
    assert "Error (" not in ended.stdout


def test_no_recipe_is_left_out() -> None:
    assert {path.name for path in COOKBOOK.glob("*.py")} == set(SAYS)
