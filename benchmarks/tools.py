"""The tools that every subject calls."""

from __future__ import annotations

import asyncio
from typing import Any


async def noop(i: int) -> int:
    """A number, at once."""
    return i


async def wait(i: int) -> int:
    """A number, after ten milliseconds."""
    await asyncio.sleep(0.01)
    return i


async def rows(count: int) -> list[dict[str, Any]]:
    """A table: about 100 bytes of JSON a row."""
    return [{"id": i, "name": f"row {i:07}", "note": "x" * 60} for i in range(count)]


async def count(rows: list[dict[str, Any]]) -> int:
    """Number of rows."""
    return len(rows)


TOOLS = [noop, wait, rows, count]
