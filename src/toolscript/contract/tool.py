"""The one shape that every tool has here, wherever it came from."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, cast, get_args

from toolscript.given import (
    FLAG,
    FUNCTION,
    NAME,
    NAMES,
    NUMBER,
    SCHEMA,
    SECONDS,
    TEXT,
    Wanted,
    a,
    check_fields,
    frozen_names,
    made_from,
    maybe,
    one_of,
    tells_names,
    whole,
)

if TYPE_CHECKING:
    from toolscript.result import RunResult

JsonSchema = Mapping[str, Any] | bool
"""A JSON Schema document of any draft."""

Maturity = Literal["experimental", "beta", "stable", "deprecated"]

OutputKind = Literal[
    "scalar", "object", "array", "null", "streaming", "background", "artifact-reference"
]
"""What a tool says it returns, as the constrained profile requires (seed 003)."""


class ToolContext(Protocol):
    """What a tool's `call` learns about the call it answers."""

    @property
    def seq(self) -> int:
        """Place of this call in the order in which the script made its calls, from 1."""
        ...

    @property
    def run_id(self) -> str:
        """The run's id; with `seq` it names this call, also when the run goes on elsewhere."""
        ...

    @property
    def tool(self) -> str:
        """The tool's exact name."""
        ...

    @property
    def line(self) -> int | None:
        """Line of the script that made the call, from 1; None unless `track_lines` is on."""
        ...

    @property
    def authority(self) -> Any:
        """The `Authority` under which the call runs, or None where the run has none."""
        ...

    @property
    def cancelled(self) -> asyncio.Event:
        """Set when the call no longer matters: the run ended, timed out or was aborted."""
        ...

    @property
    def deadline(self) -> float | None:
        """The `time.monotonic()` second at which the call is given up, or None."""
        ...

    @property
    def app(self) -> Any:
        """What the embedder passed to `run(context=...)`."""
        ...

    def image(self, data: bytes, mime_type: str) -> None:
        """Show an image in the run's output, before this call's result reaches the script."""
        ...

    async def run(self, source: str) -> RunResult:
        """Run a nested script under this call's authority (bounded by `Limits.depth`)."""
        ...


@tells_names
@dataclass(frozen=True, slots=True)
class Retry:
    """How often a failed call of a read-only or idempotent tool is tried again.

    `attempts` counts the first try; waits grow from `wait_s` by doubling, up to `max_wait_s`.
    """

    attempts: int = 3
    wait_s: float = 0.1
    max_wait_s: float = 10.0

    def __post_init__(self) -> None:
        check_fields(self, _RETRY)


@tells_names
@dataclass(frozen=True, slots=True)
class Manifest:
    """What a tool touches, declared by its owner for policies to decide on (seed 003).

    `secrets` are names of secrets that the tool uses; they reach the policy and nobody else.
    `phases`, `principals` and `runtimes` say for whom and where the tool exists at all; empty is
    everywhere. An `implementation_only` tool is for other tools and never offered to a script.
    """

    effects: frozenset[str] = frozenset()
    capabilities: frozenset[str] = frozenset()
    secrets: frozenset[str] = frozenset()
    maturity: Maturity = "stable"
    runtimes: frozenset[str] = frozenset()
    phases: frozenset[str] = frozenset()
    principals: frozenset[str] = frozenset()
    implementation_only: bool = False

    def __post_init__(self) -> None:
        frozen_names(self, *_MANIFEST_NAMES)
        check_fields(self, _MANIFEST)


@tells_names
@dataclass(frozen=True, slots=True)
class ToolOptions:
    """How the host treats a tool. All of it is the host's word, never the script's.

    Attributes:
        read_only: the tool changes nothing; such calls may overlap under `parallel="reads"`.
        destructive: the tool may delete or overwrite; shown in its declaration.
        idempotent: calling twice with the same arguments has the effect of calling once.
        parallel: whether calls may overlap; None leaves it to the run's `parallel` knob.
        requires_approval: True, or a function of the (JSON) arguments, sync or async.
        retry: tries for a failing call; used only for read-only or idempotent tools.
        timeout: seconds that one attempt may take; None means until the run's deadline.
        capabilities: what the run's authority must contain for the tool to be callable.
        hidden: callable by name, but neither declared nor listed.
        examples: arguments that make good examples; shown in the declaration.
        argument_bytes, result_bytes: limits of this tool, in bytes of JSON, below the run's.
        max_concurrency: most calls of this tool in flight at once, within one engine.
        rate_per_s: most calls of this tool started a second, within one engine.
        manifest: for policies; its capabilities count like `capabilities`.
        output_kind: declared kind of the result, checked under the constrained profile.
        tags: free labels, for selection and for observers.
    """

    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False
    parallel: bool | None = None
    requires_approval: bool | Callable[[dict[str, Any]], bool | Awaitable[bool]] = False
    retry: Retry | None = None
    timeout: float | None = None
    capabilities: frozenset[str] = frozenset()
    hidden: bool = False
    examples: tuple[Mapping[str, Any], ...] = ()
    argument_bytes: int | None = None
    result_bytes: int | None = None
    max_concurrency: int | None = None
    rate_per_s: float | None = None
    manifest: Manifest | None = None
    output_kind: OutputKind | None = None
    tags: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        frozen_names(self, "capabilities", "tags")
        if isinstance(self.examples, list):
            object.__setattr__(self, "examples", tuple(self.examples))
        check_fields(self, _OPTIONS)
        if self.retry is not None and not (self.read_only or self.idempotent):
            warnings.warn(
                "ToolOptions(retry=) does nothing for a tool that may not be called twice; say "
                "read_only=True or idempotent=True as well, or leave retry out",
                stacklevel=3,
            )


GivenOptions = ToolOptions | Mapping[str, Any]
"""Options as an embedder gives them: some of the fields in a mapping do."""


def options_given(given: GivenOptions | None, where: str) -> ToolOptions | None:
    """The options that were given, if any; `where` names the parameter for messages.

    Raises:
        ConfigurationError: for what are no options, or a field that does not exist.
    """
    return None if given is None else made_from(ToolOptions, given, where)


ToolCall = Callable[[Any, ToolContext], Any | Awaitable[Any]]


@tells_names
@dataclass(frozen=True, slots=True)
class Tool:
    """A tool as toolscript sees it: two schemas and a function that answers a call.

    Attributes:
        name: the exact name, as the application knows it.
        description: what the model reads; may be empty except under strict profiles.
        input_schema: schema of the single argument object that a script passes.
        output_schema: schema of what the script receives, or None where nothing is known.
        call: `call(args, context)`, sync or async. A sync call runs in a thread.
        options: how the host treats the tool.
        parse_input: the source framework's own validation: takes the arguments as JSON values
            and returns what `call` wants; raises `ToolError` (code `invalid_args`) or
            `ValueError`. None means: validate against `input_schema`, pass the JSON on.
        dump_output: turns what `call` returned into JSON values by the output type; raises
            `ToolError` (code `invalid_result`) or `ValueError`. None means: the general rules
            for Python values, validated against `output_schema`.
        source: where the tool is from (a server's or a framework's name), for prompt and receipts.
    """

    name: str
    description: str
    input_schema: JsonSchema
    output_schema: JsonSchema | None
    call: ToolCall
    options: ToolOptions = field(default_factory=ToolOptions)
    parse_input: Callable[[dict[str, Any]], Any] | None = None
    dump_output: Callable[[Any], Any] | None = None
    source: str | None = None


@tells_names
@dataclass(frozen=True, slots=True)
class ErrorClass:
    """A namespace's own error class in the script (seed 002).

    `name` becomes a global constructor and the `name` of its instances; `member_property` is
    the property of an instance that holds the exact name of the member that failed.
    """

    name: str
    member_property: str

    def __post_init__(self) -> None:
        check_fields(self, {"name": NAME, "member_property": NAME})


@tells_names
@dataclass(frozen=True, slots=True)
class Namespace:
    """A group of tools, called as `<name>.<tool>(args)` in the script."""

    name: str
    tools: Sequence[Any]
    description: str = ""
    error_class: ErrorClass | None = None

    def __post_init__(self) -> None:
        check_fields(self, _NAMESPACE)


@tells_names
@dataclass(frozen=True, slots=True)
class GlobalFunction:
    """A host function that a script calls by a global name; its calls leave no receipt (seed 004).

    Attributes:
        name: an identifier, or `namespace.member` to group several in one frozen object.
        call: `call(args, context)`, sync or async; with `spread` it gets all arguments as a list.
        description: what the model reads.
        input_schema, output_schema: schemas of the single argument and of the result.
        signature: hand-written TypeScript parameter list and return type, such as
            `(type: string, id?: string): Promise<Model[]>`; replaces what the schemas say.
        spread: pass all arguments as a list instead of the first one.
        idempotent: calling twice is as good as once: a run that is resumed makes a call of it
            again when nobody knows whether that was done.
    """

    name: str
    call: ToolCall
    description: str = ""
    input_schema: JsonSchema | None = None
    output_schema: JsonSchema | None = None
    signature: str | None = None
    spread: bool = False
    idempotent: bool = False

    def __post_init__(self) -> None:
        check_fields(self, _GLOBAL)


@tells_names
@dataclass(frozen=True, slots=True)
class ToolValue:
    """A result with two faces: the script reads `value`, printing it shows `text` (seed 004)."""

    value: Any
    text: str

    def __post_init__(self) -> None:
        check_fields(self, {"text": TEXT})


def _in_a_list(value: Any) -> str:
    name = getattr(value, "__name__", "")
    return f"[{name}]" if callable(value) and name else "[...]"


def _as_retry(value: Any) -> str:
    return f"Retry(attempts={value})" if whole(1).fits(value) else ""


def _is_group(value: Any) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)


_RETRY: Final = {
    "attempts": whole(1),
    "wait_s": Wanted("a number of seconds", lambda value: NUMBER.fits(value) and value >= 0),
    "max_wait_s": SECONDS,
}
_MANIFEST_NAMES: Final = (
    "effects",
    "capabilities",
    "secrets",
    "runtimes",
    "phases",
    "principals",
)
_MANIFEST: Final = {
    **dict.fromkeys(_MANIFEST_NAMES, NAMES),
    "maturity": one_of(*get_args(Maturity)),
    "implementation_only": FLAG,
}
_OPTIONS: Final = {
    **dict.fromkeys(("read_only", "destructive", "idempotent", "hidden"), FLAG),
    "parallel": maybe(FLAG),
    "requires_approval": Wanted(
        "True, False or a function of the arguments",
        lambda value: isinstance(value, bool) or callable(value),
    ),
    "retry": maybe(a(Retry, instead=_as_retry)),
    "timeout": maybe(SECONDS),
    "capabilities": NAMES,
    "examples": Wanted(
        "a list of arguments, a mapping each",
        lambda value: (
            isinstance(value, tuple)
            and all(isinstance(item, Mapping) for item in cast("tuple[Any, ...]", value))
        ),
    ),
    **dict.fromkeys(("argument_bytes", "result_bytes", "max_concurrency"), maybe(whole(1))),
    "rate_per_s": maybe(Wanted("a number above 0", SECONDS.fits)),
    "manifest": maybe(a(Manifest)),
    "output_kind": maybe(one_of(*get_args(OutputKind))),
    "tags": NAMES,
}
_NAMESPACE: Final = {
    "name": TEXT,
    "tools": Wanted("a list of tools", _is_group, _in_a_list),
    "description": TEXT,
    "error_class": maybe(a(ErrorClass)),
}
_GLOBAL: Final = {
    "name": NAME,
    "call": FUNCTION,
    "description": TEXT,
    "input_schema": maybe(SCHEMA),
    "output_schema": maybe(SCHEMA),
    "signature": maybe(TEXT),
    "spread": FLAG,
    "idempotent": FLAG,
}
