"""Asking functions of the embedder's that decide about a call: a policy, an approval."""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import Callable
from typing import Any

_log = logging.getLogger("toolscript")


class NoAnswer(Exception):
    """The function raised instead of answering. `what` names it, `error` is what it raised."""

    def __init__(self, what: str, error: BaseException):
        super().__init__(f"{what} raised {type(error).__name__}")
        self.what = what
        self.error = error


async def asked(what: str, ask: Callable[[], Any]) -> Any:
    """What a function says, be it async or not.

    What it raises is logged with its traceback: whoever wrote it has to know, and the script
    learns no more than its type. Only what is not the function's own passes: the cancellation
    of the call, and exceptions by which a framework or a person at the keyboard steers.

    Raises:
        NoAnswer: if the function raised.
    """
    try:
        answer = ask()
        return await answer if inspect.isawaitable(answer) else answer
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        raised: BaseException = error
    except (Exception, SystemExit) as error:
        raised = error
    _log.warning("%s failed", what, exc_info=raised)
    raise NoAnswer(what, raised) from raised
