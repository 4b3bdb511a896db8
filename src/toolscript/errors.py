"""Exceptions.

A script's failure is a `RunResult`, never an exception. What is raised here is for the
embedder's own mistakes, and for tools that want to say more than a message:

  Exception
    ToolscriptError
      ConfigurationError    a knob, a limit, a runtime or a policy that cannot work
        ContractError       tools, names or schemas that cannot be offered
      InputError            program input that does not fit the declared input schema
      ClosedError           the engine or its runtime was closed
      JournalError          a journal could not read or write, or holds what nobody wrote
      ResumeError           there is no such run to resume, or somebody else is running it
      SourceError           a script that is empty or whose options line is wrong
    ToolError               raised by a tool to fail its call with a code and details
"""

from __future__ import annotations

from typing import Any, Literal

ToolErrorCode = Literal[
    "invalid_args",
    "unknown_tool",
    "denied",
    "failed",
    "timeout",
    "too_large",
    "invalid_result",
    "cancelled",
    "call_limit",
]


class ToolscriptError(Exception):
    """Base of everything that toolscript raises at its embedder."""


class ConfigurationError(ToolscriptError):
    """The engine was configured in a way that cannot work; the message says which part."""


class ContractError(ConfigurationError):
    """The tools cannot be offered as given: names that clash, schemas that cannot be read.

    `code` is the name that a profile has for it, else empty.
    """

    def __init__(self, message: str, *, code: str = ""):
        super().__init__(message)
        self.code = code


class InputError(ToolscriptError):
    """`run(input=...)` does not fit the contract's input schema, or is missing, or is not wanted."""


class ClosedError(ToolscriptError):
    """The engine was closed; it accepts no more runs."""


class JournalError(ToolscriptError):
    """A journal could not be read or written, or holds what no toolscript wrote.

    The run did nothing more from there on; what it did is on record or was never begun.
    """


class ResumeError(ToolscriptError):
    """There is no paused or interrupted run of that id here, or another process owns it."""


class SourceError(ToolscriptError):
    """The script is empty or too long, or its `// @options:` line cannot be used.

    `limit`, `allowed` and `seen` are set for one that is too long.
    """

    def __init__(
        self,
        message: str,
        *,
        limit: str | None = None,
        allowed: int | None = None,
        seen: int | None = None,
    ):
        super().__init__(message)
        self.limit = limit
        self.allowed = allowed
        self.seen = seen


class ToolError(Exception):
    """Fails one call of a tool; the script can catch it.

    A tool raises it when a message is not enough: `code` is one of the documented codes and
    `details` is any JSON value, both visible to the script as `error.code` and `error.details`.
    """

    def __init__(self, message: str, *, code: ToolErrorCode = "failed", details: Any = None):
        super().__init__(message)
        self.message = message
        self.code: ToolErrorCode = code
        self.details = details
