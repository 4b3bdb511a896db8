"""What every adapter is made of: its tools converted, one engine, and one run inside a framework.

An adapter brings what only it can know: how a tool of its framework becomes a `Tool`, how that
framework calls it, and what the framework's own code tool and pause look like. In outline:

    def converted(tool: FrameworkTool) -> Tool:
        async def call(args: Any, context: ToolContext) -> Any:
            session = current_session(FrameworkContext)
            return await tool.invoke(args, session.context, call_id=session.id_of(context))
        return Tool(tool.name, tool.description, tool.schema, output_schema, call)

    class CodeTool(FrameworkTool):
        def __init__(self, tools, **options: Unpack[CodeToolOptions]):
            check_code_tool(CodeTool, options)
            self._runner = CodeRunner(convert_tools(tools, converted), options)

        async def invoke(self, args, context, call_id):
            result = await self._runner.begin(args["code"], Session(context, call_id))
            return self._runner.text(result)
"""

from __future__ import annotations

import contextlib
import json
import uuid
from collections import OrderedDict
from collections.abc import Callable, Generator, Iterable, Mapping, MutableMapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Final, Generic, TypeVar, cast

from toolscript.contract.annotations import resolved_hints
from toolscript.contract.contract import check_group
from toolscript.contract.function import tool_from_function
from toolscript.contract.tool import JsonSchema, Namespace, Tool, ToolContext
from toolscript.durable import PausedRuns
from toolscript.engine import CodeMode
from toolscript.errors import ConfigurationError, ToolError
from toolscript.events import OnEvent
from toolscript.given import check, check_keywords
from toolscript.host.approval import Again, Answer, signed
from toolscript.host.entries import Head
from toolscript.host.journal import SETTLED, Journal
from toolscript.host.policy import Authority
from toolscript.images import Read, images_of, mcp_image, without_images
from toolscript.options import EngineOptions, check_options, without_store
from toolscript.parts import CODE_TOOL, check_engine
from toolscript.result import ErrorKind, OutputItem, RunResult

NAME: Final = "run_code"
"""What models call the code tool, unless the application says otherwise."""

SUMMARY: Final = (
    "Run a TypeScript script that calls tools. Write one script for the whole job: call tools "
    "with await, loop, filter and join in code, and return only what is needed."
)

CODE_DESCRIPTION: Final = "The script, in TypeScript or JavaScript."

CODE_SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {"code": {"type": "string", "description": CODE_DESCRIPTION}},
    "required": ["code"],
    "additionalProperties": False,
}
"""Arguments of the code tool."""

_FUNCTIONS: Final = ("authority", "approver")
"""Options that may be functions of the framework's context."""

PROMPT_TOKENS: Final = 8_000
_MOST_RUNNERS: Final = 64

Context = TypeVar("Context")


class CodeToolOptions(EngineOptions, total=False):
    """What every code tool takes besides its tools.

    name: what the model calls the tool.
    description: replaces the first sentences of its description; declarations follow.
    prompt_tokens: budget of the declarations; above it scripts search for the rest.
    result_tokens: budget of what the model reads back.
    authority: on whose behalf scripts run; a function is called with the framework's context.
    approver: the person who answers approvals, for their receipts, where the answer does not say
        it itself; a function is called with the framework's context at that time.
    journal: keeps paused runs where the framework's own state may outlive this process.
    """

    name: str
    description: str
    prompt_tokens: int | None
    result_tokens: int | None
    authority: Authority | Callable[[Any], Authority | None] | None
    approver: str | Callable[[Any], str | None] | None
    journal: Journal | None


OWN_OPTIONS: Final = frozenset(
    {"name", "description", "prompt_tokens", "result_tokens", "authority", "approver"}
)
"""Options of a code tool that are no options of its engine."""


def check_code_tool(owner: Callable[..., Any], options: CodeToolOptions) -> None:
    """Refuse options that the constructor of a code tool does not know, or of the wrong kind.

    Raises:
        ConfigurationError: for the first.
    """
    check_keywords(owner, options, CodeToolOptions.__annotations__)
    for name, value in options.items():
        if name in OWN_OPTIONS:
            check(f"{owner.__name__}({name}=)", CODE_TOOL[name], value)
    check_engine(journal=options.get("journal"))
    own = OWN_OPTIONS | {"journal"}
    check_options({name: value for name, value in options.items() if name not in own})


def for_context(options: CodeToolOptions, context_of: Callable[[Any], Any]) -> CodeToolOptions:
    """Options whose functions get a part of the session's context: the framework's own."""

    def of_session(made: Any) -> Any:
        def of_part(context: Any) -> Any:
            return made(context_of(context))

        return of_part if callable(made) else made

    found = {
        name: of_session(value) if name in _FUNCTIONS else value for name, value in options.items()
    }
    return cast(CodeToolOptions, found)


class Steering(BaseException):
    """Carries an exception by which a framework steers past the script, which must not catch it.

    A nested call raises it; the script ends there, calls under way finish, and the code tool
    raises `error`. With `again` a pause is meant: `CodeRunner.go_on` makes that call again.
    """

    def __init__(self, error: BaseException, *, again: bool = False):
        super().__init__(str(error))
        self.error = error
        self.again = again


@dataclass(frozen=True, slots=True)
class Session(Generic[Context]):
    """One call of the code tool, as its nested calls see it.

    `context` is what the framework gave to the code tool; tools read it as `context.app`, too.
    `call_id` is the code tool's own call, from which those of nested calls are made.
    """

    context: Context
    call_id: str
    run_id: str = field(default_factory=lambda: f"run_{uuid.uuid4().hex}")

    def id_of(self, call: ToolContext) -> str:
        """An id for a nested call: the same one whenever the script is run again."""
        inner = call.run_id.removeprefix(self.run_id)
        return f"{self.call_id}:{inner.lstrip('.')}{'.' if inner else ''}{call.seq}"


_session: ContextVar[Session[Any] | None] = ContextVar("toolscript_adapter_session", default=None)


def current_session(kind: type[Context]) -> Session[Context]:
    """The session of the code tool whose script makes the current call.

    Raises:
        ToolError: outside of one, or in one of another framework.
    """
    session = _session.get()
    if session is None or not isinstance(session.context, kind):
        raise ToolError(
            f"this tool needs a {kind.__module__}.{kind.__qualname__}, which only its framework's "
            "code tool has; offer it through that, not in an engine of your own"
        )
    return session


def convert_tools(tools: Any, one: Callable[[Any], Tool]) -> Any:
    """Tools, namespaces and mappings of groups, each tool through `one`, groups as they were."""

    def each(items: Iterable[Any]) -> list[Any]:
        check_group(items)
        return [
            Namespace(item.name, each(item.tools), item.description, item.error_class)
            if isinstance(item, Namespace)
            else one(item)
            for item in items
        ]

    if isinstance(tools, Mapping):
        groups = cast("Mapping[str, Any]", tools)
        return {name: each(group) for name, group in groups.items()}
    return each(tools)


def returns_of(
    function: Callable[..., Any], name: str
) -> tuple[JsonSchema | None, Callable[[Any], Any] | None]:
    """What a function says that it returns: the `output_schema` and `dump_output` of its tool.

    For frameworks whose tools know the function and keep no type of its result.

    Raises:
        ContractError: for a generator, since a script receives one value.
    """
    hint = resolved_hints(function).get("return")

    def only_returns() -> Any:
        raise NotImplementedError

    only_returns.__annotations__ = {} if hint is None else {"return": hint}
    found = tool_from_function(only_returns, name=name)
    return found.output_schema, found.dump_output


class CodeRunner:
    """The engine behind one code tool. Safe to use from several tasks.

    Args:
        tools: as `CodeMode` takes them.
        options: as given to the adapter.
        keeps: keep each run until it is over, so that one that `Steering` interrupted can go on.
            Runs that wait for an approval are kept in any case.
        image: how an image looks to scripts that a tool of the framework returns.
        stores: `begin` and `go_on` get a store that outlives the run; without one, scripts have
            no `store` and `load`.

    Raises:
        ContractError, ConfigurationError: as `CodeMode` does.
    """

    def __init__(
        self,
        tools: Any,
        options: CodeToolOptions,
        *,
        keeps: bool = False,
        stores: bool = False,
        image: Read = mcp_image,
    ):
        self._image = image
        given: dict[str, Any] = dict(options if stores else without_store(options))
        self.name: str = options.get("name", NAME)
        self._summary = options.get("description", SUMMARY)
        self._result_tokens = options.get("result_tokens")
        self._prompt_tokens = options.get("prompt_tokens", PROMPT_TOKENS)
        self._authority = options.get("authority")
        self._approver = options.get("approver")
        journal = options.get("journal") or (PausedRuns() if keeps else None)
        for own in OWN_OPTIONS:
            given.pop(own, None)
        given["journal"] = self._journal = journal
        self.engine = CodeMode(tools, **cast(Any, given))
        self._made_again: dict[str, set[int]] = {}
        self._asks_itself = options.get("approve") is not None
        self._has_policy = options.get("policy") is not None

    @property
    def asking(self) -> tuple[str, ...]:
        """Tools whose calls may wait for a person, where no `approve` function asks one."""
        if self._asks_itself:
            return ()
        tools = [entry.tool for entry in self.engine.contract.entries]
        return tuple(tool.name for tool in tools if tool.options.requires_approval is not False)

    @property
    def may_pause(self) -> bool:
        """Whether a run may come back with status "paused"."""
        return not self._asks_itself and (self._has_policy or bool(self.asking))

    @property
    def description(self) -> str:
        """For the code tool: what it does, and everything that a script may call."""
        return f"{self._summary}\n\n{self.prompt}"

    @property
    def prompt(self) -> str:
        """What a model has to read, where the description of a tool is no place for it."""
        return self.engine.prompt(max_tokens=self._prompt_tokens)

    async def waits(self, session: Session[Any], code: str) -> bool:
        """Whether the run of this session began with this script, and has not come to its end.

        For frameworks that call the code tool again to go on. Only under a journal, or `keeps`.
        """
        stored = None if self._journal is None else await self._journal.load(session.run_id)
        if stored is None or stored.status in SETTLED:
            return False
        return Head.from_bytes(stored.head).source == code

    async def begin(
        self,
        code: str,
        session: Session[Any],
        *,
        store: MutableMapping[str, Any] | None = None,
        on_event: OnEvent | None = None,
    ) -> RunResult:
        """Run a script to its end or its first pause. `store` is read, and written on success.

        Raises:
            BaseException: what a nested call raised as `Steering`.
        """
        with self._inside(session):
            result = await self.engine.run(
                code,
                context=session.context,
                store=store,
                authority=self._authority_for(session),
                run_id=session.run_id,
                on_event=on_event,
            )
        return _stored(result, store)

    async def go_on(
        self,
        session: Session[Any],
        decisions: Mapping[str, Answer] | None = None,
        *,
        again: Iterable[int] = (),
        store: MutableMapping[str, Any] | None = None,
        on_event: OnEvent | None = None,
    ) -> RunResult:
        """Go on with the run of `session.run_id`, which paused or was interrupted by `Steering`.

        What completed is not done again. `decisions` answer `RunResult.pending` by id. `again` is
        what `interrupted` said, where that was in another process.

        Raises:
            ResumeError: if there is no such run here, or other tools have taken its place.
            BaseException: what a nested call raised as `Steering`.
        """
        made_again = self._made_again.pop(session.run_id, set()).union(again)
        with self._inside(session):
            result = await self._resume(session, self._signed(session, decisions), on_event)
            leave = _leave_for(result, made_again)
            if leave:
                result = await self._resume(session, leave, on_event)
        return _stored(result, store)

    def interrupted(self, session: Session[Any]) -> list[int]:
        """Calls that a pause interrupted and `go_on` makes again, by `seq`.

        For frameworks whose state outlives this process: nobody else knows that these calls did
        nothing, and without it their outcome is unknown.
        """
        return sorted(self._made_again.get(session.run_id, ()))

    def text(self, result: RunResult) -> str:
        """What the model reads back."""
        shown = without_images(result, self._image)
        return shown.text(max_tokens=self._result_tokens)

    def images(self, result: RunResult) -> tuple[OutputItem, ...]:
        """What the model sees beside it, for frameworks whose results may hold images."""
        return images_of(result, self._image)

    async def aclose(self) -> None:
        await self.engine.aclose()

    async def _resume(
        self, session: Session[Any], decisions: Mapping[str, Answer], on_event: OnEvent | None
    ) -> RunResult:
        return await self.engine.resume(
            session.run_id, decisions, context=session.context, on_event=on_event
        )

    def _signed(
        self, session: Session[Any], decisions: Mapping[str, Answer] | None
    ) -> Mapping[str, Answer]:
        if not decisions or self._approver is None:
            return decisions or {}
        given = self._approver
        who = given(session.context) if callable(given) else given
        return {id: signed(answer, who or "") for id, answer in decisions.items()}

    def _authority_for(self, session: Session[Any]) -> Authority | None:
        given = self._authority
        return given(session.context) if callable(given) else given

    @contextlib.contextmanager
    def _inside(self, session: Session[Any]) -> Generator[None]:
        notes: set[int] = set()
        token = _session.set(session)
        noted = _steered.set(notes)
        try:
            yield
        except Steering as steering:
            if notes:
                self._made_again[session.run_id] = notes
            raise steering.error from None
        finally:
            _steered.reset(noted)
            _session.reset(token)


_steered: ContextVar[set[int] | None] = ContextVar("toolscript_adapter_steered", default=None)


def steer(error: BaseException, call: ToolContext, *, again: bool = False) -> Steering:
    """The exception to raise in a nested call, for `error` to end the script and the code tool.

    With `again` it is a pause: `go_on` makes this call again, and no other that completed.
    """
    notes = _steered.get()
    if again and notes is not None:
        notes.add(call.seq)
    return Steering(error, again=again)


class CodeRunners:
    """A runner for each set of tools, where a framework says only at run time which there are.

    Calls of tools that look alike must not differ by what their functions close over: they have
    to find what belongs to one run in `current_session`.
    """

    def __init__(
        self,
        options: CodeToolOptions,
        *,
        keeps: bool = False,
        stores: bool = False,
        image: Read = mcp_image,
    ):
        self._stores = stores
        self._image = image
        kept = {**options, "journal": options.get("journal") or (PausedRuns() if keeps else None)}
        self._options = cast(CodeToolOptions, kept)
        self._made: OrderedDict[str, CodeRunner] = OrderedDict()

    def of(self, tools: Sequence[Tool | Namespace]) -> CodeRunner:
        """The runner for these tools; the same one for tools that look the same.

        Raises:
            ContractError, ConfigurationError: as `CodeMode` does.
        """
        key = _looks_of(tools)
        found = self._made.pop(key, None)
        if found is None:
            found = CodeRunner(tools, self._options, stores=self._stores, image=self._image)
        self._made[key] = found
        if len(self._made) > _MOST_RUNNERS:
            self._made.popitem(last=False)
        return found


def _looks_of(tools: Iterable[Any]) -> str:
    """All that tells a set of tools from another one."""
    looks: list[str] = []
    for item in tools:
        if isinstance(item, Namespace):
            looks.append(f"{item.name} {item.description} ({_looks_of(item.tools)})")
            continue
        shown = [item.name, item.description, item.input_schema, item.output_schema]
        looks.append(json.dumps(shown, sort_keys=True, default=str) + repr(item.options))
    return "\n".join(looks)


def code_of(arguments: Any) -> str:
    """The script in the arguments of the code tool.

    Raises:
        ToolError: if there is none; the message tells the model what to pass.
    """
    given: Any = arguments
    if isinstance(arguments, Mapping):
        named = cast("Mapping[str, Any]", arguments)
        given = next((named[key] for key in ("code", "script", "source") if key in named), None)
    if not isinstance(given, str):
        raise ToolError(
            'pass the script as one string: {"code": "return await tools.…"}', code="invalid_args"
        )
    return given


def refuse_approvals(runner: CodeRunner, framework: str, why: str) -> None:
    """For a framework that cannot pause for a person.

    Raises:
        ConfigurationError: if a tool needs an approval, and no `approve=` function gives it.
    """
    if runner.asking:
        raise ConfigurationError(
            f"{', '.join(runner.asking)}: needs an approval, and {framework} cannot pause for one "
            f"({why}); pass approve=, a function that asks a person while the script waits"
        )


def _stored(result: RunResult, store: MutableMapping[str, Any] | None) -> RunResult:
    if store is not None and result.ok:
        store.update(result.store_writes.set)
        for key in result.store_writes.delete:
            store.pop(key, None)
    return result


def _leave_for(result: RunResult, again: set[int]) -> dict[str, Answer]:
    """Leave to make the calls again that a pause interrupted: of those, the outcome is known."""
    if result.error is None or result.error.kind is not ErrorKind.UNKNOWN_OUTCOME:
        return {}
    return {waiting.id: Again() for waiting in result.pending if waiting.seq in again}
