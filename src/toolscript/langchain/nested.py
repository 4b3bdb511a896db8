"""A tool's call from a script: through the tool's own `invoke`, with all that LangChain adds.

Callbacks, tags, metadata, error handlers and injected arguments are LangChain's business and
stay there. What is added here is the native return value, which LangChain turns into text, and a
thread pool wide enough for a script's parallel calls.
"""

from __future__ import annotations

import functools
import inspect
import json
from collections.abc import Mapping
from typing import Any, cast

from langchain_core.messages import ToolMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool
from pydantic import ValidationError
from pydantic.v1 import ValidationError as ValidationErrorV1

from toolscript.contract.tool import JsonSchema, ToolContext
from toolscript.contract.validation import Validator, compile_validator
from toolscript.errors import ToolError
from toolscript.host.threads import in_thread
from toolscript.langchain.arguments import argument_error
from toolscript.langchain.capture import Returned, capture_view
from toolscript.langchain.commands import messages_in, steering_items
from toolscript.langchain.content import content_text, shows
from toolscript.langchain.inject import injection_of
from toolscript.langchain.mcp_adapter import is_mcp, mcp_output_schema, mcp_value
from toolscript.langchain.pausing import Bubble, steers_graph
from toolscript.langchain.schema import input_schema_of, output_schema_of
from toolscript.langchain.session import NestedCall, Place, Session, current_session
from toolscript.langchain.signature import runs_in_thread


class NestedTool:
    """One LangChain tool, callable from scripts. Safe to use from several threads and loops."""

    def __init__(self, tool: BaseTool, output_schema: JsonSchema | None = None):
        self.tool = tool
        self._view = capture_view(tool)
        self._injection = injection_of(tool)
        self.input_schema = input_schema_of(tool, self._injection)
        self._is_mcp = is_mcp(tool)
        self._declared = output_schema
        if self._is_mcp:
            self.output_schema = mcp_output_schema(output_schema)
        else:
            self.output_schema = output_schema_of(tool) if output_schema is None else output_schema
        self._gives_text = self.output_schema is None or (
            isinstance(self.output_schema, Mapping) and self.output_schema.get("type") == "string"
        )
        self._threaded = runs_in_thread(tool)

    async def __call__(self, args: dict[str, Any], context: ToolContext) -> Any:
        """Answer one call of a script.

        Raises:
            ToolError: the tool reported an error, or refused its arguments.
            Bubble: the tool steers the graph; the script must not see it. Only a code tool can
                pass that on: a script in an engine of one's own gets a `ToolError`.
            Exception: whatever else the tool raised, unchanged.
        """
        own = current_session.get()
        session = own or Session(call_id=context.run_id, run_id=context.run_id)
        place = session.place_of(context)
        since = len(session.written)
        try:
            message, returned = await self._through_middleware(session, args, place)
            return self._value(session, place, message, returned, since)
        except Exception as error:
            if steers_graph(error) and own is None:
                raise ToolError(
                    f"{self.tool.name} pauses or redirects the LangGraph graph, which only works "
                    "from a script of a CodeModeTool"
                ) from error
            if steers_graph(error):
                session.pauses.note(error, place[0])
                raise Bubble(error) from error
            if isinstance(error, ValidationError | ValidationErrorV1) and self._refused(error):
                where = f"tool {self.tool.name!r}: input schema"
                validator = compile_validator(self.input_schema, where=where)
                raise argument_error(validator, args, error) from error
            raise

    async def run(self, call: NestedCall, session: Session) -> tuple[Any, Any]:
        """Invoke the tool: its message as LangChain makes it, and what it returned natively."""
        args = self._injection.fill(
            self.tool.name,
            call.args,
            state=call.state,
            runtime=call.runtime,
            custom=session.inject,
        )
        tool_call = {"name": self.tool.name, "args": args, "id": call.id, "type": "tool_call"}
        with Returned() as returned:
            message = await self._invoke(tool_call, call.config)
        return message, returned.value_or(message)

    async def _through_middleware(
        self, session: Session, args: dict[str, Any], place: Place
    ) -> tuple[Any, Any]:
        call = session.nested_call(self.tool, args, place)
        if session.around is None:
            return await self.run(call, session)
        made: list[tuple[Any, Any, Any, Any]] = []

        async def execute(changed: NestedCall) -> Any:
            tool = self if changed.tool is self.tool else NestedTool(changed.tool)
            message, returned = await tool.run(changed, session)
            # Middleware may change the message itself, so what it was is noted here.
            said = message if isinstance(message, ToolMessage) else None
            made.append((message, said and said.status, said and said.content, returned))
            return message

        final = await session.around(call, execute, session)
        for message, status, content, returned in reversed(made):
            if isinstance(final, ToolMessage):
                if final.status == status and shows(final.content, content):
                    return final, returned
            elif final is message:
                return final, returned
        # Middleware wrote its own answer, which is all that the script may know. With no more
        # than a note around the tool's own, the script gets the tool's.
        return final, final

    async def _invoke(self, tool_call: dict[str, Any], config: RunnableConfig | None) -> Any:
        if not self._threaded:
            return await self._view.ainvoke(tool_call, config)
        return await in_thread(functools.partial(self._view.invoke, tool_call, config))

    def _value(
        self, session: Session, place: Place, message: Any, returned: Any, since: int
    ) -> Any:
        """What the script receives; what only the graph or the caller wants is set aside."""
        if isinstance(message, ToolMessage) and message.status == "error":
            raise ToolError(content_text(message.content))
        artifact: Any = None
        value = returned
        if self.tool.response_format == "content_and_artifact" and isinstance(returned, tuple):
            value, artifact = cast("tuple[Any, Any]", returned)
        steering = steering_items(value)
        if steering:
            session.write(place, self.tool.name, steering, since)
            session.keep(place, artifact, steering)
            said = messages_in(steering)
            return self._from_message(said[-1]) if said else None
        if isinstance(value, ToolMessage):
            if value.status == "error":
                raise ToolError(content_text(value.content))
            own: Any = value.artifact
            artifact = own if artifact is None else artifact
            value = self._from_message(value)
        if inspect.isgenerator(value) or inspect.isasyncgen(value):
            raise ToolError(
                f"{self.tool.name} returned a generator, which a script cannot receive; "
                "the tool has to return a list",
                code="invalid_result",
            )
        session.keep(place, artifact, ())
        return mcp_value(value, artifact, self._declared) if self._is_mcp else value

    def _from_message(self, message: ToolMessage) -> Any:
        """The value in a message that stands for the tool's result.

        Raises:
            ToolError: with the text, where the tool promises something else: a person's words
                in the place of an object are for the model to read.
        """
        value: Any = message.content
        if isinstance(value, str) and not self._gives_text:
            try:
                value = json.loads(value)
            except ValueError:
                pass
        if not self._output_validator.is_valid(value):
            text = content_text(message.content)
            raise ToolError(f"{self.tool.name} answered with: {text}", code="invalid_result")
        return value

    @functools.cached_property
    def _output_validator(self) -> Validator:
        schema = True if self.output_schema is None else self.output_schema
        return compile_validator(schema, where=f"tool {self.tool.name!r}: output schema")

    def _refused(self, error: ValidationError | ValidationErrorV1) -> bool:
        """Whether it was the tool's own arguments that did not validate, not its body's data."""
        schema = self.tool.args_schema
        if isinstance(error, ValidationError):
            return isinstance(schema, type) and error.title == schema.__name__
        return error.model is schema
