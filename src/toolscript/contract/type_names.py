"""Names of the types that a declaration file declares besides its tools."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final, Literal

from toolscript.contract.names import ENGINE_GLOBALS, words

# Types of TypeScript's own library and of the declarations around the tools. A type of the same
# name would hide one of them or clash with it.
_LIBRARY_TYPES: Final = ENGINE_GLOBALS | words(
    """
    AgentProgram AgentProgramScope AsyncGenerator AsyncIterable AsyncIterableIterator AsyncIterator
    Awaited CallToolResult Capitalize CodeModeConsole ConstructorParameters Exact Exclude Extract
    Generator IArguments InstanceType Iterable IterableIterator JsonValue Lowercase NoInfer
    NonNullable Omit OmitThisParameter Parameters Partial Pick PromiseLike PropertyDescriptor
    PropertyKey Readonly ReadonlyArray ReadonlyMap ReadonlySet Record RegExpExecArray
    RegExpMatchArray Required ReturnType TemplateStringsArray TextDecoder TextEncoder
    ThisParameterType ThisType ToolError ToolErrorCode Tools URL URLSearchParams Uncapitalize
    Uppercase
    """
)

_WORD: Final = re.compile(r"[A-Za-z0-9]+")


def type_name(text: str) -> str:
    """The text as a type name: `screen_instance` → `ScreenInstance`; empty where nothing is left."""
    words = [word for word in _WORD.findall(text[:80]) if word]
    joined = "".join(word[0].upper() + word[1:] for word in words)
    return f"T{joined}" if joined[:1].isdigit() else joined


class TypeNames:
    """The named types of one declaration file: each name once, equal types once.

    `repeated` are the identities of definitions that other documents of the file hold as well.
    """

    def __init__(self, taken: Iterable[str] = (), repeated: frozenset[int] = frozenset()) -> None:
        self.repeated = repeated
        self._taken = _LIBRARY_TYPES.union(taken)
        self._declared: dict[str, str] = {}
        self._numbers: dict[str, int] = {}

    def candidates(self, hint: str, owner: str) -> Iterator[str]:
        """Names for a type, the best first, without end: its own, with its owner's, numbered."""
        base = type_name(hint)
        if base:
            yield base
        longer = f"{owner}{base or 'Part'}" if base != owner else f"{owner}Type"
        yield longer
        while True:
            number = self._numbers.get(longer, 1) + 1
            self._numbers[longer] = number
            yield f"{longer}{number}"

    def claim(
        self, declarations: Mapping[str, str], granted: Collection[str] = ()
    ) -> Literal["new", "same", "taken"]:
        """Declare types that belong together, unless a name of theirs means something else.

        `granted` are names that may be claimed although they are taken: the file's own.
        """
        if any(name in self._taken and name not in granted for name in declarations):
            return "taken"
        known = [name for name in declarations if name in self._declared]
        if not known:
            self._declared.update(declarations)
            return "new"
        same = all(self._declared.get(name) == text for name, text in declarations.items())
        return "same" if same else "taken"

    def named(self, text: str, hint: str) -> str:
        """A name for a type that is written more than once; the text itself where it is a name."""
        if text.isidentifier():
            return text
        for name in self.candidates(hint, hint):
            if self.claim({name: f"type {name} = {text};"}) != "taken":
                return name
        raise AssertionError("there is always another name")

    @property
    def declarations(self) -> list[str]:
        return list(self._declared.values())

    def mark(self) -> int:
        return len(self._declared)

    def chars_since(self, mark: int) -> int:
        return sum(len(text) for text in self.declarations[mark:])

    def forget_since(self, mark: int) -> None:
        """Take back what was claimed since the mark."""
        for name in list(self._declared)[mark:]:
            del self._declared[name]
