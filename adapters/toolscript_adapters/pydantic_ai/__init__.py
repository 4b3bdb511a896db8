"""PydanticAI: the agent's tools behind one code tool, as a capability or a toolset.

    agent = Agent(model, tools=[...], capabilities=[CodeModeCapability()])
    agent = Agent(model, toolsets=[CodeModeToolset(FunctionToolset([...]))])

Nested calls pass the agent's own tool manager: dependencies, validation, hooks, instrumentation
and usage are those of a call that the model makes itself. Approvals end the agent's run with
`DeferredToolRequests`, as everywhere in PydanticAI; `nested_calls` and `nested_results` read and
answer what scripts wait for.
"""

from __future__ import annotations

from toolscript.extras import needs

with needs("pydantic-ai"):
    from toolscript_adapters.pydantic_ai.approvals import (
        NestedCall,
        nested_calls,
        nested_results,
    )
    from toolscript_adapters.pydantic_ai.capability import CodeModeCapability
    from toolscript_adapters.pydantic_ai.toolset import CodeModeToolset

__all__ = [
    "CodeModeCapability",
    "CodeModeToolset",
    "NestedCall",
    "nested_calls",
    "nested_results",
]
