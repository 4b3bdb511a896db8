"""What a model reads back from a run: short, whole, and honest about what was cut."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Any, Final, cast

from toolscript import jsontext
from toolscript.shape import shape_of

if TYPE_CHECKING:
    from toolscript.result import OutputItem, RunResult

CHARS_PER_TOKEN: Final = 4
"""How characters are turned into tokens everywhere here: an estimate, on the safe side."""

_MOST_SHAPES: Final = 3

_UNKNOWN: Final = "Somebody has to say what became of these calls before the run goes on:"

_SHORTENED: Final = (
    "[Only this text was shortened to fit: inside the script all data was complete. "
    "To see more, return less: select, aggregate, or page through it.]"
)


def render_text(result: RunResult, max_tokens: int | None = None) -> str:
    """The text of a result: value, then output, then what failed and what took effect.

    A run that only returned a value is exactly that value: a string as it is, anything else as
    its JSON. `max_tokens` bounds all of it together. The text is never empty.
    """
    return jsontext.escape_lone_surrogates(_fitted(result, max_tokens))


def _fitted(result: RunResult, max_tokens: int | None) -> str:
    value = _value_text(result) if result.has_value else ""
    printed = "\n".join(_item_text(item) for item in result.output)
    ending = "\n\n".join(
        part for part in (_failure(result), _pending(result), *_notes(result)) if part
    )
    if result.ok and not value and not printed:
        return _joined(_nothing(result), "", ending)
    whole = _joined(value, printed, ending)
    if max_tokens is None or len(whole) <= max_tokens * CHARS_PER_TOKEN:
        return whole
    # What failed is short and matters most; output and value share what is left of the budget.
    room = max(max_tokens * CHARS_PER_TOKEN - len(_SHORTENED) - 16, 0)
    ending = shorten_string(ending, max(room // 2, 0)) if ending else ""
    room -= len(ending)
    if value:
        share = room - min(len(printed), room // 2)
        if len(value) > share:
            is_text = result.value_text is not None or isinstance(result.value, str)
            value = shorten_string(value, share) if is_text else _fitting(result.value, share)
        room -= len(value)
    if len(printed) > room:
        printed = _shorten_output(result.output, max(room, 0))
    return _joined(value, printed, _joined(_SHORTENED, "", ending))


def _fitting(value: Any, most: int) -> str:
    """A value cut by its structure, and where that takes more than `most`, as its text."""
    aim = most
    while aim > 40:
        text = _shorten(value, aim)
        if len(text) <= most:
            return text
        # Marks of what was left out take room too: the more of them, the more.
        aim = aim * 3 // 4
    return shorten_string(jsontext.dumps(value), most)


def _joined(value: str, printed: str, ending: str) -> str:
    output = f"Output:\n{printed}" if value and printed else printed
    return "\n\n".join(part for part in (value, output, ending) if part)


def _nothing(result: RunResult) -> str:
    if result.has_value:
        return "(the script returned an empty string)"
    return (
        "(the script completed and returned nothing, or undefined; "
        "use `return` or console.log to see a result)"
    )


def _value_text(result: RunResult) -> str:
    if result.value_text is not None:
        return result.value_text
    return result.value if isinstance(result.value, str) else jsontext.dumps(result.value)


def _failure(result: RunResult) -> str:
    error = result.error
    if error is None:
        return ""
    named = f"{error.name}: " if error.name and not error.message.startswith(error.name) else ""
    lines = [f"Error ({error.kind}): {named}{error.message}"]
    if error.line is not None:
        where = f"line {error.line}" + (f", column {error.column}" if error.column else "")
        lines.append(f"at {where}" + (":" if error.excerpt else ""))
    if error.excerpt:
        lines.append(error.excerpt)
    if error.hint:
        lines.append(f"Hint: {error.hint}")
    if error.name == "TypeError":
        lines += _shapes(result)
    done = Counter(
        f"{call.namespace}.{call.tool}" if call.namespace else call.tool
        for call in result.calls
        if call.status == "ok" and not call.read_only
    )
    if done:
        listed = ", ".join(
            f"{name} ×{count}" if count > 1 else name for name, count in done.items()
        )
        lines.append(f"Completed before that; what these calls changed is not undone: {listed}")
    return "\n".join(lines)


def _shapes(result: RunResult) -> list[str]:
    """What the tools really returned: most type errors of scripts are wrong ideas of that."""
    last = {call.tool: shape_of(call.result) for call in result.calls if call.status == "ok"}
    return [f"{tool} returned {shape}" for tool, shape in list(last.items())[-_MOST_SHAPES:]]


def _pending(result: RunResult) -> str:
    if not result.pending:
        return ""
    is_unknown = result.error is not None and result.error.kind == "unknown_outcome"
    lines = [_UNKNOWN if is_unknown else "Paused: these calls wait for approval:"]
    for item in result.pending:
        name = f"{item.namespace}.{item.tool}" if item.namespace else item.tool
        lines.append(
            f"- {name}({_shorten(item.as_shown().args, 400)})"
            + (f": {item.reason}" if item.reason else "")
        )
    return "\n".join(lines)


def _notes(result: RunResult) -> list[str]:
    return [f"Warning: {warning}" for warning in result.warnings]


def _item_text(item: OutputItem) -> str:
    if item.type == "value":
        return item.value if isinstance(item.value, str) else jsontext.dumps(item.value)
    if item.type == "image":
        return f"[image: {item.mime_type}]"
    return item.text


def _shorten_output(output: tuple[OutputItem, ...], budget: int) -> str:
    """The output items that fit, whole, from both ends, with the number left out."""
    texts = [_item_text(item) for item in output]
    if len(texts) == 1:
        return shorten_string(texts[0], budget)
    head: list[str] = []
    tail: list[str] = []
    left = budget - 40
    first, last = 0, len(texts) - 1
    while first <= last:
        from_head = len(head) <= 2 * len(tail)
        text = texts[first] if from_head else texts[last]
        if len(text) + 1 > left:
            if not head and not tail and left > 80:
                head.append(shorten_string(text, left))
                first += 1
            break
        left -= len(text) + 1
        if from_head:
            head.append(text)
            first += 1
        else:
            tail.append(text)
            last -= 1
    missing = last - first + 1
    middle = [f"[… {missing:,} more output items …]"] if missing else []
    return "\n".join([*head, *middle, *reversed(tail)])


def shorten_string(text: str, chars: int) -> str:
    """Head and tail of a text, with the number of characters left out, in about `chars`."""
    if len(text) <= chars:
        return text
    room = max(chars - 40, 0)
    head = text[: math.ceil(room * 2 / 3)]
    tail = text[len(text) - (room - len(head)) :] if room > len(head) else ""
    return f"{head}[… {len(text) - len(head) - len(tail):,} of {len(text):,} characters …]{tail}"


def shorten_value(value: Any, chars: int) -> Any:
    """A copy of a JSON value, cut by its structure until its JSON takes about `chars`."""
    text = _shorten(value, chars)
    return text if isinstance(value, str) else jsontext.loads(text)


def _shorten(value: Any, chars: int) -> str:
    """JSON of a value cut by its structure, in about `chars` characters.

    Arrays keep head and tail, objects their first keys, strings head and tail; each cut says how
    much is missing. The result is JSON, or the shortened string itself for a string.
    """
    if isinstance(value, str):
        return shorten_string(value, chars)
    text = jsontext.dumps(value)
    if len(text) <= chars:
        return text
    low, high = 1, max(chars, 2)
    best = jsontext.dumps(_cut(value, 1, 16, 2))
    while low <= high:
        middle = (low + high) // 2
        tried = jsontext.dumps(_cut(value, middle, max(24, middle * 8), 8))
        if len(tried) <= chars:
            best, low = tried, middle + 1
        else:
            high = middle - 1
    return best


def _cut(value: Any, items: int, chars: int, levels: int) -> Any:
    """A copy with at most `items` entries a container, `chars` a string, `levels` of nesting."""
    if isinstance(value, str):
        return shorten_string(value, chars)
    if isinstance(value, list):
        array = cast("list[Any]", value)
        if array and levels == 0:
            return f"[… {len(array):,} items …]"
        if len(array) <= items:
            return [_cut(item, items, chars, levels - 1) for item in array]
        head = math.ceil(items * 2 / 3)
        tail = items - head
        return [
            *(_cut(item, items, chars, levels - 1) for item in array[:head]),
            f"[… {len(array) - items:,} of {len(array):,} items …]",
            *(_cut(item, items, chars, levels - 1) for item in array[len(array) - tail :]),
        ]
    if isinstance(value, dict):
        mapping = cast("dict[str, Any]", value)
        if mapping and levels == 0:
            return f"[… {len(mapping):,} keys …]"
        # Keys say what a value is: keep a few even where a list would keep one item.
        most = max(items, 8)
        shown = {
            shorten_string(key, max(chars, 64)): _cut(item, items, chars, levels - 1)
            for key, item in list(mapping.items())[:most]
        }
        if len(mapping) > most:
            shown["…"] = f"[… {len(mapping) - most:,} of {len(mapping):,} keys …]"
        return shown
    return value
