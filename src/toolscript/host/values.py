"""Python values as JSON text.

What has an obvious JSON form gets it: models, dataclasses, enums, dates, identifiers, decimals,
paths, bytes, sets. What has none is refused with its place in the value; nothing is changed
silently. Plain data goes through the fastest encoder, other data through the standard one; only
a value that both refuse is walked here, to find the place.
"""

from __future__ import annotations

import base64
import dataclasses
import enum
import json
import math
import os
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any, Final, cast

import orjson

from toolscript.contract.problems import path_text
from toolscript.contract.tool import ToolValue
from toolscript.jsonscan import NESTING, deeper_than, holds_bigint
from toolscript.jsontext import escape_lone_surrogates

_ONLY_PLAIN: Final = (
    orjson.OPT_PASSTHROUGH_SUBCLASS
    | orjson.OPT_PASSTHROUGH_DATACLASS
    | orjson.OPT_PASSTHROUGH_DATETIME
)

Path = tuple[str | int, ...]


class _NoForm(TypeError):
    """A value stands for nothing in JSON; the message is ours."""


class NotJson(Exception):
    """A value has no JSON form; the message names the place: `$.rows[3].when: ...`."""


@dataclass(frozen=True, slots=True)
class JsonText:
    """A value as JSON text.

    Attributes:
        text: compact JSON, without lone surrogates.
        size: its length in UTF-8 bytes.
        bigints: whether it holds integers that a double cannot hold.
        face: what printing the value shows instead, for a `ToolValue`.
    """

    text: str
    size: int
    bigints: bool = False
    face: str | None = None


def json_text(value: Any, *, sort_keys: bool = False) -> JsonText:
    """The JSON text of any Python value that has a JSON form.

    Raises:
        NotJson: for a value that has none, with the path to the culprit.
    """
    face = None
    if isinstance(value, ToolValue):
        face = value.text
        value = value.value
    plain = _plain_json(value, sort_keys)
    if plain is not None:
        data, bigints = plain
        return JsonText(data.decode(), len(data), bigints, face)
    try:
        text = (_SORTED if sort_keys else _PLAIN).encode(value)
        _KEYS.decode(text)
    except Exception:
        # The encoder says neither where nor, for keys, what to do: the walk does.
        text = _walk(value, sort_keys)
    if not text.isascii():
        text = escape_lone_surrogates(text)
    data = text.encode()
    if deeper_than(data, NESTING):
        # Refused by the walk, which names the place.
        _walk(value, sort_keys)
    return JsonText(text, len(data), holds_bigint(data), face)


def _plain_json(value: Any, sort_keys: bool) -> tuple[bytes, bool] | None:
    """JSON of a value of JSON's own types and whether it holds bigints; None for other values.

    The encoder takes 254 levels at most and refuses subclasses, keys that are no strings and
    lone surrogates. It takes enums and UUIDs as the rules here do.
    """
    option = _ONLY_PLAIN | (orjson.OPT_SORT_KEYS if sort_keys else 0)
    bigints = False
    try:
        data = orjson.dumps(value, option=option | orjson.OPT_STRICT_INTEGER)
    except TypeError as error:
        if not str(error).startswith("Integer exceeds"):
            return None
        try:
            data = orjson.dumps(value, option=option)
        except TypeError:
            return None
        bigints = holds_bigint(data)
    try:
        # It writes null for what is no finite number.
        if b"null" in data and orjson.loads(data) != value:
            return None
    except RecursionError:
        return None
    return data, bigints


def _converted(value: object) -> Any:
    """One step towards JSON: what a value that JSON does not know stands for.

    Raises:
        _NoForm: if it stands for nothing.
    """
    if isinstance(value, ToolValue):
        return value.value
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, os.PathLike):
        return os.fspath(cast("os.PathLike[str]", value))
    if isinstance(value, bytes | bytearray | memoryview):
        return base64.b64encode(cast("bytes", value)).decode()
    if isinstance(value, Mapping):
        return {_key(key): item for key, item in cast("Mapping[Any, Any]", value).items()}
    if isinstance(value, Set):
        items = list(cast("Set[Any]", value))
        try:
            # The order of a set of strings changes from process to process.
            return sorted(items)
        except TypeError:
            return items
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        if hasattr(value, "__pydantic_serializer__"):
            return _by_pydantic(value)
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, Sequence):
        return list(cast("Sequence[Any]", value))
    to_list = getattr(value, "tolist", None)
    if to_list is not None and type(value).__module__.partition(".")[0] == "numpy":
        return to_list()
    return _by_pydantic(value)


def _by_pydantic(value: Any) -> Any:
    from pydantic_core import PydanticSerializationError, to_jsonable_python

    if callable(value) or isinstance(value, type):
        raise _NoForm(_no_form(value))
    if type(value).__name__ in ("generator", "async_generator", "coroutine"):
        raise _NoForm(_no_form(value))
    try:
        return to_jsonable_python(
            value, by_alias=True, bytes_mode="base64", inf_nan_mode="constants"
        )
    except PydanticSerializationError as error:
        raise _NoForm(_no_form(value)) from error


def _no_form(value: Any) -> str:
    kind: type[Any] = cast(Any, type(value))
    where = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
    return f"{where}{kind.__qualname__} has no JSON form"


def _key(key: Any) -> str | int | float | bool | None:
    """A key of a mapping as JSON can take it.

    Raises:
        _NoForm: for a key that is no single value.
    """
    if key is None or isinstance(key, str | int | float):
        return cast("str | int | float | bool | None", key)
    converted = _converted(key)
    if converted is None or isinstance(converted, str | int | float):
        return converted
    raise _NoForm(f"a key of type {type(key).__name__} has no JSON form")


_PLAIN = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_converted
)
_SORTED = json.JSONEncoder(
    ensure_ascii=False,
    allow_nan=False,
    separators=(",", ":"),
    default=_converted,
    sort_keys=True,
)


def _distinct(pairs: list[tuple[str, Any]]) -> None:
    if len(dict(pairs)) < len(pairs):
        raise ValueError("two keys of an object are the same text")


# Keys that are no strings may become the same text, which nothing else here sees.
_KEYS = json.JSONDecoder(object_pairs_hook=_distinct)


@dataclass(slots=True)
class _Open:
    """An array or object that is being written."""

    identity: int
    items: list[tuple[str | int, Any]]
    is_object: bool
    next: int = 0


def _walk(value: Any, sort_keys: bool) -> str:
    """The JSON text of a value, written without recursion.

    Raises:
        NotJson: with the place of the first part that has no JSON form.
    """
    parts: list[str] = []
    open_: list[_Open] = []
    held: list[Any] = []  # Keeps what was converted alive, so that identities stay unique.
    current = value
    while True:
        path = tuple(level.items[level.next - 1][0] for level in open_)
        current = _scalar_or_container(current, path)
        if isinstance(current, dict | list):
            current = cast("dict[Any, Any] | list[Any]", current)
            held.append(current)
            if any(level.identity == id(current) for level in open_):
                raise _refusal(path, "contains itself, and JSON has no cycles")
            if len(open_) == NESTING:
                raise _refusal(path[:8], f"is nested deeper than {NESTING} levels")
            level = _opened(current, path, sort_keys)
            parts.append("{" if level.is_object else "[")
            open_.append(level)
        else:
            parts.append(_scalar(current, path))
        while open_ and open_[-1].next == len(open_[-1].items):
            parts.append("}" if open_.pop().is_object else "]")
        if not open_:
            return "".join(parts)
        level = open_[-1]
        if level.next:
            parts.append(",")
        key, current = level.items[level.next]
        level.next += 1
        if level.is_object:
            parts.append(json.dumps(key, ensure_ascii=False) + ":")


def _scalar_or_container(value: Any, path: Path) -> Any:
    """The value, converted until JSON knows it."""
    for _ in range(8):
        if value is None or isinstance(value, str | int | float | dict | list):
            return cast(Any, value)
        if isinstance(value, tuple):
            return list(cast("tuple[Any, ...]", value))
        try:
            value = _converted(value)
        except _NoForm as error:
            raise _refusal(path, str(error)) from error
        except Exception as error:
            # A model's own serialiser may raise anything, and say anything.
            raise _refusal(path, f"cannot be serialised: {type(error).__name__}") from error
    raise _refusal(path, _no_form(value))


def _opened(value: Any, path: Path, sort_keys: bool) -> _Open:
    if isinstance(value, list):
        items = cast("list[Any]", value)
        return _Open(id(items), list(enumerate(items)), is_object=False)
    mapping = cast("dict[Any, Any]", value)
    pairs: list[tuple[str | int, Any]] = []
    for key, item in mapping.items():
        try:
            name = _key(key)
        except _NoForm as error:
            raise _refusal(path, str(error)) from error
        except Exception as error:
            raise _refusal(path, f"a key of type {type(key).__name__} has no JSON form") from error
        if not isinstance(name, str):
            name = _scalar(name, path)
        pairs.append((str(name), item))
    seen: set[str | int] = set()
    for name, _ in pairs:
        if name in seen:
            raise _refusal(path, f"two keys become {name!r} in JSON")
        seen.add(name)
    if sort_keys:
        pairs.sort(key=lambda pair: str(pair[0]))
    return _Open(id(mapping), pairs, is_object=True)


def _scalar(value: Any, path: Path) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        raise _refusal(path, f"{'NaN' if value != value else 'an infinity'} has no JSON form")
    try:
        return json.dumps(value, ensure_ascii=False)
    except ValueError as error:
        raise _refusal(path, "an integer of more digits than Python writes") from error


def _refusal(path: Path, problem: str) -> NotJson:
    return NotJson(f"{path_text(path, '$')}: {problem}")
