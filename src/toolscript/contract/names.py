"""Names: from a tool's exact name to what a script writes.

A tool is always reachable by its exact name (`tools["my-tool"]`). What stands after a dot is its
identifier, and this module decides which identifier each tool gets.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from toolscript.contract.entry import Entry
from toolscript.contract.tool import Tool
from toolscript.errors import ContractError


def words(text: str) -> frozenset[str]:
    """The words of a text, as a set."""
    return frozenset(text.split())


JS_RESERVED_WORDS: Final = words(
    """
    await break case catch class const continue debugger default delete do else enum export
    extends false finally for function if import in instanceof new null return super switch this
    throw true try typeof var void while with yield
    """
)
"""ReservedWord of ECMAScript 2023, section 12.7.2."""

_RESTRICTED_WORDS: Final = words(
    """
    arguments as async eval get implements interface let of package private protected public set
    static type
    """
)
"""Words that cannot be declared in strict code, or that read as syntax at the start of a line."""

INHERITED_MEMBERS: Final = words(
    """
    __defineGetter__ __defineSetter__ __lookupGetter__ __lookupSetter__ __proto__ constructor
    hasOwnProperty isPrototypeOf propertyIsEnumerable then toLocaleString toString valueOf
    """
)
"""`then` and all that an ordinary object inherits; refused as tool names by seed 000."""

ENGINE_GLOBALS: Final = words(
    """
    AggregateError Array ArrayBuffer AsyncDisposableStack Atomics BigInt BigInt64Array
    BigUint64Array Boolean DOMException DataView Date DisposableStack Error EvalError
    FinalizationRegistry Float16Array Float32Array Float64Array Function Infinity Int16Array
    Int32Array Int8Array InternalError Intl Iterator JSON Map Math NaN Number Object Promise Proxy
    RangeError ReferenceError Reflect RegExp Set SharedArrayBuffer String SuppressedError Symbol
    SyntaxError TypeError URIError Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap
    WeakRef WeakSet WebAssembly decodeURI decodeURIComponent encodeURI encodeURIComponent escape
    eval gc globalThis isFinite isNaN navigator parseFloat parseInt performance print
    queueMicrotask scriptArgs self undefined unescape window
    """
)
"""Globals of JavaScript engines; a namespace of such a name would hide one."""

_NOT_IDENTIFIER: Final = re.compile(r"[^A-Za-z0-9_$]")
_PLAIN_IDENTIFIER: Final = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*\Z")
_NAMESPACE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_BINDING_ID: Final = re.compile(r"[A-Za-z][A-Za-z0-9._:/-]{0,127}\Z")


def is_identifier(name: str) -> bool:
    """Whether the name can stand after a dot as it is (ASCII only; reserved words may)."""
    return _PLAIN_IDENTIFIER.match(name) is not None


def tool_identifier(name: str) -> str:
    """The identifier that a script uses for a tool of this exact name (rule of seed 004).

    Every code point that is not legal in an ASCII identifier becomes `_`, and so does a leading
    digit: `my-tool` → `my_tool`, `3d-print` → `_d_print`. An empty name becomes `_`.
    """
    if not name:
        return "_"
    mapped = _NOT_IDENTIFIER.sub("_", name)
    return f"_{mapped[1:]}" if mapped[0].isdigit() else mapped


def strict_name_problem(name: str) -> str | None:
    """Why seed 000 refuses this tool name, or None where it is a plain identifier."""
    if not is_identifier(name):
        return "it is not a plain JavaScript identifier"
    if name in JS_RESERVED_WORDS:
        return "it is a reserved word of JavaScript"
    if name in INHERITED_MEMBERS:
        return "objects inherit a member of that name, or promises look for it"
    return None


def namespace_problem(name: str, taken: Collection[str] = ENGINE_GLOBALS) -> str | None:
    """Why this cannot be the name of a namespace, a global or a shortcut; None where it can.

    The rule is that of seed 002, so that the same name works in a script of any language:
    `[A-Za-z_][A-Za-z0-9_]*`, no reserved word of JavaScript or Python, and none of `taken`, the
    globals that exist already.
    """
    if _NAMESPACE.match(name) is None:
        return "it must match [A-Za-z_][A-Za-z0-9_]*"
    if name in JS_RESERVED_WORDS or name in _RESTRICTED_WORDS:
        return "it is a reserved word of JavaScript"
    if keyword.iskeyword(name):
        return "it is a reserved word of Python"
    if name in taken:
        return "a global of that name exists already"
    return None


def name_hash(name: str) -> str:
    """Eight hexadecimal digits that depend on the name alone (FNV-1a, 32 bits, over UTF-8)."""
    value = 0x811C9DC5
    for byte in name.encode("utf-8", "surrogatepass"):
        value = ((value ^ byte) * 0x01000193) & 0xFFFFFFFF
    return f"{value:08x}"


def binding_name(tool_id: str, kind: Literal["capability", "workflow"] = "capability") -> str:
    """The generated name of a binding in the constrained profile (seed 003): kind, then identifier.

    Raises:
        ContractError: if the id does not match `[A-Za-z][A-Za-z0-9._:/-]*` or is longer than 128.
    """
    if _BINDING_ID.match(tool_id) is None:
        raise ContractError(
            f"{_shown(tool_id)} cannot be the id of a binding: it must start with a letter, hold "
            "only letters, digits and . _ : / - and have at most 128 characters; rename the tool"
        )
    return f"{kind}_{tool_identifier(tool_id)}"


def distinct_identifiers(wanted: Sequence[tuple[str, str]]) -> list[str]:
    """An identifier for each `(exact name, wanted identifier)`, each used once.

    The tool whose exact name is the identifier keeps it, else the first by name; the others get
    two underscores and `name_hash`. The order of `wanted` makes no difference.
    """
    owners: dict[str, str] = {}
    for name, identifier in sorted(wanted, key=lambda pair: (pair[0] != pair[1], pair[0])):
        owners.setdefault(identifier, name)
    taken = set(owners)
    given: dict[str, str] = {}
    for name, identifier in sorted(wanted):
        chosen = identifier
        if owners[identifier] != name:
            chosen = f"{identifier}__{name_hash(name)}"
            while chosen in taken:
                chosen += "_"
            taken.add(chosen)
        given[name] = chosen
    return [given[name] for name, _ in wanted]


@dataclass(frozen=True, slots=True)
class ToolGroup:
    """Tools that share one object of the script: a namespace, or `tools` where it is None."""

    namespace: str | None
    tools: Sequence[Tool]


@dataclass(frozen=True, slots=True)
class NamedTools:
    """Tools with their names. `warnings` tells of tools that another one hides."""

    entries: tuple[Entry, ...]
    warnings: tuple[str, ...] = ()


def name_tools(
    groups: Iterable[ToolGroup],
    *,
    names: Literal["sanitise", "strict"] = "sanitise",
    clash: Literal["error", "suffix", "first"] = "error",
    taken: Collection[str] = ENGINE_GLOBALS,
) -> NamedTools:
    """Give every tool of every group its identifier and its number in the contract.

    Args:
        groups: the tools; two groups of one namespace are one.
        names: "strict" takes only names that are plain identifiers already (seed 000).
        clash: what happens to two tools of one identifier: refuse, suffix the one whose exact
            name differs, or let the first one win (seed 004), which is told as a warning.
        taken: names of globals that no namespace may have.

    Raises:
        ContractError: for a duplicate name, a clash, a name that strict rules refuse, or a
            namespace that cannot be a global.
    """
    merged: dict[str | None, list[Tool]] = {}
    for group in groups:
        merged.setdefault(group.namespace, []).extend(group.tools)
    entries: list[Entry] = []
    warnings: list[str] = []
    for namespace, tools in merged.items():
        if namespace is not None and (problem := namespace_problem(namespace, taken)):
            raise ContractError(
                f"{_shown(namespace)} cannot be the name of a namespace: {problem}; "
                "choose another name"
            )
        _refuse_duplicates(tools, namespace)
        if names == "strict":
            _refuse_loose_names(tools)
        kept, hidden = _identify(tools, clash, namespace)
        warnings.extend(hidden)
        for tool, identifier in kept:
            entries.append(Entry(len(entries), tool, namespace, identifier))
    return NamedTools(tuple(entries), tuple(warnings))


def _identify(
    tools: Sequence[Tool], clash: Literal["error", "suffix", "first"], namespace: str | None
) -> tuple[list[tuple[Tool, str]], list[str]]:
    wanted = [(tool.name, tool_identifier(tool.name)) for tool in tools]
    if clash == "suffix":
        return list(zip(tools, distinct_identifiers(wanted), strict=True)), []
    sharing: dict[str, list[Tool]] = {}
    for tool, (_, identifier) in zip(tools, wanted, strict=True):
        sharing.setdefault(identifier, []).append(tool)
    warnings: list[str] = []
    for identifier, same in sharing.items():
        if len(same) == 1:
            continue
        listed = ", ".join(_shown(tool.name) for tool in same)
        if clash == "error":
            raise ContractError(
                f"the tools {listed} would all be {namespace or 'tools'}.{identifier} in a script; "
                'rename them, put them in namespaces, or pass clash="suffix"'
            )
        warnings.append(
            f"{_shown(same[0].name)} owns {namespace or 'tools'}.{identifier}; scripts cannot "
            f"reach {', '.join(_shown(tool.name) for tool in same[1:])}"
        )
    return [(same[0], identifier) for identifier, same in sharing.items()], warnings


def _refuse_duplicates(tools: Sequence[Tool], namespace: str | None) -> None:
    seen: dict[str, Tool] = {}
    for tool in tools:
        other = seen.setdefault(tool.name, tool)
        if other is tool and tools.count(tool) == 1:
            continue
        origins = " and ".join(
            f"{_shown(each.name)} from {each.source}" if each.source else _shown(each.name)
            for each in (other, tool)
        )
        place = f" in namespace {namespace}" if namespace else ""
        raise ContractError(
            f"two tools{place} have the same name: {origins}; rename one, or put them in "
            'namespaces of their own: {"first": [...], "second": [...]}'
        )


def _refuse_loose_names(tools: Sequence[Tool]) -> None:
    for tool in tools:
        if problem := strict_name_problem(tool.name):
            raise ContractError(
                f"the tool name {_shown(tool.name)} is refused: {problem}; rename the tool, or "
                'pass names="sanitise"'
            )


def _shown(name: str) -> str:
    return repr(name if len(name) <= 80 else f"{name[:79]}…")
