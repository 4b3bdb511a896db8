"""Google ADK: a toolset that offers the model one code tool in place of its tools.

    agent = LlmAgent(name="shop", model=..., tools=[CodeModeToolset([search, refund, McpToolset(...)])])

Nested calls go through ADK's own function calling: callbacks of plugins and of the agent, error
callbacks, traces, state and artifacts are those of a call that the model makes itself. A tool that
asks for a confirmation pauses the script with ADK's own request for one.
"""

from toolscript.extras import needs

with needs("google-adk"):
    from toolscript_adapters.google_adk.toolset import CodeModeToolset

__all__ = ["CodeModeToolset"]
