"""OpenAI Agents SDK: one tool that runs a model's script against function tools.

    agent = Agent(name="shop", tools=[code_tool([search_orders, get_customer, refund])])

`code_tool` is a function tool for every model. `custom_code_tool` is a custom tool whose input is
the bare script, held to the source grammar, for models of the Responses API.
"""

from toolscript.extras import needs

with needs("openai-agents"):
    from toolscript_adapters.openai_agents.code_tool import code_tool, custom_code_tool
    from toolscript_adapters.openai_agents.convert import tool_from_openai_agents

__all__ = ["code_tool", "custom_code_tool", "tool_from_openai_agents"]
