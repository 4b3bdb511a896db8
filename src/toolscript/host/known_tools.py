"""Finding the tool that a script means, or saying which one it may have meant."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolscript.contract.entry import Entry
from toolscript.contract.nearest import nearest
from toolscript.contract.tool import Tool
from toolscript.errors import ToolError
from toolscript.host.failures import failed


class KnownTools:
    """The tools of one run, by number and by any of their names; hidden ones included."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._entries = entries
        self._by_name: dict[str, Entry] | None = None

    def find(self, target: int | str) -> Entry:
        """The entry that a call is for; one with the index -1 where there is no such tool."""
        if isinstance(target, int):
            known = 0 <= target < len(self._entries)
            return self._entries[target] if known else _unlisted(str(target))
        if self._by_name is None:
            self._by_name = {
                name: entry
                for entry in reversed(self._entries)
                for name in (entry.expression, entry.identifier, entry.tool.name)
            }
        return self._by_name.get(target) or _unlisted(target)

    def unknown(self, name: str, *, broker: bool) -> ToolError:
        """What a call of a tool that does not exist fails with; seed 001 calls it a denial."""
        offered = [entry.tool.name for entry in self._entries if not entry.tool.options.hidden]
        close = nearest(name, offered)
        near = f"; did you mean {' or '.join(close)}?" if close else ""
        return failed("denied" if broker else "unknown_tool", f"there is no tool {name!r}{near}")


def _unlisted(name: str) -> Entry:
    """Stands for a tool that does not exist, so that the call is on record."""

    def call(args: Any, context: Any) -> Any:
        raise AssertionError("a tool that does not exist is never called")

    return Entry(-1, Tool(name, "", True, None, call), None, name)
