"""What a parameter takes, and the sentence for whoever gave it something else.

Every public constructor and function checks what it was given here, so that a mistake is told
where it was made and not by what breaks later. Inside, types are trusted.
"""

from __future__ import annotations

import difflib
import functools
import inspect
import math
from collections.abc import Callable, Collection, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, fields
from typing import Any, Final, TypeVar, cast

from toolscript.errors import ConfigurationError

T = TypeVar("T")

_SHOWN_CHARS: Final = 40


def _nothing(value: Any) -> str:
    return ""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What one parameter takes.

    Attributes:
        words: continue "takes": "a Policy".
        fits: whether a value is that.
        instead: what to write in the place of a value that was meant well; "" if that is not
            known.
        optional: whether None does as well.
    """

    words: str
    fits: Callable[[Any], bool]
    instead: Callable[[Any], str] = _nothing
    optional: bool = False

    def takes(self, value: Any) -> bool:
        return self.fits(value) or (self.optional and value is None)


def check(where: str, wanted: Wanted, value: Any) -> None:
    """Refuse a value that a parameter does not take. `where` reads like `CodeMode(policy=)`.

    Raises:
        ConfigurationError: with what came, what is wanted, and how to write it.
    """
    if wanted.takes(value):
        return
    instead = wanted.instead(value)
    raise ConfigurationError(
        f"{where} takes {wanted.words}{' or None' if wanted.optional else ''}, not "
        f"{described(value)}{f'; write {instead}' if instead else ''}"
    )


def check_fields(obj: Any, wanted: Mapping[str, Wanted]) -> None:
    """`check` of the fields of a dataclass that is being made."""
    owner = type(obj).__name__
    for name, what in wanted.items():
        value = getattr(obj, name)
        if not what.takes(value):
            check(f"{owner}({name}=)", what, value)


def frozen_names(obj: Any, *names: str) -> None:
    """Make frozen sets of the fields of a dataclass that were given as lists or sets of names."""
    for name in names:
        value = getattr(obj, name)
        if isinstance(value, list | tuple | AbstractSet) and not isinstance(value, frozenset):
            object.__setattr__(obj, name, frozenset(cast("Collection[Any]", value)))


def made_from(kind: type[T], given: Any, where: str) -> T:
    """A dataclass, or one made from a mapping of some of its fields.

    Raises:
        ConfigurationError: for anything else, and for a field that does not exist.
    """
    if not isinstance(given, Mapping):
        check(where, a(kind), given)
        return given
    values = cast("Mapping[Any, Any]", given)
    known = [item.name for item in fields(cast(Any, kind))]
    for name in values:
        if name not in known:
            raise ConfigurationError(
                f"{where}: {kind.__name__} has no field {name!r}{nearest(str(name), known)}; its "
                f"fields are {', '.join(known)}"
            )
    return kind(**values)


def check_keywords(
    owner: Callable[..., Any], given: Collection[str], options: Collection[str]
) -> None:
    """Refuse keywords that neither a constructor nor its `**options` know.

    Args:
        owner: the class or function, whose own parameters are named as well.
        given: names of what came as `**options`.
        options: names that those may have.

    Raises:
        ConfigurationError: for the first, with all names that are known.
    """
    unknown = [name for name in given if name not in options]
    if not unknown:
        return
    own = [
        name
        for name, parameter in inspect.signature(owner).parameters.items()
        if parameter.kind is not inspect.Parameter.VAR_KEYWORD
    ]
    known = [*own, *sorted(set(options) - set(own))]
    raise ConfigurationError(
        f"{owner.__name__}() takes no {unknown[0]!r}{nearest(unknown[0], known)}; it takes "
        f"{', '.join(known)}"
    )


def tells_names(kind: type[T]) -> type[T]:
    """A class whose constructor names all that it takes to whoever misspells a keyword.

    It raises Python's own `TypeError`, which tells no names by itself.
    """
    make: Callable[..., None] = kind.__init__
    taken = [name for name in inspect.signature(make).parameters if name != "self"]
    known = frozenset(taken)

    @functools.wraps(make)
    def __init__(self: Any, *args: Any, **given: Any) -> None:
        if not known.issuperset(given):
            wrong = next(name for name in given if name not in known)
            raise TypeError(
                f"{kind.__name__}() takes no {wrong!r}{nearest(wrong, taken)}; it takes "
                f"{', '.join(taken)}"
            )
        make(self, *args, **given)

    type.__setattr__(kind, "__init__", __init__)
    return kind


def names_in(where: str, given: Any) -> frozenset[str]:
    """A list or set of names as a set. One string is refused: it would count letter by letter.

    Raises:
        ConfigurationError: for anything else.
    """
    check(where, _NAME_LIST, given)
    return frozenset(cast("Collection[str]", given))


def described(value: Any) -> str:
    """A value as a message shows it: what it is, and no more of it than tells which one it was."""
    if value is None or isinstance(value, bool | int | float):
        return repr(value)[:_SHOWN_CHARS]
    if isinstance(value, str):
        more = "…" if len(value) > _SHOWN_CHARS else ""
        return f"the string {value[:_SHOWN_CHARS]!r}{more}"
    if inspect.isclass(value):
        return f"the class {value.__name__}"
    name = getattr(value, "__name__", None)
    if callable(value) and isinstance(name, str):
        return f"the function {name}"
    kind = cast("type[object]", type(value))
    if kind.__module__ == "builtins":
        return f"a value of type {kind.__name__}"
    return f"an object of type {kind.__module__}.{kind.__qualname__}"


def nearest(name: str, known: Collection[str]) -> str:
    """`, did you mean 'x'?` where one of the names is near, else nothing."""
    found = difflib.get_close_matches(name, known, n=1)
    return f" (did you mean {found[0]!r}?)" if found else ""


def a(*kinds: type[Any], words: str = "", instead: Callable[[Any], str] = _nothing) -> Wanted:
    """An instance of one of some classes."""

    def mended(value: Any) -> str:
        if inspect.isclass(value) and issubclass(value, kinds):
            return f"an instance, {value.__name__}(...)"
        return instead(value)

    return Wanted(words or _named(kinds), lambda value: isinstance(value, kinds), mended)


def one_of(*words: str) -> Wanted:
    """One of some words."""
    return Wanted(f"one of {', '.join(map(repr, words))}", lambda value: value in words)


def maybe(wanted: Wanted) -> Wanted:
    """The same, or None."""
    return Wanted(wanted.words, wanted.fits, wanted.instead, optional=True)


def whole(least: int) -> Wanted:
    """A whole number from `least` on."""
    return Wanted(
        f"a whole number from {least} on",
        lambda value: INTEGER.fits(value) and value >= least,
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _is_names(value: Any) -> bool:
    return isinstance(value, frozenset) and all(
        isinstance(item, str) for item in cast("frozenset[Any]", value)
    )


def _is_name_list(value: Any) -> bool:
    return isinstance(value, list | tuple | AbstractSet) and all(
        isinstance(item, str) for item in cast("Collection[Any]", value)
    )


def _in_a_list(value: Any) -> str:
    return f"[{value!r}]" if isinstance(value, str) and len(value) <= _SHOWN_CHARS else ""


def _in_a_set(value: Any) -> str:
    return f"{{{value!r}}}" if isinstance(value, str) and len(value) <= _SHOWN_CHARS else ""


def _named(kinds: tuple[type[Any], ...]) -> str:
    return " or ".join(
        f"{'an' if kind.__name__[0] in 'AEIOU' else 'a'} {kind.__name__}" for kind in kinds
    )


TEXT: Final = a(str, words="a string")
NAME: Final = Wanted(
    "a string that is not empty", lambda value: isinstance(value, str) and value != ""
)
FLAG: Final = a(bool, words="True or False")
NUMBER: Final = Wanted("a number", _is_number)
SECONDS: Final = Wanted("a number of seconds above 0", lambda v: _is_number(v) and v > 0)
INTEGER: Final = Wanted(
    "a whole number", lambda value: isinstance(value, int) and not isinstance(value, bool)
)
FUNCTION: Final = Wanted("a function", callable)
MAPPING: Final = a(Mapping, words="a mapping")
NAMES: Final = Wanted("a set of names", _is_names, _in_a_set)
_NAME_LIST: Final = Wanted("a list of names", _is_name_list, _in_a_list)
SCHEMA: Final = a(Mapping, bool, words="a JSON Schema (a mapping, or True or False)")
