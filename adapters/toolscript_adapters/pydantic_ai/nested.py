"""One tool of the agent, as scripts call it: through the agent's own tool manager."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, cast

from pydantic import ValidationError
from pydantic_ai import RunContext
from pydantic_ai.exceptions import (
    AgentRunError,
    ApprovalRequired,
    CallDeferred,
    ModelRetry,
    ToolFailed,
    UserError,
)
from pydantic_ai.messages import ToolCallPart, ToolReturn
from pydantic_ai.tool_manager import ToolManager
from pydantic_ai.tools import ToolDefinition, ToolDenied

from toolscript.contract.tool import Tool, ToolContext, ToolOptions
from toolscript.errors import ToolError
from toolscript.host.approval import Edit, Reject
from toolscript_adapters.kit import Session, current_session, steer
from toolscript_adapters.pydantic_ai.approvals import NestedCall, Raised

SOURCE: Final = "pydantic_ai"


@dataclass(slots=True)
class ScriptRun:
    """What nested calls of one script need of the agent, and what they leave for its answer.

    `shown` is content that tools want the model to see besides their results; `kept` is metadata
    that they want the application to see, by the id of the call.
    """

    context: RunContext[Any]
    manager: ToolManager[Any]
    raised: Raised
    shown: list[Any] = field(default_factory=list[Any])
    kept: dict[str, Any] = field(default_factory=dict[str, Any])


def callable_from_scripts(definition: ToolDefinition) -> bool:
    """Whether a script can call the tool at all; the model keeps the others.

    Not so: tools that run elsewhere, those that are still to be found or that load others (they
    change what the model sees), and stand-ins for a provider's own tools.
    """
    return (
        definition.kind in ("function", "unapproved")
        and not definition.defer_loading
        and definition.unless_native is None
        and definition.with_native is None
        and definition.tool_kind is None
    )


def tool_of(definition: ToolDefinition) -> Tool:
    """The tool as scripts see it. It finds the run that calls it in the session."""
    needs_approval = definition.kind == "unapproved"
    name = definition.name

    async def call(args: Any, context: ToolContext) -> Any:
        return await _call(name, args, context, approved=needs_approval)

    return Tool(
        name=name,
        description=definition.description or "",
        input_schema=definition.parameters_json_schema,
        output_schema=definition.return_schema,
        call=call,
        options=ToolOptions(
            parallel=False if definition.sequential else None,
            requires_approval=needs_approval,
            destructive=_warns(definition),
        ),
        source=SOURCE,
    )


async def _call(name: str, args: Any, context: ToolContext, *, approved: bool) -> Any:
    session = current_session(ScriptRun)
    run = session.context
    id = session.id_of(context)
    answer = run.raised.answers.get(id)
    if isinstance(answer, Reject):
        raise ToolError(answer.reason or "the call was denied", code="denied")
    if isinstance(answer, Edit):
        args = answer.args
    part = ToolCallPart(tool_name=name, args=args, tool_call_id=id)
    try:
        _check_usage(run.context)
        result = await run.manager.handle_call(
            part, approved=approved or answer is not None, wrap_validation_errors=False
        )
    except ApprovalRequired as question:
        run.raised.asked[id] = _asked(question, part, session)
        raise steer(question, context, again=True) from question
    except CallDeferred as error:
        raise ToolError(
            f"{name} is executed outside of the agent's run, for which a script cannot wait"
        ) from error
    except (AgentRunError, UserError) as error:
        # Limits and cancellation end the agent's run, also when a script is what it waits for.
        raise steer(error, context) from error
    except (ModelRetry, ToolFailed) as error:
        raise ToolError(error.message) from error
    except ValidationError as error:
        raise ToolError(_told(error), code="invalid_args") from error
    if isinstance(result, ToolDenied):
        raise ToolError(result.message, code="denied")
    if isinstance(result, ToolReturn):
        returned = cast("ToolReturn[Any]", result)
        content = returned.content
        if returned.metadata is not None:
            run.kept[id] = returned.metadata
        run.shown += [content] if isinstance(content, str) else content or ()
        return returned.return_value
    return result


def _check_usage(context: RunContext[Any]) -> None:
    """PydanticAI counts every call when it has ended, and checks the limit for those of a model.

    So the code tool's own call, under way, is not counted yet.
    """
    if context.usage_limits is not None:
        after = replace(context.usage, tool_calls=context.usage.tool_calls + 2)
        context.usage_limits.check_before_tool_call(after)


def _asked(question: ApprovalRequired, part: ToolCallPart, session: Session[Any]) -> NestedCall:
    reason = (question.metadata or {}).get("reason", "")
    return NestedCall(part.tool_call_id, session.call_id, part.tool_name, part.args, str(reason))


def _told(error: ValidationError) -> str:
    return "; ".join(
        f"{'.'.join(str(part) for part in problem['loc'])}: {problem['msg']}"
        for problem in error.errors(include_url=False, include_input=False)
    )


def _warns(definition: ToolDefinition) -> bool:
    """Whether an MCP server says that its tool destroys; its promises decide nothing."""
    annotations: Any = (definition.metadata or {}).get("annotations")
    return (
        isinstance(annotations, Mapping)
        and cast("Mapping[str, Any]", annotations).get("destructiveHint") is True
    )


def image_in(value: Mapping[str, Any]) -> tuple[Any, Any] | None:
    """An image as scripts get it of a tool that returns `BinaryContent`."""
    if value.get("kind") != "binary":
        return None
    return value.get("data"), value.get("media_type")
