"""Names that models reach for and that a script does not have, and what there is instead."""

from __future__ import annotations

import re
from typing import Final

_TOOLS_ONLY: Final = "a script reaches the world only through its tools"

_NO_PACKAGES: Final = "there are no packages; use the methods of arrays, objects and strings"
_NO_DATES: Final = "there are no packages; use `Date`, and format its parts by hand"
_CALL: Final = "tools are called by their names: `await tools.name({ ... })`"

_ABSENT: Final = {
    "require": "there are no modules to require; " + _TOOLS_ONLY,
    "module": "there is no `module` object; `return` the result instead",
    "exports": "there is no `exports` object; `return` the result instead",
    "fetch": "there is no network; " + _TOOLS_ONLY,
    "axios": "there is no network; " + _TOOLS_ONLY,
    "XMLHttpRequest": "there is no network; " + _TOOLS_ONLY,
    "WebSocket": "there is no network; " + _TOOLS_ONLY,
    "Request": "there is no network; " + _TOOLS_ONLY,
    "Response": "there is no network; " + _TOOLS_ONLY,
    "Headers": "there is no network; " + _TOOLS_ONLY,
    "FormData": "there is no network; " + _TOOLS_ONLY,
    "Blob": "there is no `Blob`; use strings, or Uint8Array for bytes",
    "AbortController": "a call cannot be aborted; use `Promise.race` to stop waiting for it",
    "AbortSignal": "a call cannot be aborted; use `Promise.race` to stop waiting for it",
    "EventTarget": "there are no events; call functions, or await promises",
    "Event": "there are no events; call functions, or await promises",
    "Temporal": "there is no `Temporal`; use `Date` and its UTC methods",
    "process": "there is no process and no environment; " + _TOOLS_ONLY,
    "fs": "there is no file system; " + _TOOLS_ONLY,
    "path": "there is no `path` module; join paths as strings",
    "os": "there is no operating system to ask; " + _TOOLS_ONLY,
    "Deno": "this is not Deno; " + _TOOLS_ONLY,
    "Bun": "this is not Bun; " + _TOOLS_ONLY,
    "Buffer": "there is no Buffer; use `btoa`, `atob`, TextEncoder and Uint8Array",
    "window": "this is not a browser; use `globalThis` or a variable",
    "document": "this is not a browser: there is no document",
    "localStorage": "this is not a browser; use `store(key, value)` and `load(key)`",
    "sessionStorage": "this is not a browser; use `store(key, value)` and `load(key)`",
    "alert": "this is not a browser; use `console.log`",
    "prompt": "nobody can be asked here; `return` and ask outside of the script",
    "crypto": "there is no `crypto`; use Math.random where randomness need not be secret",
    "performance": "there is no `performance`; use Date.now()",
    "setTimeout": "there are no timers here; await the tool calls themselves",
    "setInterval": "there are no timers here; await the tool calls themselves",
    "setImmediate": "there are no timers here; await the tool calls themselves",
    "sleep": "there are no timers here; await the tool calls themselves",
    "console": "there is no console here; `return` the result",
    "print": "this is JavaScript: use `console.log(...)`",
    "None": "this is JavaScript: write `null`",
    "True": "this is JavaScript: write `true`",
    "False": "this is JavaScript: write `false`",
    "len": "this is JavaScript: use `.length`",
    "str": "this is JavaScript: use `String(...)`",
    "int": "this is JavaScript: use `Number(...)`",
    "range": "this is JavaScript: use `for (let i = 0; i < n; i++)`",
    "dict": "this is JavaScript: use an object, `{ key: value }`",
    "list": "this is JavaScript: use an array, `[a, b]`",
    "self": "this is JavaScript: use `this`, or a variable",
    "_": _NO_PACKAGES,
    "lodash": _NO_PACKAGES,
    "moment": _NO_DATES,
    "dayjs": _NO_DATES,
    "mcp": _CALL,
    "callTool": _CALL,
    "call_tool": _CALL,
    "json": "this is JavaScript: use `JSON`",
    "asyncio": "this is JavaScript: use `await Promise.all([...])`",
}


def absent_hint(name: str) -> str:
    """What to do about a global that does not exist here, or "" where nothing is known."""
    return _ABSENT.get(name, "")


_INTL: Final = re.compile(r"\bIntl\.(\w+)")
_INTL_PARTS: Final = ("NumberFormat", "DateTimeFormat", "Collator", "PluralRules", "ListFormat")


def absent_of_intl(line: str) -> str:
    """What to do where a line takes something of `Intl` that it has not here, or ""."""
    for name in _INTL.findall(line):
        if name not in _INTL_PARTS:
            return (
                f"there is no `Intl.{name}` here, only {', '.join(_INTL_PARTS)}, for English; "
                "put the text together by hand"
            )
    return ""
