"""MCP tools for scripts: definitions in, values out. Needs no MCP SDK."""

from toolscript.mcp.convert import tool_from_mcp
from toolscript.mcp.unwrap import unwrap

__all__ = ["tool_from_mcp", "unwrap"]
