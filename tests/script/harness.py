"""Runs prepared bodies in a bare engine, with nothing of the sandbox around them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import _quickjs  # type: ignore[import-not-found]

from toolscript.errors import SourceError
from toolscript.script.diagnostic import Diagnostic, ScriptError
from toolscript.script.edits import Edits
from toolscript.script.erase import ERASED, erase_types
from toolscript.script.repair import read
from toolscript.script.script import prepare, prepare_module
from toolscript.script.text import from_units, to_units

_LIBRARY = """
globalThis.outcome = "pending";
globalThis.tools = { echo: async (value) => value };
globalThis.codemode = tools;
globalThis.console = { log() {}, error() {}, warn() {}, info() {}, debug() {} };
globalThis.settle = async (value) => {
  value = await value;
  if (value && typeof value === "object") for (const key in value) value[key] = await settle(value[key]);
  return value;
};
globalThis.start = (body, withScope) => {
  const loaded = {};
  const load = async (name) => loaded[name] ??= sources[name]({ load });
  const scope = withScope ? { tools, codemode, console } : undefined;
  body({ scope, load }).then(settle).then(
    (value) => { outcome = JSON.stringify({ value: value === undefined ? null : value }); },
    (error) => { outcome = JSON.stringify({ error: String(error), stack: String(error?.stack) }); },
  );
};
"""


class GuestError(Exception):
    """The body threw; `stack` is the engine's."""

    def __init__(self, message: str, stack: str):
        super().__init__(message)
        self.stack = stack


PREFIX = "(async function ($module) {"


def without_types(source: str) -> str:
    """A script with its types taken out at their place, and nothing else changed."""
    syntax = read(to_units(source)).indexed(ERASED)
    edits = Edits(syntax.units)
    assert erase_types(syntax, edits) == ()
    return from_units(edits.apply()[0])


def run_body(code: str, modules: Mapping[str, str] | None = None, *, scope: bool = True) -> Any:
    """The value of a body, as JSON; `modules` are sources of what it may import.

    Raises:
        GuestError: if the body throws or cannot be compiled.
    """
    context = _quickjs.Context()
    context.eval(_LIBRARY)
    context.eval("globalThis.sources = {}")
    for name, source in (modules or {}).items():
        body = f"{PREFIX}{prepare_module(source, modules=tuple(modules or ()))}\n}})"
        context.eval(f"sources[{json.dumps(name)}] = {body}")
    try:
        body = context.eval(f"{PREFIX}{code}\n}})")
    except _quickjs.JSException as error:
        raise GuestError(str(error), "") from None
    context.get("start")(body, scope)
    while context.execute_pending_job():
        pass
    told = context.get("outcome")
    assert told != "pending", "the body never ends"
    outcome = json.loads(told)
    if "error" in outcome:
        raise GuestError(outcome["error"], outcome["stack"])
    return outcome["value"]


def value_of(source: str, modules: Mapping[str, str] | None = None, **how: Any) -> Any:
    """The value of a script."""
    return run_body(prepare(source, modules=tuple(modules or ()), **how).code, modules)


def problems(source: str, **how: Any) -> tuple[Diagnostic, ...]:
    """What keeps a script from running; empty when nothing does."""
    try:
        script = prepare(source, **how)
    except ScriptError as error:
        return error.diagnostics
    except SourceError as error:
        return (Diagnostic(1, 1, "source", str(error)),)
    return tuple(each for each in script.warnings if each.severity == "error")
