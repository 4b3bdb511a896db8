"""From a contract and a script to the program that a runtime executes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from toolscript import jsontext
from toolscript.contract.contract import Contract
from toolscript.contract.declarations import render_tool_sample, string_argument_of
from toolscript.contract.entry import Entry
from toolscript.contract.names import ENGINE_GLOBALS, namespace_problem
from toolscript.contract.tool import GlobalFunction, Tool, ToolContext, ToolOptions
from toolscript.errors import ConfigurationError, ToolError
from toolscript.globals import globals_of, reserved_names, switches
from toolscript.host.limits import Limits
from toolscript.profiles import Profile
from toolscript.result import Unset
from toolscript.sandbox.runtime import Clock, Program
from toolscript.sandbox.surface import Group, Helper, Member, Surface
from toolscript.script.script import Script

_FRAME_BYTES: Final = 64 * 1024 * 1024


_QUESTION_CHARS: Final = 1_000
"""What scripts may ask about tools: the answer is found on the event loop."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """All of a program that is the same for every run of one contract.

    Attributes:
        surface, catalog: JSON texts for the guest.
        modules: name → function-body source of what scripts may import.
        helpers: what the host answers besides tools, by the name that the guest calls.
        names: every global name, for hints.
    """

    surface: str
    catalog: str
    modules: Mapping[str, str]
    helpers: Mapping[str, Tool]
    names: tuple[str, ...]


def surroundings_of(
    contract: Contract,
    profile: Profile,
    *,
    modules: Mapping[str, str],
    hints: Mapping[str, str],
) -> Surroundings:
    """What every run of a contract shares.

    Raises:
        ConfigurationError: for a global or a shortcut whose name cannot be one, or is taken.
    """
    spaces = [namespace.name for namespace in contract.namespaces if namespace.name]
    _check_names(contract.globals, contract.shortcuts, reserved_names(profile).union(spaces))
    surface = Surface(
        groups=_groups(contract),
        builtins=switches(profile, has_input=contract.input is not None),
        helpers=tuple(Helper(item.name, item.spread) for item in contract.globals),
        shortcuts={name: entry.index for name, entry in contract.shortcut_targets.items()},
        hints=dict(hints),
        options={
            # Seed 001 denies a call without an argument object; elsewhere it is an empty one.
            "bare_calls": not profile.broker,
            **{
                name: most
                for name in ("store_value_chars", "store_total_chars")
                if (most := getattr(profile.limits, name)) is not None
            },
        },
    )
    listed = [entry for entry in contract.entries if not entry.tool.options.hidden]
    catalog = [
        {
            "name": entry.expression if entry.namespace else entry.tool.name,
            "description": _listed_description(entry, profile),
        }
        for entry in listed
    ]
    return Surroundings(
        surface=surface.to_json(),
        catalog=jsontext.dumps(catalog),
        modules=modules,
        helpers={
            **_discovery(contract),
            **{item.name: _as_tool(item) for item in contract.globals},
        },
        names=(
            *(name for row in globals_of(profile) for name in row.names),
            *spaces,
            *contract.shortcuts,
            *(item.name for item in contract.globals),
        ),
    )


def program_of(
    script: Script,
    profile: Profile,
    surroundings: Surroundings,
    *,
    input: Any | Unset,
    store: Mapping[str, Any],
    clock: Clock | None,
    cpu_s: float | None,
) -> Program:
    """The program of one run. `input` and `store` are JSON values."""
    limits = profile.limits
    return Program(
        code=script.code,
        surface=surroundings.surface,
        catalog=surroundings.catalog,
        input=None if isinstance(input, Unset) else jsontext.dumps(input),
        store=jsontext.dumps(dict(store)) if store else "{}",
        modules=surroundings.modules,
        memory_bytes=limits.memory_bytes,
        stack_bytes=limits.stack_bytes,
        cpu_s=cpu_s,
        frame_bytes=_frame_bytes(limits),
        clock=clock,
        json=profile.json,
        track_lines=profile.track_lines,
        allow_eval=profile.allow_eval,
    )


def _frame_bytes(limits: Limits) -> int:
    """A frame holds the largest value that the limits allow, and what is around it."""
    allowed = [limits.argument_bytes, limits.value_bytes, limits.total_bytes, limits.output_bytes]
    return max(_FRAME_BYTES, *(part or 0 for part in allowed)) + 64 * 1024


def _groups(contract: Contract) -> tuple[Group, ...]:
    members: dict[str | None, list[Member]] = {None: []}
    kinds: dict[str, tuple[str, str] | None] = {"tools": None}
    for namespace in contract.namespaces:
        if namespace.name:
            members[namespace.name] = []
        kind = namespace.error_class
        kinds[namespace.name or "tools"] = (kind.name, kind.member_property) if kind else None
    for entry in contract.entries:
        string_argument = string_argument_of(entry.tool.input_schema)
        member = Member(entry.tool.name, entry.identifier, entry.index, string_argument)
        members[entry.namespace].append(member)
    return tuple(
        Group(name or "tools", tuple(group), kinds.get(name or "tools"))
        for name, group in members.items()
    )


def _check_names(
    globals: Sequence[GlobalFunction], shortcuts: Mapping[str, str], taken: frozenset[str]
) -> None:
    used = taken | ENGINE_GLOBALS
    seen: set[str] = set()
    members: set[str] = set()
    for kind, name in [
        *(("global", item.name) for item in globals),
        *(("shortcut", name) for name in shortcuts),
    ]:
        space, dot, member = name.partition(".")
        if kind == "shortcut" and dot:
            raise ConfigurationError(f"the shortcut {name!r} must be a plain identifier")
        problem = namespace_problem(space, used)
        if problem is None and dot and not member.isidentifier():
            problem = "what follows the dot must be an identifier"
        if problem is None and (name in seen or (not dot and space in members)):
            problem = "it is there twice"
        if problem:
            raise ConfigurationError(f"{name!r} cannot be a {kind}: {problem}; choose another name")
        seen.add(name)
        if dot:
            members.add(space)


def _listed_description(entry: Entry, profile: Profile) -> str:
    if profile.broker:
        # Seed 001: listings hold at most 400 characters and never invent a schema.
        return entry.tool.description[:400]
    return render_tool_sample(entry.tool)


def _discovery(contract: Contract) -> dict[str, Tool]:
    def search(args: Any, context: ToolContext) -> Any:
        query, limit = args.get("query"), args.get("limit")
        if not isinstance(query, str) or len(query) > _QUESTION_CHARS:
            raise ToolError(
                f"codemode.search(query) takes a text of at most {_QUESTION_CHARS:,} characters",
                code="invalid_args",
            )
        wanted = limit if isinstance(limit, int) and 0 < limit <= 50 else 8
        return list(contract.search(query, wanted))

    def describe(args: Any, context: ToolContext) -> Any:
        name = args.get("name")
        if not isinstance(name, str) or len(name) > _QUESTION_CHARS:
            raise ToolError(
                f"codemode.describe(name) takes a name of at most {_QUESTION_CHARS:,} characters",
                code="invalid_args",
            )
        return contract.describe(name)

    reads = ToolOptions(read_only=True)
    return {
        "codemode.search": Tool("codemode.search", "", True, None, search, reads),
        "codemode.describe": Tool("codemode.describe", "", True, None, describe, reads),
    }


def _as_tool(item: GlobalFunction) -> Tool:
    schema = True if item.input_schema is None or item.spread else item.input_schema
    options = ToolOptions(idempotent=item.idempotent)
    return Tool(item.name, item.description, schema, item.output_schema, item.call, options)
