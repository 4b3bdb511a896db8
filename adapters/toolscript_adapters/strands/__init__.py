"""Strands Agents: a plugin that puts an agent's tools behind one code tool.

    agent = Agent(model=model, tools=[...], plugins=[CodeModePlugin()])

Nested calls go through the executor of the agent's own calls: hooks, middleware, the invocation
state and traces are those of a call that the model makes itself. An interrupt, raised by a hook, a
tool or by `requires_approval`, pauses the agent in the middle of a script.
"""

from __future__ import annotations

from toolscript.extras import needs

with needs("strands"):
    from toolscript_adapters.strands.nested import ScriptRun
    from toolscript_adapters.strands.plugin import CodeModePlugin

__all__ = ["CodeModePlugin", "ScriptRun"]
