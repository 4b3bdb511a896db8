"""`CodeMode`: tools in, one typed script out."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Unpack

from toolscript import durable, stepper
from toolscript.bridge import run_blocking
from toolscript.contract.contract import Contract, namespaces_from
from toolscript.contract.convert import tool_from
from toolscript.contract.input import program_input
from toolscript.contract.prompt import render_prompt
from toolscript.contract.prompt_rules import Environment
from toolscript.contract.tool import GlobalFunction, Namespace
from toolscript.durable import PausedRuns, may_pause
from toolscript.errors import ConfigurationError, InputError, SourceError
from toolscript.events import Event, OnEvent
from toolscript.given import INTEGER, NAME, a, check, check_fields, check_keywords, one_of
from toolscript.globals import globals_of
from toolscript.host.approval import ApproveCallback, Verdict
from toolscript.host.availability import check_bindings, unavailable
from toolscript.host.cancel import CancelToken
from toolscript.host.gates import ToolGates
from toolscript.host.journal import Journal
from toolscript.host.limits import Limits
from toolscript.host.policy import Authority, Policy
from toolscript.launch import Parts, Request, checked, launch, prepared
from toolscript.live import LiveRuns, RunInfo
from toolscript.parts import (
    AUTHORITY,
    check_call,
    check_engine,
    stored_values,
    warn_of_parts,
)
from toolscript.profiles import Knobs, Profile, profile_named
from toolscript.program import surroundings_of
from toolscript.result import UNSET, RunResult, Unset
from toolscript.sandbox.quickjs import shared_runtime
from toolscript.sandbox.runtime import Clock, Runtime
from toolscript.script.diagnostic import Diagnostic, ScriptError
from toolscript.script.script import prepare_module
from toolscript.stepper import Step


@dataclass(frozen=True, slots=True)
class Determinism:
    """Pins the only sources of chance that a script has.

    `now_ms` is what `Date.now()` starts at; `seed` decides `Math.random()`. With clock "fixed"
    the time stays, with "advancing" it moves to the time at which each result is delivered.
    """

    now_ms: int
    seed: int
    clock: Literal["fixed", "advancing"] = "fixed"

    def __post_init__(self) -> None:
        check_fields(
            self, {"now_ms": INTEGER, "seed": INTEGER, "clock": one_of("fixed", "advancing")}
        )

    def pinned(self) -> Clock:
        """The same, as runtimes take it."""
        return Clock(self.now_ms, self.seed, advancing=self.clock == "advancing")


class CodeMode:
    """Runs scripts against tools. Safe to use from several threads and event loops.

    Args:
        tools: functions, `Tool`s, tools of other frameworks, `Namespace`s, in a list or as a
            mapping of namespace to tools.
        profile: a name from docs/profiles.md, or a `Profile`.
        input_schema: JSON Schema or Python type of the program input; its presence makes
            `run(input=...)` required.
        runtime: where scripts run; None is the pool of QuickJS processes that this process shares.
        limits: a `Limits` (replaces the profile's) or a mapping (changes some of them).
        policy: decides about each call, besides the tools' own options.
        approve: asked for calls that need a person; without it such a run pauses.
        journal: keeps every run, so that it survives pauses and the death of this process.
            None keeps paused runs in memory, the last 100 for an hour.
        modules: name → source of modules that scripts may import.
        globals: host functions that scripts call by a global name.
        shortcuts: global name → name of the tool that it calls.
        tool_hints: advice for tools that do not exist but that models ask for, by name.
        on_event: hears what happens in every run, beside the `on_event` of the run itself.
        knobs: see `Knobs`.

    Raises:
        ConfigurationError: for knobs, limits or parts that cannot work together.
        ContractError: for tools that cannot be offered as given.
    """

    def __init__(
        self,
        tools: Any,
        *,
        profile: str | Profile = "default",
        input_schema: Any = None,
        runtime: Runtime | None = None,
        limits: Limits | Mapping[str, Any] | None = None,
        policy: Policy | None = None,
        approve: ApproveCallback | None = None,
        journal: Journal | None = None,
        modules: Mapping[str, str] | None = None,
        globals: Sequence[GlobalFunction] | None = None,
        shortcuts: Mapping[str, str] | None = None,
        tool_hints: Mapping[str, str] | None = None,
        on_event: OnEvent | None = None,
        **knobs: Unpack[Knobs],
    ):
        check_engine(
            profile=profile,
            runtime=runtime,
            limits=limits,
            policy=policy,
            approve=approve,
            journal=journal,
            modules=modules,
            globals=globals,
            shortcuts=shortcuts,
            tool_hints=tool_hints,
            on_event=on_event,
            redact=knobs.get("redact"),
        )
        check_keywords(CodeMode, knobs, Knobs.__annotations__)
        base = profile_named(profile) if isinstance(profile, str) else profile
        self._input = None if input_schema is None else program_input(input_schema)
        self._modules = {
            name: prepare_module(text, modules=modules or {})
            for name, text in (modules or {}).items()
        }
        self._globals = tuple(globals or ())
        self._shortcuts = dict(shortcuts or {})
        self._hints = dict(tool_hints or {})
        self._on_event = on_event
        self._journal = journal
        self._paused_runs = PausedRuns()
        self._live = LiveRuns()
        self._parts = self._assembled(
            namespaces_from(tools),
            base.with_knobs(knobs, limits),
            policy=policy,
            approve=approve,
            runtime=runtime,
            gates=ToolGates(),
        )
        warn_of_parts(self._parts.contract, self._parts.profile, policy)

    def _assembled(
        self,
        namespaces: tuple[Namespace, ...],
        profile: Profile,
        *,
        policy: Policy | None,
        approve: ApproveCallback | None,
        runtime: Runtime | None,
        gates: ToolGates,
    ) -> Parts:
        if runtime is not None and runtime.language != "typescript":
            raise ConfigurationError(
                f"{type(runtime).__name__} runs {runtime.language}, and tools are declared in "
                f"TypeScript: pass a runtime whose language is 'typescript'"
            )
        if profile.require_policy:
            check_bindings([tool for group in namespaces for tool in group.tools])
        contract = Contract.of(
            namespaces,
            profile,
            input=self._input,
            globals=self._globals,
            shortcuts=self._shortcuts,
        )
        return Parts(
            contract=contract,
            profile=profile,
            surroundings=surroundings_of(
                contract,
                profile,
                modules=self._modules,
                hints=self._hints,
            ),
            policy=policy,
            approve=approve,
            runtime=runtime,
            gates=gates,
            live=self._live,
            may_pause=may_pause(contract, policy, approve),
            on_event=self._on_event,
        )

    def _offer(self, namespaces: tuple[Namespace, ...]) -> None:
        parts = self._parts
        self._parts = self._assembled(
            namespaces,
            parts.profile,
            policy=parts.policy,
            approve=parts.approve,
            runtime=parts.runtime,
            gates=parts.gates,
        )

    @property
    def contract(self) -> Contract:
        """What a script may see at this moment."""
        return self._parts.contract

    @property
    def profile(self) -> Profile:
        """The knobs and limits in force."""
        return self._parts.profile

    def add_tool(self, tool: Any, *, namespace: str | None = None) -> None:
        """Offer one more tool, from the next run on; the contract gets a new fingerprint.

        Raises:
            ContractError: for something that is no tool, or whose name is taken.
        """
        check_call("add_tool", namespace=namespace)
        added = tool_from(tool)
        groups = list(self.contract.namespaces)
        for index, group in enumerate(groups):
            if group.name == (namespace or ""):
                groups[index] = replace(group, tools=(*group.tools, added))
                break
        else:
            groups.append(Namespace(namespace or "", (added,)))
        self._offer(tuple(groups))

    def remove_tool(self, name: str, *, namespace: str | None = None) -> bool:
        """Offer a tool no longer, from the next run on; False if there was none of that name."""
        groups = [
            replace(group, tools=tuple(tool for tool in group.tools if tool.name != name))
            if group.name == (namespace or "")
            else group
            for group in self.contract.namespaces
        ]
        removed = tuple(groups) != self.contract.namespaces
        if removed:
            self._offer(tuple(groups))
        return removed

    def declarations(self, authority: Authority | None = None) -> str:
        """TypeScript of everything that a script under `authority` sees."""
        return self._visible(authority).declarations

    def prompt(self, max_tokens: int | None = None, authority: Authority | None = None) -> str:
        """What a model has to read before it writes a script, within a budget of tokens."""
        check_call("prompt", max_tokens=max_tokens)
        runtime = self._parts.runtime
        platform = runtime.description if runtime and runtime.capabilities.imports else ""
        return render_prompt(
            self._visible(authority),
            globals_of(self.profile),
            self.profile,
            max_tokens,
            Environment(tuple(self._modules), platform),
        )

    def _visible(self, authority: Authority | None) -> Contract:
        """The contract without the tools that `authority` can never call."""
        check("authority=", AUTHORITY, authority)
        seen = [
            entry
            for entry in self.contract.entries
            if unavailable(
                entry,
                authority,
                self.profile,
                policy=self._parts.policy,
                runtime=(self._parts.runtime or shared_runtime()).name,
            )
            is None
        ]
        if len(seen) == len(self.contract.entries):
            return self.contract
        return self.contract.only(seen)

    async def validate(self, source: str) -> tuple[Diagnostic, ...]:
        """What is wrong with a script, without running it; empty when nothing is.

        Syntax, size and the options line are always checked; the `check` knob adds types or the
        rules of the constrained profile.
        """
        check_call("validate", source=source)
        try:
            script = prepared(source, self._parts)
        except ScriptError as error:
            return error.diagnostics
        except SourceError as error:
            return (Diagnostic(1, 1, "source", str(error)),)
        return (*script.warnings, *await checked(script, self._parts))

    async def run(
        self,
        source: str,
        *,
        input: Any | Unset = UNSET,
        context: Any = None,
        store: Mapping[str, Any] | None = None,
        authority: Authority | None = None,
        timeout: float | Unset | None = UNSET,
        run_id: str | None = None,
        determinism: Determinism | None = None,
        cancel: CancelToken | None = None,
        on_event: OnEvent | None = None,
    ) -> RunResult:
        """Run one script to its end or its first pause.

        Args:
            source: what the model wrote.
            input: the program input, when the contract declares one.
            context: anything; tools get it as `context.app`.
            store: what `load` sees; what the script stored comes back in `store_writes`.
            authority: on whose behalf; see `Authority`.
            timeout: seconds instead of `Limits.wall_s`; None is no deadline.
            run_id: a name for the run; by default a new one. Under a journal, an id that it
                knows as over gives the recorded result of the same script.
            determinism: pins clock and random source.
            cancel: ends the run from outside, as `aborted`.
            on_event: hears what happens while it happens.

        Raises:
            ConfigurationError: for an argument of the wrong kind.
            InputError: if `input` does not fit, is missing, or is not wanted.
            ResumeError: if the journal has another run of that id, or one that is not over.
            ClosedError: after `aclose`.
        """
        check_call(
            "run",
            source=source,
            store=store,
            authority=authority,
            timeout=timeout,
            run_id=run_id,
            cancel=cancel,
            on_event=on_event,
        )
        self._live.check_open()
        request = Request(
            run_id=run_id or f"run_{os.urandom(16).hex()}",
            source=source,
            input=self._parsed(input),
            app=context,
            store=stored_values(store),
            authority=authority,
            deadline=self._deadline(timeout),
            wall_s=self._wall_s(timeout),
            clock=None if determinism is None else _pinned(determinism),
            cancel=cancel,
            on_event=on_event,
        )
        journal = self._journal
        if journal is None and self._parts.may_pause:
            journal = self._paused_runs
        if journal is None:
            return await launch(self._parts, request)
        return await durable.begin(self._parts, request, journal)

    async def resume(
        self,
        run_id: str,
        decisions: Mapping[str, Verdict] | None = None,
        *,
        context: Any = None,
        authority: Authority | None = None,
        store: Mapping[str, Any] | None = None,
        timeout: float | Unset | None = UNSET,
        cancel: CancelToken | None = None,
        on_event: OnEvent | None = None,
    ) -> RunResult:
        """Go on with a run that paused, was interrupted, or whose process died.

        The script runs again from its first line; what it did already is taken from the journal.
        A run that is over gives its recorded result.

        Args:
            run_id: as `RunResult.run_id`.
            decisions: answers by `Pending.id`. For a call whose outcome is unknown (a run that
                failed as `unknown_outcome`) Approve makes it again, Reject takes it as failed
                and Happened as done. An answer to what is not pending changes nothing and gives
                a warning; so does one whose arguments or result do not fit, and its call is
                asked about again.
            context: as for `run`; it is not on record.
            authority: narrows the one on record; None takes that.
            store: for the record only: the script sees the store that the run began with, and
                a warning says so where they differ.
            timeout: seconds from now instead of `Limits.wall_s`; None is no deadline.
            cancel, on_event: as for `run`. Events of what was recorded are marked as replayed.

        Raises:
            ConfigurationError: for an argument of the wrong kind.
            ResumeError: for a run that is unknown here, at work elsewhere, or was begun with
                other tools or knobs.
            ClosedError: after `aclose`.
        """
        check("resume(run_id=)", NAME, run_id)
        check_call(
            "resume",
            authority=authority,
            store=store,
            timeout=timeout,
            cancel=cancel,
            on_event=on_event,
        )
        self._live.check_open()
        request = Request(
            run_id=run_id,
            source="",
            app=context,
            store={},
            authority=authority,
            deadline=self._deadline(timeout),
            wall_s=self._wall_s(timeout),
            cancel=cancel,
            on_event=on_event,
        )
        journal = self._journal or self._paused_runs
        return await durable.resume(self._parts, request, journal, decisions or {}, store)

    async def start(
        self,
        source: str,
        *,
        determinism: Determinism,
        input: Any | Unset = UNSET,
        store: Mapping[str, Any] | None = None,
        authority: Authority | None = None,
        run_id: str = "run",
    ) -> Step:
        """Run a script to the first point at which it waits for calls, and give these.

        For workflow engines that make each call durable on their own: tools are not called
        here, `Step.deliver` takes what they returned. The script must not depend on anything
        but its input and those answers, so clock and random source have to be pinned.

        Raises:
            ConfigurationError: for an argument of the wrong kind.
            InputError: if `input` does not fit, is missing, or is not wanted.
            ClosedError: after `aclose`.
        """
        check("start(run_id=)", NAME, run_id)
        check_call("start", source=source, store=store, authority=authority)
        self._live.check_open()
        request = Request(
            run_id=run_id,
            source=source,
            input=self._parsed(input),
            store=stored_values(store),
            authority=authority,
            clock=_pinned(determinism),
        )
        runtime = self._parts.runtime or shared_runtime()
        return await stepper.start(self._parts, request, runtime)

    def run_sync(self, source: str, **options: Any) -> RunResult:
        """`run` for code that is not async, also inside a running event loop.

        Takes what `run` takes. Tools that are bound to the caller's loop need `await run`.
        """
        return run_blocking(lambda: self.run(source, **options))

    def resume_sync(
        self, run_id: str, decisions: Mapping[str, Verdict] | None = None, **options: Any
    ) -> RunResult:
        """`resume` for code that is not async; takes what that takes, and waits as `run_sync`."""
        return run_blocking(lambda: self.resume(run_id, decisions, **options))

    async def stream(self, source: str, **options: Any) -> AsyncIterator[Event]:
        """`run` as an iterator of its events; the last one is `RunEnded` with the result.

        Takes what `run` takes but `on_event`. Leaving the iteration early stops the run.
        """
        events: asyncio.Queue[Event | None] = asyncio.Queue()
        task = asyncio.create_task(self.run(source, **options, on_event=events.put_nowait))
        task.add_done_callback(lambda done: events.put_nowait(None))
        try:
            while (event := await events.get()) is not None:
                yield event
            await task
        finally:
            task.cancel()
            await asyncio.wait([task])

    def list_runs(self) -> list[RunInfo]:
        """The runs at work here, and all that the journal has: their state, age, questions.

        Waits for the journal: with one that talks to a server, call it in a thread of its own
        (`asyncio.to_thread`), so that no event loop stands still meanwhile.
        """
        journal = self._journal or self._paused_runs
        stored = run_blocking(lambda: durable.stored_runs(journal))
        known = {info.run_id for info in stored}
        return [*stored, *(info for info in self._live.listed() if info.run_id not in known)]

    async def abort(self, run_id: str) -> bool:
        """End a run as `aborted`, whether it is at work here or waits in the journal.

        False if there is none of that id, it is over, or another process is at work on it.
        """
        if self._live.abort(run_id):
            return True
        return await durable.give_up(self._journal or self._paused_runs, run_id)

    async def aclose(self, drain: bool = False) -> None:
        """Accept no more runs and end those at work, or let them finish with `drain`.

        A runtime that was passed in stays open, and so does the pool that the process shares.
        """
        await self._live.close(drain=drain)

    async def __aenter__(self) -> CodeMode:
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self.aclose()

    def _wall_s(self, timeout: float | Unset | None) -> float | None:
        return self.profile.limits.wall_s if isinstance(timeout, Unset) else timeout

    def _deadline(self, timeout: float | Unset | None) -> float | None:
        wall_s = self._wall_s(timeout)
        return None if wall_s is None else time.monotonic() + wall_s

    def _parsed(self, input: Any | Unset) -> Any | Unset:
        declared = self.contract.input
        if declared is None:
            if not isinstance(input, Unset):
                raise InputError("this contract declares no program input; leave `input` out")
            return UNSET
        if isinstance(input, Unset):
            raise InputError("this contract declares a program input; pass `input=`")
        return declared.parse(input)


def _pinned(determinism: Determinism) -> Clock:
    check("determinism=", a(Determinism), determinism)
    return determinism.pinned()
