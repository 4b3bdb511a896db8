"""A large value cut to a sample of itself, to say in bounded time what is wrong with it.

Whether a value fits costs nanoseconds a part; listing all that is wrong with 300,000 rows takes
half a minute. The rows of a list are alike: the first ones say what there is to say.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

_LARGE: Final = 2_000
"""Parts of a value, from which on it is explained by a sample."""
SAMPLES: Final = ((20, 100), (3, 10), (1, 3))
"""Items of a list and keys of an object that a sample keeps: the first that is small enough."""

_CHOICES: Final = frozenset({"anyOf", "oneOf"})
_MISLEADING: Final = frozenset({"contains", "minContains", "minProperties", "not", "if"})


@dataclass(frozen=True, slots=True)
class Traits:
    """What of a schema decides how a sample may be used.

    Attributes:
        names: every property that the schema names; a sample keeps them all.
        chooses: the schema has alternatives, each of which is explained at full length.
        misleads: a part may fit although the whole does not, or the other way round.
        least_items: most items that some list must have; a smaller sample misleads.
    """

    names: frozenset[str]
    chooses: bool
    misleads: bool
    least_items: int


def traits_of(schema: dict[str, Any] | bool) -> Traits:
    """The traits of a schema as the validator has it, which is plain dicts and lists."""
    names: set[str] = set()
    chooses = misleads = False
    least_items = 0
    work: list[Any] = [schema]
    while work:
        node = work.pop()
        if isinstance(node, list):
            work.extend(cast("list[Any]", node))
        if not isinstance(node, dict):
            continue
        parts = cast("dict[str, Any]", node)
        chooses = chooses or not _CHOICES.isdisjoint(parts)
        misleads = misleads or not _MISLEADING.isdisjoint(parts)
        least = parts.get("minItems")
        least_items = max(least_items, least) if isinstance(least, int) else least_items
        for word in ("properties", "required", "dependentRequired", "dependentSchemas"):
            found = parts.get(word)
            if isinstance(found, Mapping | list):
                names.update(str(name) for name in cast("list[Any]", found))
        work.extend(parts.values())
    return Traits(frozenset(names), chooses, misleads, least_items)


def is_large(value: Any) -> bool:
    """Whether a value has more parts than can be explained one by one."""
    left = _LARGE
    work: list[Any] = [value]
    while work:
        node = work.pop()
        if not isinstance(node, dict | list):
            continue
        left -= len(cast("dict[str, Any] | list[Any]", node))
        if left < 0:
            return True
        work.extend(
            cast("dict[str, Any]", node).values()
            if isinstance(node, dict)
            else cast("list[Any]", node)
        )
    return False


def sampled(value: Any, names: frozenset[str], items: int, keys: int) -> Any:
    """The value with the first items of its lists and the first keys of its objects.

    Keys in `names` are all kept. Values are as nested as the host lets them be. None where the
    sample is large itself.
    """
    holder: list[Any] = [value]
    work: list[Any] = [holder]
    left = _LARGE
    while work:
        target = work.pop()
        for slot in _slots(target):
            child: Any = target[slot]
            if isinstance(child, dict):
                child = _first_keys(cast("dict[str, Any]", child), names, keys)
            elif isinstance(child, list):
                child = cast("list[Any]", child)[:items]
            else:
                continue
            left -= len(cast("dict[str, Any] | list[Any]", child))
            if left < 0:
                return None
            target[slot] = child
            work.append(child)
    return holder[0]


def _slots(container: Any) -> list[Any]:
    """The indices of a list, the keys of an object."""
    if isinstance(container, list):
        return list(range(len(cast("list[Any]", container))))
    return list(cast("dict[str, Any]", container))


def _first_keys(found: dict[str, Any], names: frozenset[str], most: int) -> dict[str, Any]:
    if len(found) <= most:
        return dict(found)
    kept = {key: found[key] for key in names if key in found}
    most += len(kept)
    for key, one in found.items():
        if len(kept) >= most:
            break
        kept[key] = one
    return kept
