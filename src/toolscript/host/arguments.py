"""The stage of a call that looks at its arguments: size, shape, the tool's own validation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, cast

from toolscript import jsontext
from toolscript.contract.tool import Tool
from toolscript.errors import ToolError
from toolscript.host.coerce import coerce_strings
from toolscript.host.failures import failed
from toolscript.host.gates import ToolGate
from toolscript.host.receipts import Record
from toolscript.profiles import Profile, Redact
from toolscript.render import shorten_string

_RESERVED: Final = frozenset(
    {"tool", "tool_use_id", "agentId", "consent", "__proto__", "constructor", "prototype"}
)
"""Keys by which seed 001's host carries its own word about a call."""

_SHOWN_CHARS: Final = 2_000


def refused_unread(text: bytes, gate: ToolGate, profile: Profile) -> Exception | None:
    """Why arguments are refused without being read, which costs more than all else; or None."""
    try:
        _check_size(text, gate.tool, profile)
        if profile.validate != "none" or gate.tool.parse_input is not None:
            gate.check_crowd(text)
    except ToolError as error:
        return error
    return None


def idea_of(text: bytes, redact: Redact | None) -> bytes:
    """JSON of what a receipt shows of arguments that nobody has read.

    A hook that keeps secrets has not seen them either.
    """
    shown = "[not shown: not read]"
    if redact is None:
        shown = shorten_string(text.decode(errors="replace"), _SHOWN_CHARS)
    return jsontext.dumps(shown).encode()


def fitting_arguments(args: Any, gate: ToolGate, record: Record, profile: Profile) -> Any:
    """What the handler gets for the JSON value that the script sent.

    A note of what was taken for something else goes into `record`.

    Raises:
        ToolError: for arguments that do not fit.
    """
    if profile.broker:
        _check_broker_rules(args)
        return _validated(args, gate, profile)
    if args is None and _wants_object(gate.tool):
        args = {}
    try:
        return _validated(args, gate, profile)
    except ToolError as error:
        coerced, places = coerce_strings(gate.tool.input_schema, args)
        if not places:
            raise
        try:
            fitting = _validated(coerced, gate, profile)
        except ToolError:
            raise error from None
        were = "was" if len(places) == 1 else "were"
        record.remark(f"{', '.join(places)} {were} sent as JSON text and taken as its value")
        return fitting


def fitting_edit(args: Any, gate: ToolGate, profile: Profile) -> tuple[Any, bytes]:
    """What the handler gets for arguments that a person wrote, and their JSON.

    Raises:
        ToolError: if they do not fit.
    """
    try:
        text = jsontext.dumps(args).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise failed("invalid_args", f"the edited arguments are no JSON: {error}") from error
    _check_size(text, gate.tool, profile)
    return _validated(jsontext.loads(text), gate, profile), text


def _check_size(text: bytes, tool: Tool, profile: Profile) -> None:
    own, limits = tool.options.argument_bytes, profile.limits
    if own is not None and len(text) > own:
        raise _too_large("argument_bytes", own, len(text))
    if limits.argument_bytes is not None and len(text) > limits.argument_bytes:
        raise _too_large("argument_bytes", limits.argument_bytes, len(text))
    most = limits.argument_chars
    if most is not None and len(text) > most:
        chars = len(text.decode())
        if chars > most:
            raise _too_large("argument_chars", most, chars)


def _too_large(limit: str, allowed: int, seen: int) -> Exception:
    return failed(
        "too_large",
        f"the arguments are {seen:,} {limit.rpartition('_')[2]} of JSON and at most {allowed:,} "
        f"are allowed ({limit}); send less, or in several calls",
        details={"limit": limit, "allowed": allowed, "seen": seen},
    )


def _check_broker_rules(args: Any) -> None:
    if not isinstance(args, dict) or _RESERVED.intersection(cast("dict[str, Any]", args)):
        raise failed("denied", "tool arguments must be an object without reserved metadata")


def _wants_object(tool: Tool) -> bool:
    schema = tool.input_schema
    if tool.parse_input is not None:
        return True
    return isinstance(schema, Mapping) and (
        schema.get("type") == "object" or "properties" in schema
    )


def _validated(args: Any, gate: ToolGate, profile: Profile) -> Any:
    parse = gate.tool.parse_input
    if parse is None:
        if profile.validate != "none":
            gate.check_input(args)
        return args
    if not isinstance(args, dict):
        raise ToolError(
            f"a tool takes one object of arguments, not {_kind(args)}", code="invalid_args"
        )
    gate.check_effort(args)
    try:
        return parse(cast("dict[str, Any]", args))
    except ToolError:
        raise
    except ValueError as error:
        raise ToolError(str(error), code="invalid_args") from error


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, list):
        return "an array"
    return "a string" if isinstance(value, str) else "a number"
