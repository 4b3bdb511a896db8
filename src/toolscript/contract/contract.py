"""What a script may see: tools with their names, the program input, and text made of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, cast

from toolscript.contract.bounded import require_bounded
from toolscript.contract.catalog import Catalog
from toolscript.contract.convert import tools_from
from toolscript.contract.declare import declare_contract, schema_warnings
from toolscript.contract.entry import Entry
from toolscript.contract.fingerprint import contract_fingerprint
from toolscript.contract.input import ProgramInput
from toolscript.contract.names import ENGINE_GLOBALS, ToolGroup, name_tools
from toolscript.contract.signature import Manner
from toolscript.contract.strict import require_exact
from toolscript.contract.tool import GlobalFunction, JsonSchema, Namespace, Tool
from toolscript.errors import ContractError
from toolscript.globals import globals_of, other_spellings, reserved_names
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
            *(Namespace(name, tuple(tools_from(group))) for name, group in named.items()),
        )
    if isinstance(tools, str | bytes) or not isinstance(tools, Iterable):
        raise ContractError(
            f"tools must be a list of tools or a mapping of namespace to tools, not {tools!r}"
        )
    loose: list[Any] = []
    grouped: list[Namespace] = []
    for item in cast("Iterable[Any]", tools):
        if isinstance(item, Namespace):
            grouped.append(replace(item, tools=tuple(tools_from(item.tools))))
        else:
            loose.append(item)
    return (Namespace("", tuple(tools_from(loose))), *grouped)


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
        warnings: what could not be offered or represented, and why.
    """

    profile: Profile
    namespaces: tuple[Namespace, ...]
    entries: tuple[Entry, ...]
    input: ProgramInput | None = None
    globals: tuple[GlobalFunction, ...] = ()
    shortcuts: Mapping[str, str] = field(default_factory=dict[str, str])
    warnings: tuple[str, ...] = ()

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
            [ToolGroup(group.name or None, group.tools) for group in namespaces],
            names=profile.names,
            clash=profile.clash,
            taken=ENGINE_GLOBALS | reserved_names(profile),
        )
        schema = input.schema if input else None
        if profile.schemas == "strict":
            require_exact(named.entries, schema)
        if profile.require_policy:
            require_bounded(named.entries)
        return cls(
            profile=profile,
            namespaces=tuple(namespaces),
            entries=named.entries,
            input=input,
            globals=tuple(globals),
            shortcuts=dict(shortcuts or {}),
            warnings=(*named.warnings, *schema_warnings(named.entries, schema)),
        )

    @property
    def tools(self) -> tuple[Tool, ...]:
        return tuple(entry.tool for entry in self.entries)

    @property
    def input_schema(self) -> JsonSchema | None:
        return self.input.schema if self.input else None

    @cached_property
    def manner(self) -> Manner:
        """How tools are written in declarations."""
        return Manner(
            exact=self.profile.schemas == "strict",
            string_argument=self.profile.schemas != "strict",
            envelope=self.profile.broker,
            effects=self.profile.require_policy,
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
    def shortcut_declarations(self) -> list[str]:
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
        return self._declared(every_name=False)

    @cached_property
    def checked(self) -> str:
        """The same for a type checker, with the other spellings that work as well."""
        return self._declared(every_name=True)

    def _declared(self, *, every_name: bool) -> str:
        builtins = [row.declaration for row in globals_of(self.profile)]
        spellings, members = other_spellings(self.profile) if every_name else ([], {})
        return declare_contract(
            self.entries,
            namespaces=self.namespaces,
            input_schema=self.input_schema,
            builtins=[*builtins, *spellings, *self.shortcut_declarations],
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
        return Catalog(self.entries)

    def search(self, query: str, limit: int = 8) -> list[dict[str, str]]:
        """The tools that fit a question best, each with its declaration."""
        return self.catalog.search(query, limit)

    def describe(self, name: str) -> str:
        """One tool's declaration, by expression, exact name or identifier."""
        return self.catalog.describe(name)

    def only(self, entries: Iterable[Entry]) -> Contract:
        """The same contract with fewer tools; their numbers stay."""
        return replace(self, entries=tuple(entries))
