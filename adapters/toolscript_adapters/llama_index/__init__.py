"""LlamaIndex: a function tool that runs scripts over other tools, for agents and workflows.

    agent = FunctionAgent(tools=[CodeModeTool([search, get_order, refund])], llm=llm)

Nested calls get the workflow's `Context`, are told on its event stream like the agent's own, and
may wait for events. `requires_approval` has the workflow wait for a person, by way of an
`ApprovalRequest` on the stream and an `ApprovalResponse` sent back.
"""

from __future__ import annotations

from toolscript.extras import needs

with needs("llama-index"):
    from toolscript_adapters.llama_index.approvals import ApprovalRequest, ApprovalResponse
    from toolscript_adapters.llama_index.code_tool import CodeModeTool
    from toolscript_adapters.llama_index.nested import ScriptRun

__all__ = ["ApprovalRequest", "ApprovalResponse", "CodeModeTool", "ScriptRun"]
