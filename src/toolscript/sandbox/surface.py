"""What the guest builds its globals from: names and indices, no schemas, no policies."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field


@dataclass(frozen=True, slots=True)
class Member:
    """A callable of a namespace: the exact `name`, the `identifier`, and the host's index."""

    name: str
    identifier: str
    index: int
    string_argument: str | None = None
    """The property that a bare string argument fills."""


@dataclass(frozen=True, slots=True)
class Group:
    """An object of callables. The group named `tools` holds tools without a namespace."""

    name: str
    members: tuple[Member, ...]
    error_class: tuple[str, str] | None = None
    """Name of the error class and of the property that holds the member's name."""


@dataclass(frozen=True, slots=True)
class Helper:
    """A host function that is a global, `name` or `namespace.member`; not recorded as a call."""

    name: str
    spread: bool = False
    """The host gets all arguments as an array instead of the first one."""


@dataclass(frozen=True, slots=True)
class Surface:
    """Everything that a script can see.

    Attributes:
        groups: tools by namespace; `tools` first.
        builtins: names from the globals table that exist in this profile.
        helpers: extra globals answered by the host.
        shortcuts: global name → index of the tool that it calls.
        hints: advice for members of `tools` that do not exist but that models ask for.
        options: switches of the guest library (see the guest's own files).
    """

    groups: tuple[Group, ...] = ()
    builtins: tuple[str, ...] = ()
    helpers: tuple[Helper, ...] = ()
    shortcuts: dict[str, int] = field(default_factory=dict[str, int])
    hints: dict[str, str] = field(default_factory=dict[str, str])
    options: dict[str, bool | int | str] = field(default_factory=dict[str, bool | int | str])

    def to_json(self) -> str:
        return json.dumps(asdict(self), separators=(",", ":"))
