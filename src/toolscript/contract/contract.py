"""What a script may see: tools with their names, the program input, and text made of them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final, cast

from toolscript.contract.bounded import require_bounded
from toolscript.contract.catalog import Catalog
from toolscript.contract.convert import tools_from
from toolscript.contract.declare import declare_contract, place_of, schema_warnings
from toolscript.contract.entry import Entry
from toolscript.contract.fingerprint import contract_fingerprint
from toolscript.contract.input import ProgramInput
from toolscript.contract.names import ENGINE_GLOBALS, ToolGroup, name_tools
from toolscript.contract.plain import plain_tool
from toolscript.contract.signature import Manner
from toolscript.contract.strict import require_exact
from toolscript.contract.tool import GlobalFunction, JsonSchema, Namespace, Tool
from toolscript.errors import ContractError
from toolscript.given import described
from toolscript.globals import discovery_names, globals_of, other_spellings, reserved_names
from toolscript.profiles import Profile


def namespaces_from(tools: Any) -> tuple[Namespace, ...]:
    """Tools as an embedder gives them, sorted into namespaces; the first is the unnamed one.

    Takes tools of any kind and `Namespace`s in one iterable, or a mapping of name to tools.

    Raises:
        ContractError: for something that is no tool.
    """
    if isinstance(tools, Mapping):
        named = cast("Mapping[str, Any]", tools)
        return (
            Namespace("", ()),
            *(
                replace(group, tools=tuple(tools_from(group.tools)))
                for group in (Namespace(name, tools) for name, tools in named.items())
            ),
        )
    check_group(tools)
    loose: list[Any] = []
    grouped: list[Namespace] = []
    for item in cast("Iterable[Any]", tools):
        if isinstance(item, Namespace):
            grouped.append(replace(item, tools=tuple(tools_from(item.tools))))
        else:
            loose.append(item)
    return (Namespace("", tuple(tools_from(loose))), *grouped)


def check_group(tools: Any) -> None:
    """Raises `ContractError` for what is no list of tools, such as a single one."""
    # A single tool of some frameworks can be iterated over, too; no list has a name.
    name = getattr(tools, "name", None) or getattr(tools, "__name__", None)
    if name or isinstance(tools, str | bytes) or not isinstance(tools, Iterable):
        raise ContractError(
            f"tools= takes a list of tools or a mapping of namespace to tools, not "
            f"{described(tools)}; a single tool goes in a list: [{name or 'tool'}]"
        )


Note = tuple[int | None, str]
"""The number of a tool, or None, and what is to be said of it."""

TYPE_MAPS: Final = """\
type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };
/** Arguments by the name of the tool. */
type ToolArgs = { [K in keyof typeof tools]: (typeof tools)[K] extends (...args: infer A) => unknown ? A[0] : never };
/** Results by the name of the tool. */
type ToolResults = { [K in keyof typeof tools]: (typeof tools)[K] extends (...args: never) => Promise<infer R> ? R : never };"""


@dataclass(frozen=True)
class Contract:
    """Tools under names, and what a model is told about them. Never changes once made.

    Attributes:
        profile: decides how declarations are written and which globals they name.
        namespaces: the groups; the first, unnamed one is the object `tools`.
        entries: every tool with the names by which a script reaches it.
        input: the declared program input, or None.
        globals: host functions that scripts call by a global name.
        shortcuts: global names that call a tool, each with the tool's name.
        notes: what could not be offered or represented, and why; each with the number of the
            tool that it is about, or None.
        discovery: how a script names each discovery member behind `codemode.`.
    """

    profile: Profile
    namespaces: tuple[Namespace, ...]
    entries: tuple[Entry, ...]
    input: ProgramInput | None = None
    globals: tuple[GlobalFunction, ...] = ()
    shortcuts: Mapping[str, str] = field(default_factory=dict[str, str])
    notes: tuple[Note, ...] = ()
    discovery: Mapping[str, str] = field(default_factory=dict[str, str])

    @classmethod
    def of(
        cls,
        namespaces: Sequence[Namespace],
        profile: Profile,
        *,
        input: ProgramInput | None = None,
        globals: Sequence[GlobalFunction] = (),
        shortcuts: Mapping[str, str] | None = None,
    ) -> Contract:
        """A contract of tools, named by the rules of a profile.

        Raises:
            ContractError: for names that clash or cannot be used, and for tools that the
                profile refuses.
        """
        named = name_tools(
            [
                ToolGroup(group.name or None, [plain_tool(tool) for tool in group.tools])
                for group in namespaces
            ],
            names=profile.names,
            clash=profile.clash,
            taken=ENGINE_GLOBALS | reserved_names(profile),
        )
        schema = input.schema if input else None
        if profile.schemas == "strict":
            require_exact(named.entries, schema)
        if profile.require_policy:
            require_bounded(named.entries)
        members = _members_of_all(named.entries, namespaces)
        discovery = discovery_names(members) if profile.discovery else {}
        return cls(
            profile=profile,
            namespaces=tuple(namespaces),
            entries=named.entries,
            input=input,
            globals=tuple(globals),
            shortcuts=dict(shortcuts or {}),
            notes=(
                *((None, warning) for warning in named.warnings),
                *_hidden_discovery(discovery, members),
                *schema_warnings(named.entries, schema),
            ),
            discovery=discovery,
        )

    @property
    def tools(self) -> tuple[Tool, ...]:
        """Every tool that a script may call, hidden ones included."""
        return tuple(entry.tool for entry in self.entries)

    @property
    def input_schema(self) -> JsonSchema | None:
        """Schema of what a script sees as `input`, or None where there is no program input."""
        return self.input.schema if self.input else None

    @property
    def warnings(self) -> tuple[str, ...]:
        """What could not be offered or represented, and why."""
        here = {entry.index for entry in self.entries}
        return tuple(text for index, text in self.notes if index is None or index in here)

    @cached_property
    def shown(self) -> tuple[Entry, ...]:
        """The tools that a model is told of: none that is hidden, and as many, in the order of
        their declarations, as the profile has room for (seed 003)."""
        visible = [entry for entry in self.entries if not entry.tool.options.hidden]
        room = self.profile.declaration_bytes
        if room is None or len(self._declared(visible).encode()) <= room:
            return tuple(visible)
        ordered = sorted(visible, key=place_of)
        sizes = range(len(ordered))
        most = bisect_right(sizes, room, key=lambda n: len(self._declared(ordered[:n]).encode()))
        return tuple(ordered[: max(most - 1, 0)])

    @property
    def is_truncated(self) -> bool:
        """Whether there are tools that a model is not told of, because they did not fit."""
        return len(self.shown) < sum(not entry.tool.options.hidden for entry in self.entries)

    @cached_property
    def manner(self) -> Manner:
        """How tools are written in declarations."""
        return Manner(
            exact=self.profile.schemas == "strict",
            string_argument=self.profile.schemas != "strict",
            envelope=self.profile.broker,
            effects=self.profile.require_policy,
            undeclared="JsonValue" if self.profile.type_maps else "unknown",
        )

    @cached_property
    def shortcut_targets(self) -> Mapping[str, Entry]:
        """The tool of each shortcut; one to a tool that is not there does not exist (seed 004)."""
        by_name: dict[str, Entry] = {}
        for entry in self.entries:
            for name in (entry.tool.name, entry.identifier, entry.expression):
                by_name.setdefault(name, entry)
        return {name: by_name[tool] for name, tool in self.shortcuts.items() if tool in by_name}

    @cached_property
    def call_names(self) -> Mapping[int, frozenset[str]]:
        """The names by which a script calls each tool, by its index: its own, and shortcuts."""
        names = {entry.index: {entry.identifier, entry.tool.name} for entry in self.entries}
        for name, entry in self.shortcut_targets.items():
            names[entry.index].add(name)
        return {index: frozenset(found) for index, found in names.items()}

    @cached_property
    def extra_declarations(self) -> list[str]:
        """Declarations beside those of tools and built-in globals: shortcuts, and types of tools
        by their names (seed 002)."""
        return [*([TYPE_MAPS] if self.profile.type_maps else []), *self._shortcut_declarations()]

    def _shortcut_declarations(self) -> list[str]:
        if self.profile.source == "module":
            return [
                f'declare const {name}: Tools["{entry.identifier}"];'
                for name, entry in self.shortcut_targets.items()
            ]
        return [
            f"declare const {name}: typeof {entry.expression};"
            for name, entry in self.shortcut_targets.items()
        ]

    @cached_property
    def declarations(self) -> str:
        """TypeScript of everything that a script sees; the same text for the same contract."""
        return self._declared(self.shown)

    @cached_property
    def checked(self) -> str:
        """The same for a type checker, with the other spellings that work as well."""
        return self._declared(self.entries, every_name=True)

    def _declared(self, entries: Sequence[Entry], *, every_name: bool = False) -> str:
        builtins = [row.declaration for row in globals_of(self.profile)]
        spellings, members = (
            other_spellings(self.profile, self.discovery) if every_name else ([], {})
        )
        return declare_contract(
            entries,
            namespaces=self.namespaces,
            input_schema=self.input_schema,
            builtins=[*builtins, *spellings, *self.extra_declarations],
            globals=self.globals,
            manner=self.manner,
            form="module" if self.profile.source == "module" else "script",
            every_name=every_name,
            members=members,
        )

    @cached_property
    def fingerprint(self) -> str:
        """Changes when, and only when, the contract does."""
        return contract_fingerprint(self.entries, self.input_schema)

    @cached_property
    def catalog(self) -> Catalog:
        return Catalog(
            self.entries,
            manner=replace(self.manner, exact=False),
            search=self.discovery.get("search"),
        )

    def search(self, query: str, limit: int = 8) -> list[dict[str, str]]:
        """The tools that fit a question best, each with its declaration."""
        return self.catalog.search(query, limit)

    def describe(self, name: str) -> str:
        """One tool's declaration, by expression, exact name or identifier."""
        return self.catalog.describe(name)

    def only(self, entries: Iterable[Entry]) -> Contract:
        """The same contract with fewer tools; their numbers stay."""
        return replace(self, entries=tuple(entries))


def _members_of_all(entries: Sequence[Entry], namespaces: Sequence[Namespace]) -> set[str]:
    """What `codemode` holds besides discovery: tools without a namespace, and the namespaces."""
    loose = [entry for entry in entries if entry.namespace is None]
    return {
        *(entry.identifier for entry in loose),
        *(entry.tool.name for entry in loose),
        *(namespace.name for namespace in namespaces if namespace.name),
    }


def _hidden_discovery(discovery: Mapping[str, str], members: set[str]) -> list[Note]:
    return [
        (
            None,
            f"{name!r} is a name of yours, so codemode.{name} is that; discovery is "
            f"codemode.{spelling} in scripts",
        )
        for name, spelling in discovery.items()
        if name in members
    ]
