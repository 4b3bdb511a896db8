"""Claude Agent SDK: an in-process MCP server with one code tool in place of many tools.

    options = with_code_tool(ClaudeAgentOptions(can_use_tool=ask, hooks=...), {"shop": tools})
    async with ClaudeSDKClient(options) as client: ...

Claude Code asks only about the code tool itself. So nested calls are put to the same `hooks`,
rules and `can_use_tool` here, each under the name that it would have as a direct call.
"""

from toolscript.extras import needs

with needs("claude-agent-sdk"):
    from toolscript_adapters.claude_agent_sdk.convert import tool_from_claude
    from toolscript_adapters.claude_agent_sdk.server import code_server, with_code_tool

__all__ = ["code_server", "tool_from_claude", "with_code_tool"]
