"""One run from request to result: prepared, checked, opened, driven."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any, Final

from toolscript import jsontext
from toolscript.contract.contract import Contract
from toolscript.contract.entry import Entry
from toolscript.errors import ConfigurationError, SourceError
from toolscript.events import OnEvent, RunEnded, RunStarted
from toolscript.explain import explain_diagnostics, explain_end
from toolscript.host.approval import ApproveCallback
from toolscript.host.cancel import CancelToken
from toolscript.host.endings import too_late
from toolscript.host.gates import ToolGates
from toolscript.host.naming import named_code
from toolscript.host.observe import Observer
from toolscript.host.policy import Authority, Policy
from toolscript.host.replay import RunJournal
from toolscript.host.run import drive
from toolscript.host.setup import NestedScope, RunSetup
from toolscript.live import LiveRuns
from toolscript.lost_errors import lost_errors
from toolscript.meant_property import missing_property, with_meant_property
from toolscript.profiles import Profile
from toolscript.program import Surroundings, program_of
from toolscript.result import UNSET, ErrorKind, RunError, RunResult, Unset
from toolscript.sandbox.frames import EndFrame
from toolscript.sandbox.quickjs import shared_runtime
from toolscript.sandbox.runtime import Clock, Execution, Program, Runtime
from toolscript.script.constrained import check_constrained
from toolscript.script.diagnostic import Diagnostic, ScriptError, excerpt
from toolscript.script.modules import ANY_MODULE
from toolscript.script.script import Script, prepare

_KEPT_CHARS: Final = 16_384
# A script is prepared when it is validated and when it is run, and again for each resumption.
_prepare_once = lru_cache(maxsize=32)(prepare)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What an engine is made of, for as long as its contract stays the same.

    A run keeps the parts that it began with, whatever tools come and go meanwhile. `may_pause`
    says whether a run may come to wait for a person, so that somebody has to keep it.
    """

    contract: Contract
    profile: Profile
    surroundings: Surroundings
    policy: Policy | None
    approve: ApproveCallback | None
    runtime: Runtime | None
    gates: ToolGates
    live: LiveRuns
    may_pause: bool
    on_event: OnEvent | None = None

    def observers(self, of_run: OnEvent | None) -> tuple[OnEvent, ...]:
        """Who watches a run: the engine's observer, then the run's own."""
        return tuple(one for one in (self.on_event, of_run) if one is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One run as it was asked for. `input` and `store` are JSON values, already checked."""

    run_id: str
    source: str
    input: Any | Unset = UNSET
    app: Any = None
    store: Mapping[str, Any]
    authority: Authority | None = None
    deadline: float | None = None
    wall_s: float | None = None
    clock: Clock | None = None
    cancel: CancelToken | None = None
    on_event: OnEvent | None = None
    depth: int = 0
    person_decides: Callable[[bool], None] | None = None
    journal: RunJournal | None = None
    resumed: bool = False


async def launch(parts: Parts, request: Request) -> RunResult:
    """Run a script to its end or its first pause; what the script does wrong is in the result.

    Raises:
        ConfigurationError: if the runtime lacks a protection that `isolation` requires.
        ClosedError: if the engine was closed.
    """
    try:
        script = prepared(request.source, parts)
    except ScriptError as error:
        return await _refused(
            parts, request, explain_diagnostics(ErrorKind.SYNTAX, error.diagnostics)
        )
    except SourceError as error:
        return await _refused(parts, request, _too_long_or_wrong(error))
    too_large = _too_large_input(parts, request)
    if too_large is not None:
        return await _refused(parts, request, too_large)
    diagnostics = await checked(script, parts)
    if diagnostics:
        return await _refused(parts, request, explain_diagnostics(ErrorKind.REJECTED, diagnostics))
    # `abort` ends this run alone, the caller's own token every run that it was given to.
    cancel = CancelToken()
    outer = request.cancel
    forget = None if outer is None else outer.listen(lambda: cancel.cancel(outer.reason))
    try:
        parts.live.begin(request.run_id, cancel)
        try:
            return await _execute(parts, request, script, cancel)
        finally:
            parts.live.end(cancel)
    finally:
        if forget is not None:
            forget()


def _too_long_or_wrong(error: SourceError) -> RunError:
    return RunError(
        ErrorKind.REJECTED,
        str(error),
        limit=error.limit,
        allowed=error.allowed,
        seen=error.seen,
    )


def _too_large_input(parts: Parts, request: Request) -> RunError | None:
    most = parts.profile.limits.input_bytes
    if most is None or isinstance(request.input, Unset):
        return None
    seen = len(jsontext.dumps(request.input).encode())
    if seen <= most:
        return None
    return RunError(
        ErrorKind.REJECTED,
        f"the program input is {seen:,} bytes of JSON and at most {most:,} are allowed "
        "(input_bytes); pass less, or offer a tool that gives it in parts",
        limit="input_bytes",
        allowed=most,
        seen=seen,
    )


def prepared(source: str, parts: Parts) -> Script:
    """The script of a source text, within the limits of its size.

    Raises:
        SourceError: for a script that is empty, too long, or has a wrong options line.
        ScriptError: for one that cannot run.
    """
    limits = parts.profile.limits
    sizes = (
        (limits.source_chars, len(source), "characters", "source_chars"),
        (limits.source_bytes, len(source.encode("utf-8", "replace")), "bytes", "source_bytes"),
    )
    for most, size, unit, limit in sizes:
        if most is not None and size > most:
            raise SourceError(
                f"the script has {size:,} {unit} and may have at most {most:,} ({limit}); "
                "write a shorter one",
                limit=limit,
                allowed=most,
                seen=size,
            )
    how = prepare if len(source) > _KEPT_CHARS else _prepare_once
    return how(
        source,
        form=parts.profile.source,
        typescript=parts.profile.typescript,
        modules=ANY_MODULE if _imports(parts) else frozenset(parts.surroundings.modules),
        namespaces=tuple(space.name for space in parts.contract.namespaces if space.name),
    )


async def checked(script: Script, parts: Parts) -> tuple[Diagnostic, ...]:
    """What the profile's check finds; empty when the script may run."""
    if parts.profile.check == "constrained":
        return check_constrained(script.source)
    if parts.profile.check == "types":
        from toolscript.script.typecheck import check_types

        runtime = parts.runtime or shared_runtime()
        definitions = runtime.type_definitions()
        return await check_types(script, parts.contract.checked, definitions=definitions)
    return ()


def _imports(parts: Parts) -> bool:
    """Whether the platform itself resolves what a script imports."""
    return parts.runtime is not None and parts.runtime.capabilities.imports


async def _refused(parts: Parts, request: Request, error: RunError) -> RunResult:
    """The result of a script that was never run."""
    error = replace(error, code=named_code(error, parts.profile))
    principal = request.authority.principal if request.authority else ""
    result = RunResult(run_id=request.run_id, status="failed", error=error, principal=principal)
    observer = Observer(parts.observers(request.on_event))
    observer.send(RunStarted(request.run_id, request.resumed))
    observer.send(RunEnded(request.run_id, result))
    await observer.close()
    return result


async def _execute(
    parts: Parts, request: Request, script: Script, cancel: CancelToken
) -> RunResult:
    profile, options = parts.profile, script.options
    deadline, wall_s = request.deadline, request.wall_s
    if options.timeout_ms is not None:
        asked = time.monotonic() + options.timeout_ms / 1000
        if deadline is None or asked < deadline:
            deadline, wall_s = asked, options.timeout_ms / 1000
    if wall_s is None and deadline is not None:
        wall_s = deadline - time.monotonic()
    runtime = parts.runtime or shared_runtime()
    if profile.isolation == "required":
        missing = [name for name, state in runtime.isolation.items() if state is not True]
        if missing:
            raise ConfigurationError(
                f'isolation="required", but here the runtime lacks: {", ".join(missing)}'
            )
    clock = request.journal.clock if request.journal else request.clock
    cpu_s = profile.limits.cpu_s
    until_deadline = False
    if deadline is not None:
        # A script that computes until the deadline is stopped by its own clock a moment before,
        # and what it has printed so far is handed over.
        left = max(deadline - time.monotonic(), 0.001)
        most = left - min(left / 4, 0.25)
        until_deadline = cpu_s is None or most < cpu_s
        cpu_s = most if cpu_s is None else min(most, cpu_s)
    program = program_of(
        script,
        profile,
        parts.surroundings,
        input=request.input,
        store=request.store,
        clock=clock,
        cpu_s=cpu_s,
    )
    execution = None if cancel.cancelled else runtime.open_now(program)
    if execution is None:
        execution = await _opened(runtime, program, deadline, cancel)
    if isinstance(execution, RunError):
        return await _refused(parts, request, execution)

    def explain(frame: EndFrame) -> RunError:
        if frame.outcome == "timeout" and until_deadline and wall_s is not None:
            return too_late(round(wall_s, 2))
        return explain_end(
            frame,
            script=script,
            byte_columns=runtime.capabilities.byte_columns,
            limits=profile.limits,
            globals_known=parts.surroundings.names,
            contract=parts.contract,
        )

    # A loop calls from the same line again and again.
    placed: dict[tuple[int, str], int] = {}

    def place(line: int, entry: Entry) -> int:
        known = placed.get((line, entry.expression))
        if known is not None:
            return known
        names = parts.contract.call_names.get(entry.index, (entry.tool.name,))
        found = script.locate_call(line, names)
        placed[line, entry.expression] = at = line if found is None else found[0]
        return at

    setup = RunSetup(
        run_id=request.run_id,
        entries=parts.contract.entries,
        helpers=parts.surroundings.helpers,
        profile=profile,
        policy=parts.policy,
        authority=request.authority,
        approve=parts.approve,
        app=request.app,
        observers=parts.observers(request.on_event),
        deadline=deadline,
        wall_s=wall_s,
        cancel=cancel,
        explain=explain,
        place=place,
        nested=partial(_nested, parts, request, cancel),
        gates=parts.gates,
        depth=request.depth,
        person_decides=request.person_decides,
        journal=request.journal,
        clock=clock,
        resumed=request.resumed,
        runtime_name=runtime.name,
        sandboxed=runtime.capabilities.sandboxed,
    )
    result = await drive(setup, execution)
    error = result.error
    if error is not None and error.line is not None and not error.excerpt:
        # The host knows no source, and of a call no column.
        shown = excerpt(script.source, error.line, 1).partition("\n")[0]
        result = replace(result, error=replace(error, excerpt=shown))
    elif error is not None:
        error = with_meant_property(error, script.source, result.calls)
        result = replace(result, error=error)
    warnings = tuple(str(item) for item in script.warnings if item.severity == "warning")
    if result.ok and not result.has_value and profile.returns == "value":
        missing = missing_property(script.source, result.calls)
        warnings += () if missing is None else (missing,)
    if result.ok:
        warnings += lost_errors(script.source, result.calls)
    if warnings or options.max_output_tokens is not None:
        result = replace(
            result,
            warnings=(*warnings, *result.warnings),
            max_output_tokens=options.max_output_tokens,
        )
    return result


async def _opened(
    runtime: Runtime, program: Program, deadline: float | None, cancel: CancelToken
) -> Execution | RunError:
    """An execution, or why waiting for a free place ended before there was one."""
    loop = asyncio.get_running_loop()
    timeout = asyncio.timeout(None if deadline is None else max(deadline - time.monotonic(), 0))
    waiting = True

    def end() -> None:
        # Said in another thread or a turn ago, it may come when there is nothing left to end.
        if waiting:
            timeout.reschedule(loop.time())

    def stop() -> None:
        loop.call_soon_threadsafe(end)

    try:
        async with timeout:
            forget = cancel.listen(stop)
            try:
                return await runtime.open(program)
            finally:
                waiting = False
                forget()
    except TimeoutError:
        if cancel.cancelled:
            return RunError(ErrorKind.ABORTED, cancel.reason or "the run was aborted")
        return RunError(
            ErrorKind.TIMEOUT,
            "no place to run the script became free within the time of the run (wall_s)",
            limit="wall_s",
        )


async def _nested(
    parts: Parts, outer: Request, cancel: CancelToken, source: str, scope: NestedScope
) -> RunResult:
    """A script that a tool runs, under the authority of the call that runs it."""
    request = Request(
        run_id=f"{scope.run_id}.{scope.seq}",
        source=source,
        app=scope.app,
        store={},
        authority=scope.authority,
        deadline=scope.deadline,
        cancel=cancel,
        on_event=outer.on_event,
        depth=scope.depth,
        person_decides=scope.person_decides,
    )
    return await launch(parts, request)
