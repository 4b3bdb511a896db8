"""What every runtime is: it executes a program and exchanges frames, and knows no tools.

`Runtime` is the abstract class that others implement; `toolscript.testing.RuntimeConformance`
checks an implementation. The host opens an `Execution` for each run, reads the frames that the
guest sends, and answers its calls.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from toolscript.sandbox.frames import EndFrame, Frame


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a runtime can promise. Conformance tests are graded by these.

    Attributes:
        kills_native_loops: a loop inside the engine's own code is ended by the deadline.
        survives_crash: a crash of the engine ends one run, not the host.
        cpu_clock: the script's own computing is measured apart from waiting.
        deterministic: a pinned clock and random source make a run repeatable.
        imports: the platform resolves `import` of modules that the program does not carry.
        sandboxed: scripts need not be trusted.
        byte_columns: columns in errors and stacks count bytes of UTF-8, not UTF-16 units.
    """

    kills_native_loops: bool = False
    survives_crash: bool = False
    cpu_clock: bool = False
    deterministic: bool = False
    imports: bool = False
    sandboxed: bool = False
    byte_columns: bool = False


@dataclass(frozen=True, slots=True)
class Clock:
    """Pinned clock and random source of a run (`Determinism`, or a journal's)."""

    now_ms: int
    seed: int
    advancing: bool = False
    """False: `Date.now()` stays at `now_ms`. True: it moves to the time given with each result."""


@dataclass(frozen=True, slots=True)
class Program:
    """One script, ready to execute, with all that the guest needs to know.

    Attributes:
        code: body of an async function, JavaScript. Already parsed and known to be complete.
            A module's source was turned into a body that returns its default export's result
            and reaches `$module` for its scope and imports.
        surface: JSON text that tells the guest which globals to build; see `surface.Surface`.
        catalog: JSON text of `[{name, description}, ...]`, parsed only when a script lists tools.
        input: JSON text of the validated program input; None when the contract has none.
        store: JSON text of an object: what `load` sees.
        modules: name → function-body source of modules that the program may import.
        memory_bytes, stack_bytes: bounds of the engine's heap and stack; None is unbounded.
        cpu_s: bound of the script's own computing, in seconds; None is unbounded.
        frame_bytes: largest single frame that the guest may send, in bytes.
        clock: pinned clock and random source, or None for the real ones.
        json: how numbers and odd values cross: see `Knobs`.
        track_lines: send the script line of each call.
        allow_eval: keep `eval` and `Function`.
    """

    code: str
    surface: str
    catalog: str = "[]"
    input: str | None = None
    store: str = "{}"
    modules: Mapping[str, str] = field(default_factory=dict[str, str])
    memory_bytes: int | None = None
    stack_bytes: int | None = None
    cpu_s: float | None = None
    frame_bytes: int = 64 * 1024 * 1024
    clock: Clock | None = None
    json: Literal["bigint", "lossless", "js"] = "bigint"
    track_lines: bool = False
    allow_eval: bool = True


@dataclass(frozen=True, slots=True)
class Usage:
    """What one execution used, as the host measured it."""

    cpu_s: float | None = None
    memory_peak_bytes: int | None = None
    queue_s: float = 0.0
    """Seconds spent waiting for a free worker."""


class Execution(ABC):
    """One program being executed. Belongs to the event loop that opened it."""

    @abstractmethod
    async def receive(self) -> Sequence[Frame]:
        """The frames that have arrived, in order; waits until there is at least one.

        After an `EndFrame` there are no more. A guest that dies or breaks the protocol ends with
        an `EndFrame` of outcome `worker_exit`: this method never raises for what a guest does.
        """

    def listen(self, take: Callable[[Sequence[Frame]], None]) -> Callable[[], Awaitable[None]]:
        """Have `take` called on the event loop with the frames as they arrive, to the last.

        `receive` in a loop, for a host that need not be woken for each batch. What comes back
        ends the listening.
        """

        async def read() -> None:
            try:
                while frames := await self.receive():
                    take(frames)
            except Exception as error:
                message = f"the runtime failed ({type(error).__name__})"
                take([EndFrame("worker_exit", message=message)])

        reader = asyncio.ensure_future(read())

        async def stop() -> None:
            reader.cancel()
            await asyncio.wait([reader])

        return stop

    @abstractmethod
    def resolve(
        self,
        seq: int,
        value: str,
        *,
        bigints: bool = False,
        text: str | None = None,
        now_ms: int | None = None,
    ) -> None:
        """Settle call `seq` with a JSON text. Never blocks; delivered in the order given.

        The guest takes in one settlement only when it has nothing else to do, and does all that
        follows from it before it takes in the next. So what a script does depends on the order
        of its results, never on their timing, and a recorded run can be repeated (`replay`).

        `bigints` says that the text holds integers that a double cannot hold. `text` is what
        printing the value shows instead of it. `now_ms` moves an advancing clock.
        """

    @abstractmethod
    def reject(self, seq: int, error: Mapping[str, Any], *, now_ms: int | None = None) -> None:
        """Fail call `seq`.

        `error` holds `name`, `message`, `tool`, `code`, `details` and, for a namespace with an
        error class, `class` and `member`; all JSON values.
        """

    @abstractmethod
    async def aclose(self) -> None:
        """Let go of the execution: a guest that has not ended is stopped, whatever it does.

        Called again, for example because the first call was cancelled, it waits for the same end.
        """

    @property
    @abstractmethod
    def usage(self) -> Usage:
        """What was used so far; final after `aclose`."""


class Runtime(ABC):
    """A place where programs are executed."""

    @property
    def name(self) -> str:
        """The environment's short name, by which a tool's manifest may ask for it: "quickjs"."""
        return type(self).__name__.removesuffix("Runtime").lower()

    @property
    def language(self) -> str:
        """What its scripts are written in; contracts are declared in TypeScript only."""
        return "typescript"

    @property
    @abstractmethod
    def description(self) -> str:
        """One sentence about the environment, for the person or the agent that uses it."""

    @property
    @abstractmethod
    def capabilities(self) -> Capabilities:
        """What the runtime can promise."""

    @property
    @abstractmethod
    def isolation(self) -> Mapping[str, bool | str]:
        """Which protections are in force, by name, as probed and not as assumed."""

    @abstractmethod
    async def open(self, program: Program) -> Execution:
        """Begin to execute; waits for a free place. Raises `ClosedError` after `aclose`."""

    def open_now(self, program: Program) -> Execution | None:
        """Begin to execute if a place is free at this moment; None says to wait with `open`.

        For runtimes that mostly have one: a host need not watch the clock then.
        """
        return None

    @abstractmethod
    async def aclose(self) -> None:
        """End everything that this runtime started, and wait until it has ended."""

    def type_definitions(self) -> Mapping[str, str]:
        """Declaration files (name → text) of what the environment itself offers, for checking."""
        return {}
