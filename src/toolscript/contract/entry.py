"""A tool as one contract offers it: with the names by which a script reaches it."""

from __future__ import annotations

from dataclasses import dataclass

from toolscript.contract.tool import Tool


@dataclass(frozen=True, slots=True)
class Entry:
    """One callable of a contract.

    Attributes:
        index: its number in the contract; the guest calls it by this.
        tool: the tool itself, with its exact name.
        namespace: name of its namespace, or None for the object `tools`.
        identifier: its legal JavaScript name inside that object.
    """

    index: int
    tool: Tool
    namespace: str | None
    identifier: str

    @property
    def expression(self) -> str:
        """How a script names it: `tools.search`, `github.create_issue`."""
        return f"{self.namespace or 'tools'}.{self.identifier}"
