"""What `CodeMode` and its runs are given: each part checked, with advice for what comes near.

What is only odd, and may be meant, gets a Python warning: the engine works as documented then.
"""

from __future__ import annotations

import inspect
import os
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Final, cast

from toolscript.contract.contract import Contract
from toolscript.contract.tool import GlobalFunction
from toolscript.errors import ConfigurationError
from toolscript.given import (
    FUNCTION,
    MAPPING,
    NAME,
    NUMBER,
    TEXT,
    Wanted,
    a,
    check,
    maybe,
    nearest,
    whole,
)
from toolscript.host.cancel import CancelToken
from toolscript.host.limits import Limits
from toolscript.host.policy import Authority, Policy
from toolscript.host.values import NotJson, json_text
from toolscript.jsontext import loads
from toolscript.profiles import Profile
from toolscript.result import Unset
from toolscript.sandbox.runtime import Runtime

_JOURNAL_METHODS: Final = ("create", "load", "claim", "append", "settle", "stored_runs")
_RUNTIMES: Final = {
    "quickjs": "QuickJSRuntime()",
    "inline": "InlineRuntime()",
    "node": "NodeRuntime()",
}


def _as_policy(value: Any) -> str:
    if not callable(value):
        return ""
    return f'Policy({getattr(value, "__name__", "function")}, version="1")'


def _as_runtime(value: Any) -> str:
    return _RUNTIMES.get(value.lower(), "") if isinstance(value, str) else ""


def _as_journal(value: Any) -> str:
    if not isinstance(value, str | os.PathLike):
        return ""
    return f"SQLiteJournal({str(cast('Any', value))[:60]!r})"


def _is_journal(value: Any) -> bool:
    return not inspect.isclass(value) and all(
        callable(getattr(value, name, None)) for name in _JOURNAL_METHODS
    )


def _as_authority(value: Any) -> str:
    if isinstance(value, str):
        return f"Authority(principal={value[:60]!r})"
    if isinstance(value, set | frozenset | list | tuple):
        return "Authority(capabilities={...})"
    return ""


def _as_keyword(value: Any) -> str:
    return "authority=..., by its name" if isinstance(value, Authority) else ""


def _is_globals(value: Any) -> bool:
    return isinstance(value, list | tuple) and all(
        isinstance(item, GlobalFunction) for item in cast("Iterable[Any]", value)
    )


def _as_globals(value: Any) -> str:
    items = cast("list[Any]", value if isinstance(value, list | tuple) else [value])
    return ", ".join(
        item.name if isinstance(item, GlobalFunction) else f'GlobalFunction("{name}", {name})'
        for item in items[:1]
        if isinstance(item, GlobalFunction) or callable(item)
        for name in (getattr(item, "__name__", "name"),)
    )


def _texts(value: Any) -> bool:
    return isinstance(value, Mapping) and all(
        isinstance(item, str) for pair in cast("Mapping[Any, Any]", value).items() for item in pair
    )


AUTHORITY: Final = maybe(a(Authority, instead=_as_authority))

CODE_TOOL: Final[Mapping[str, Wanted]] = {
    "name": NAME,
    "description": maybe(TEXT),
    "prompt_tokens": maybe(whole(1)),
    "result_tokens": maybe(whole(1)),
    "authority": Wanted(
        "an Authority or None, or a function that gives one",
        lambda value: AUTHORITY.takes(value) or callable(value),
        AUTHORITY.instead,
    ),
    "approver": maybe(
        Wanted(
            "a name, or a function that gives one",
            lambda value: isinstance(value, str) or callable(value),
        )
    ),
}
"""What code tools of all frameworks take besides tools and parts of an engine."""

_ENGINE: Final[Mapping[str, Wanted]] = {
    "profile": a(str, Profile, words="the name of a profile, or a Profile"),
    "runtime": maybe(a(Runtime, instead=_as_runtime)),
    "limits": maybe(a(Limits, Mapping, words="a Limits, or a mapping of some limits")),
    "policy": maybe(a(Policy, instead=_as_policy)),
    "approve": maybe(Wanted("a function that gets a Pending and gives an answer", callable)),
    "journal": maybe(Wanted("a journal", _is_journal, _as_journal)),
    "modules": maybe(Wanted("a mapping of module name to source", _texts)),
    "globals": maybe(Wanted("a list of GlobalFunction", _is_globals, _as_globals)),
    "shortcuts": maybe(Wanted("a mapping of global name to tool name", _texts)),
    "tool_hints": maybe(Wanted("a mapping of tool name to advice", _texts)),
    "on_event": maybe(Wanted("a function that gets an event", callable)),
    "redact": maybe(Wanted("a function redact(tool, value)", callable)),
}

_RUN: Final[Mapping[str, Wanted]] = {
    "source": Wanted(
        "the text of a script",
        lambda value: isinstance(value, str),
        lambda value: "source.decode()" if isinstance(value, bytes) else "",
    ),
    "store": maybe(
        Wanted(
            "a mapping with strings as keys",
            lambda value: MAPPING.takes(value) and all(isinstance(key, str) for key in value),
        )
    ),
    "authority": AUTHORITY,
    "timeout": maybe(
        Wanted("a number of seconds", lambda value: isinstance(value, Unset) or NUMBER.fits(value))
    ),
    "run_id": maybe(NAME),
    "cancel": maybe(a(CancelToken)),
    "on_event": maybe(FUNCTION),
    "max_tokens": maybe(replace(whole(1), instead=_as_keyword)),
    "namespace": maybe(TEXT),
}


ENGINE_PARTS: Final = frozenset(_ENGINE)


def check_engine(**given: Any) -> None:
    """Refuse parts of an engine that are of the wrong kind.

    Raises:
        ConfigurationError: for the first.
    """
    for name, value in given.items():
        check(f"CodeMode({name}=)", _ENGINE[name], value)


def check_call(method: str, **given: Any) -> None:
    """Refuse what a method of an engine does not take.

    Raises:
        ConfigurationError: for the first.
    """
    for name, value in given.items():
        wanted = _RUN[name]
        # Runs are many: the words for a mistake are made only where there is one.
        if not wanted.takes(value):
            check(f"{method}({name}=)", wanted, value)


def stored_values(store: Mapping[str, Any] | None) -> dict[str, Any]:
    """What `load` sees, as JSON values.

    Raises:
        ConfigurationError: for a value that has no JSON form, with its place.
    """
    found: dict[str, Any] = {}
    for key, value in (store or {}).items():
        try:
            found[key] = loads(json_text(value).text)
        except NotJson as error:
            problem = str(error).removeprefix("$")
            raise ConfigurationError(f"store= takes JSON values: $.{key}{problem}") from error
    return found


def warn_of_parts(contract: Contract, profile: Profile, policy: Policy | None) -> None:
    """Warn of parts that will do nothing, or refuse everything, as they were put together."""
    if profile.require_policy and policy is None and contract.entries:
        _warn(
            f"profile {profile.name!r} calls no tool without a policy, and there is none: every "
            "call will be denied; pass policy=Policy(authorize, version=...)"
        )
    known = [name for one in contract.entries for name in (one.tool.name, one.expression)]
    for name, tool in contract.shortcuts.items():
        if name not in contract.shortcut_targets:
            _warn(
                f"shortcut {name!r} is not defined: there is no tool {tool!r}{nearest(tool, known)}"
            )


def _warn(text: str) -> None:
    warnings.warn(text, stacklevel=4)
