"""Code mode for Python agents.

A model that has forty tools writes one short TypeScript script which calls them. toolscript turns
the tools that an application already has into a typed contract, runs the script in QuickJS, and
answers every call by the original tool under the host's rules.
"""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toolscript.contract.contract import Contract as Contract
    from toolscript.contract.convert import tool_from as tool_from
    from toolscript.contract.declarations import (
        mcp_structured_content_schema as mcp_structured_content_schema,
    )
    from toolscript.contract.declarations import render_declarations as render_declarations
    from toolscript.contract.declarations import render_tool_output_type as render_tool_output_type
    from toolscript.contract.declarations import render_tool_sample as render_tool_sample
    from toolscript.contract.declarations import render_tool_signature as render_tool_signature
    from toolscript.contract.declarations import string_argument_of as string_argument_of
    from toolscript.contract.names import tool_identifier as tool_identifier
    from toolscript.contract.tool import ErrorClass as ErrorClass
    from toolscript.contract.tool import GlobalFunction as GlobalFunction
    from toolscript.contract.tool import Manifest as Manifest
    from toolscript.contract.tool import Namespace as Namespace
    from toolscript.contract.tool import Retry as Retry
    from toolscript.contract.tool import Tool as Tool
    from toolscript.contract.tool import ToolContext as ToolContext
    from toolscript.contract.tool import ToolOptions as ToolOptions
    from toolscript.contract.tool import ToolValue as ToolValue
    from toolscript.contract.typescript import schema_to_type as schema_to_type
    from toolscript.engine import CodeMode as CodeMode
    from toolscript.engine import Determinism as Determinism
    from toolscript.errors import ClosedError as ClosedError
    from toolscript.errors import ConfigurationError as ConfigurationError
    from toolscript.errors import ContractError as ContractError
    from toolscript.errors import InputError as InputError
    from toolscript.errors import JournalError as JournalError
    from toolscript.errors import ResumeError as ResumeError
    from toolscript.errors import SourceError as SourceError
    from toolscript.errors import ToolError as ToolError
    from toolscript.errors import ToolscriptError as ToolscriptError
    from toolscript.events import CallCompleted as CallCompleted
    from toolscript.events import CallDenied as CallDenied
    from toolscript.events import CallFailed as CallFailed
    from toolscript.events import CallPending as CallPending
    from toolscript.events import CallStarted as CallStarted
    from toolscript.events import Event as Event
    from toolscript.events import OnEvent as OnEvent
    from toolscript.events import Output as Output
    from toolscript.events import Progress as Progress
    from toolscript.events import RunEnded as RunEnded
    from toolscript.events import RunStarted as RunStarted
    from toolscript.host.approval import Answer as Answer
    from toolscript.host.approval import Approve as Approve
    from toolscript.host.approval import ApproveCallback as ApproveCallback
    from toolscript.host.approval import Edit as Edit
    from toolscript.host.approval import Happened as Happened
    from toolscript.host.approval import Reject as Reject
    from toolscript.host.approval import Verdict as Verdict
    from toolscript.host.cancel import CancelToken as CancelToken
    from toolscript.host.journal import Journal as Journal
    from toolscript.host.journal import MemoryJournal as MemoryJournal
    from toolscript.host.limits import Limits as Limits
    from toolscript.host.policy import Authority as Authority
    from toolscript.host.policy import Decision as Decision
    from toolscript.host.policy import Policy as Policy
    from toolscript.host.policy import PolicyRequest as PolicyRequest
    from toolscript.host.sqlite_journal import SQLiteJournal as SQLiteJournal
    from toolscript.langchain.code_tool import CodeModeTool as CodeModeTool
    from toolscript.langchain.middleware import CodeModeMiddleware as CodeModeMiddleware
    from toolscript.live import RunInfo as RunInfo
    from toolscript.profiles import Knobs as Knobs
    from toolscript.profiles import Profile as Profile
    from toolscript.result import UNSET as UNSET
    from toolscript.result import Call as Call
    from toolscript.result import CallDecision as CallDecision
    from toolscript.result import CallError as CallError
    from toolscript.result import ErrorKind as ErrorKind
    from toolscript.result import OutputItem as OutputItem
    from toolscript.result import Pending as Pending
    from toolscript.result import RunError as RunError
    from toolscript.result import RunFailed as RunFailed
    from toolscript.result import RunResult as RunResult
    from toolscript.result import RunUsage as RunUsage
    from toolscript.result import StoreWrites as StoreWrites
    from toolscript.sandbox.inline import InlineRuntime as InlineRuntime
    from toolscript.sandbox.node import NodeRuntime as NodeRuntime
    from toolscript.sandbox.quickjs import QuickJSRuntime as QuickJSRuntime
    from toolscript.sandbox.runtime import Runtime as Runtime
    from toolscript.script.diagnostic import Diagnostic as Diagnostic
    from toolscript.script.options import SOURCE_GRAMMAR as SOURCE_GRAMMAR
    from toolscript.script.options import ParsedSource as ParsedSource
    from toolscript.script.options import parse_source as parse_source
    from toolscript.stepper import PendingCall as PendingCall
    from toolscript.stepper import Step as Step

_HOME = {
    "contract.contract": ("Contract",),
    "contract.convert": ("tool_from",),
    "contract.declarations": (
        "mcp_structured_content_schema",
        "render_declarations",
        "render_tool_output_type",
        "render_tool_sample",
        "render_tool_signature",
        "string_argument_of",
    ),
    "contract.names": ("tool_identifier",),
    "contract.tool": (
        "ErrorClass",
        "GlobalFunction",
        "Manifest",
        "Namespace",
        "Retry",
        "Tool",
        "ToolContext",
        "ToolOptions",
        "ToolValue",
    ),
    "contract.typescript": ("schema_to_type",),
    "engine": ("CodeMode", "Determinism"),
    "errors": (
        "ClosedError",
        "ConfigurationError",
        "ContractError",
        "InputError",
        "JournalError",
        "ResumeError",
        "SourceError",
        "ToolError",
        "ToolscriptError",
    ),
    "events": (
        "CallCompleted",
        "CallDenied",
        "CallFailed",
        "CallPending",
        "CallStarted",
        "Event",
        "OnEvent",
        "Output",
        "Progress",
        "RunEnded",
        "RunStarted",
    ),
    "live": ("RunInfo",),
    "host.approval": (
        "Answer",
        "Approve",
        "ApproveCallback",
        "Edit",
        "Happened",
        "Reject",
        "Verdict",
    ),
    "host.cancel": ("CancelToken",),
    "host.journal": ("Journal", "MemoryJournal"),
    "host.limits": ("Limits",),
    "host.policy": ("Authority", "Decision", "Policy", "PolicyRequest"),
    "host.sqlite_journal": ("SQLiteJournal",),
    "langchain.code_tool": ("CodeModeTool",),
    "langchain.middleware": ("CodeModeMiddleware",),
    "profiles": ("Knobs", "Profile"),
    "result": (
        "UNSET",
        "Call",
        "CallDecision",
        "CallError",
        "ErrorKind",
        "OutputItem",
        "Pending",
        "RunError",
        "RunFailed",
        "RunResult",
        "RunUsage",
        "StoreWrites",
    ),
    "sandbox.inline": ("InlineRuntime",),
    "sandbox.node": ("NodeRuntime",),
    "sandbox.quickjs": ("QuickJSRuntime",),
    "sandbox.runtime": ("Runtime",),
    "script.diagnostic": ("Diagnostic",),
    "script.options": ("SOURCE_GRAMMAR", "ParsedSource", "parse_source"),
    "stepper": ("PendingCall", "Step"),
}

# Importing toolscript has to be cheap: each name is imported when it is first touched.
_MODULE_OF = {name: module for module, names in _HOME.items() for name in names}


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return __dir__()
    module = _MODULE_OF.get(name)
    if module is None:
        raise AttributeError(f"module 'toolscript' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"toolscript.{module}"), name)
    setattr(sys.modules[__name__], name, value)
    return value


def __dir__() -> list[str]:
    return sorted(_MODULE_OF)
