"""The stage of a call that looks at what the tool returned, and makes it what the script gets."""

from __future__ import annotations

from typing import Any, Final, cast

from toolscript import jsontext
from toolscript.contract.tool import OutputKind, ToolValue
from toolscript.errors import ToolError
from toolscript.host.failures import failed
from toolscript.host.gates import ToolGate
from toolscript.host.values import JsonText, NotJson, json_text
from toolscript.profiles import Profile

_KINDS: Final[dict[OutputKind, tuple[type, ...]]] = {
    "scalar": (str, int, float, bool),
    "object": (dict,),
    "array": (list,),
    "null": (type(None),),
    "artifact-reference": (str, dict),
    "background": (str, dict),
}


def fitting_result(value: Any, args: Any, gate: ToolGate, profile: Profile) -> JsonText:
    """The JSON text of what a handler returned, checked.

    Args:
        value: whatever the handler returned.
        args: the arguments it was called with.

    Raises:
        ToolError: `invalid_result` or `too_large`.
    """
    tool = gate.tool
    if tool.dump_output is not None:
        value = _dumped(value, gate)
    written = _written(value, profile)
    if tool.dump_output is None and tool.output_schema is not None and profile.validate == "both":
        # A single value is its own JSON form; anything else is what the text says it is.
        single = type(value) in (str, int, float, bool, type(None))
        gate.check_output(value if single else jsontext.loads(written.text))
    return _bounded(written, args, gate, profile)


def reported_result(value: Any, args: Any, gate: ToolGate, profile: Profile) -> JsonText:
    """The JSON text of what a person says that a call came to, checked as the tool's own is.

    Raises:
        ToolError: `invalid_result` or `too_large`.
    """
    written = _written(value, profile)
    try:
        gate.check_output(jsontext.loads(written.text))
    except ToolError as error:
        problems = str(error).partition(": ")[2]
        raise failed("invalid_result", f"no result of this tool: {problems}") from error
    return _bounded(written, args, gate, profile)


def _bounded(written: JsonText, args: Any, gate: ToolGate, profile: Profile) -> JsonText:
    tool = gate.tool
    kind = tool.options.output_kind
    if kind is not None and profile.require_policy:
        _check_kind(jsontext.loads(written.text), kind)
    if profile.json == "lossless" and written.bigints:
        raise failed(
            "invalid_result", "the result holds an integer beyond 2^53, which a script cannot hold"
        )
    if profile.broker:
        written = _enveloped(written, args, profile)
    _check_size(written.size, gate, profile)
    return written


def _dumped(value: Any, gate: ToolGate) -> Any:
    dump = gate.tool.dump_output
    assert dump is not None
    try:
        if isinstance(value, ToolValue):
            return ToolValue(dump(value.value), value.text)
        return dump(value)
    except ToolError:
        raise
    except ValueError as error:
        raise failed("invalid_result", f"the tool's result does not fit: {error}") from error


def _written(value: Any, profile: Profile) -> JsonText:
    try:
        return json_text(value, sort_keys=profile.sorted_json)
    except NotJson as error:
        raise failed(
            "invalid_result",
            f"the tool returned a wrong result: {error}",
            named="OUTPUT_NOT_SERIALIZABLE",
        ) from error


def _check_kind(value: Any, kind: OutputKind) -> None:
    allowed = _KINDS.get(kind)
    if allowed is not None and type(value) not in allowed:
        raise failed(
            "invalid_result",
            f"the tool declares a result of kind {kind!r} and returned {type(value).__name__}",
            named="OUTPUT_KIND_MISMATCH",
        )


def _check_size(size: int, gate: ToolGate, profile: Profile) -> None:
    for allowed in (gate.tool.options.result_bytes, profile.limits.result_bytes):
        if allowed is not None and size > allowed:
            raise failed(
                "too_large",
                f"the tool's result is {size:,} bytes of JSON and at most {allowed:,} are allowed "
                "(result_bytes); ask for a smaller range or fewer fields",
                details={"limit": "result_bytes", "allowed": allowed, "seen": size},
            )


def _enveloped(written: JsonText, args: Any, profile: Profile) -> JsonText:
    """`{result, text}`, as `tools.call` resolves in seed 001."""
    value = jsontext.loads(written.text)
    _check_whole_file(value, args)
    text = written.face
    if text is None:
        text = value if isinstance(value, str) else written.text
    return _written({"result": value, "text": text}, profile)


def _check_whole_file(value: Any, args: Any) -> None:
    """A file that was read in part only, without being asked to, is no source of answers."""
    file: Any = cast("dict[str, Any]", value).get("file") if isinstance(value, dict) else None
    if not isinstance(file, dict) or not isinstance(args, dict):
        return
    lines, total = (cast("dict[str, Any]", file).get(key) for key in ("numLines", "totalLines"))
    explicit = cast("dict[str, Any]", args).keys() & {"offset", "limit"}
    if type(lines) is int and type(total) is int and lines < total and not explicit:
        raise failed(
            "failed",
            f"the read returned partial content ({lines}/{total} lines); read explicit "
            "offset/limit ranges before computing a whole-file answer",
        )
