"""Steps that a cancellation may come to, and must not leave half done."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any


async def shielded(step: Callable[[], Coroutine[Any, Any, None]]) -> asyncio.CancelledError | None:
    """Take a step to its end, however often the awaiting task is cancelled meanwhile.

    A step that is cut off is begun once more, in a task of its own: it must be one that can be.

    Returns the cancellation that came meanwhile, for the caller to raise when all is done.
    """
    try:
        await step()
    except asyncio.CancelledError as error:
        cut = error
    else:
        return None
    again = asyncio.ensure_future(step())
    while not again.done():
        try:
            await asyncio.wait([again])
        except asyncio.CancelledError as error:
            cut = error
    if not again.cancelled():
        again.result()
    return cut
