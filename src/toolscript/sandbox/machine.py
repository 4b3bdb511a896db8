"""One script in one engine context: compile, enter, drain its jobs, keep its clocks.

Used inside the worker process, where only this file, `worker.py` and `confinement.py` exist, and
by `InlineRuntime`. No Python function is ever given to the engine: what the guest wants to say is
fetched from it as text between jobs, and results go in through functions of the guest library.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

# The engine names every source alike: in a stack, the guest library is this line, which hardly any
# script has. More lines would be read again with each of its parts.
LIBRARY_LINE = 2_000
# What stands before the script on its first line.
BODY_PREFIX = "(async function ($module) {"
# A text that closes one of these wrappers cannot close all of them: after its closing brace a
# property list wants a comma, a statement cannot begin with one. `throw` keeps them from running.
CHECKS = (
    ("throw 0;({async $($module) {", "\n}})"),
    ("throw 0;{async function $($module) {", "\n}}"),
)
# What every script needs, compiled with each context.
BASE = ("main", "primordials", "bridge", "plain")
# The other parts of the guest library, in the order in which a script is likely to need them.
PARTS = (
    "values",
    "errors",
    "calls",
    "namespaces",
    "result",
    "output",
    "inspect",
    "unknown",
    "program",
    "timers",
    "store",
    "clock",
    "image",
    "web",
    "text",
    "query",
    "url",
    "clone",
)
# What a script needs that writes numbers and dates as a language does; `english` puts it in place.
ENGLISH = ("locale", "collation", "numbers", "dates", "intl", "english")
# The texts that the guest library's `start` takes.
GIVEN = ("options", "surface", "catalog", "input", "store", "modules")
FLUSH_S = 0.02
LOOK_S = 0.001
# What the engine itself measures time with, C's clock(): processor time of the process, but on
# Windows time that passes.
CLOCK = time.perf_counter if sys.platform == "win32" else time.process_time
INTERRUPTED = "InternalError: interrupted"
# What the guest's `pulse` says, and the first character of what its `hand` gives (`guest/bridge.js`).
SPEAKS, ENDED, BROKEN = 1, 2, 3

# Words of scripts that need a language. The engine knows none, and to teach it one costs a context
# more than most scripts take.
_SPEAKS_ENGLISH = re.compile(r"\bIntl\b|toLocale|localeCompare")
_PLACE = re.compile(r"<input>:(\d+):(\d+)\)?\s*$")


class Stopped(Exception):
    """The engine was stopped; `outcome` says why."""

    def __init__(self, outcome: str, message: str) -> None:
        super().__init__(message)
        self.outcome = outcome


class Rejected(Exception):
    """The engine cannot compile the script."""

    def __init__(self, message: str, line: int, column: int) -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.column = column


class Library:
    """The guest library: what every context is made from, and the parts compiled on demand."""

    def __init__(self, sources: Mapping[str, str]) -> None:
        self.parts = {name: one_line(sources[name]) for name in PARTS}
        self.english = {name: one_line(sources[name]) for name in ENGLISH}
        main, *rest = (one_line(sources[name]) for name in BASE)
        primordials, bridge, plain = rest
        # The zero makes an expression of the function behind it.
        lead = f"'\\n'.repeat({LIBRARY_LINE - 1})+'\"use strict\";0,'"
        layout = f"{{__proto__:null,line:{LIBRARY_LINE},columns:{len(BODY_PREFIX)},lead:{lead}}}"
        self.base = (
            "\n" * (LIBRARY_LINE - 1)
            + f"0,function(){{'use strict';return {main}({primordials}(),"
            + f"{layout},{{__proto__:null,bridge:{bridge},plain:{plain}}})}}()"
        )


def one_line(source: str) -> str:
    """A source of the guest library on a single line, without its comments.

    Its comments stand on lines of their own and its strings on one line each; a test sees to it.
    """
    # Each source is a function in parentheses, and here without them: the engine reads what
    # stands in parentheses twice, as it may turn out to be an arrow's parameters.
    text = source[source.index("(function ") + 1 : source.rindex(")")]
    lines = (line.strip() for line in text.splitlines())
    joined = " ".join(line for line in lines if not line.startswith("//"))
    # In ASCII, which the engine takes as it is; other characters stand in strings only.
    return joined.encode("ascii", "backslashreplace").decode()


class Machine:
    """A context that is ready for one script. Belongs to one thread."""

    def __init__(self, engine: Any, library: Library) -> None:
        self._error: type[Exception] = engine.JSException
        context = engine.Context()
        self._context: Any = context
        # The binding keeps the engine's default stack of 256 KB until `start`.
        entry: Any = context.eval(library.base)
        self._give: Any = entry("source")
        for name, text in library.parts.items():
            self._give(name, text)
        self._english = library.english
        entry("tidy")()
        self._warm: Any = entry("warm")
        self._need: Any = entry("need")
        self._start: Any = entry("start")
        self._hand: Callable[[], str] = entry("hand")
        self._pulse: Callable[[], int] = entry("pulse")
        self._resolve: Any = entry("resolve")
        self._reject: Any = entry("reject")
        self._tick: Any = entry("tick")
        self._job: Callable[[], bool] = context.execute_pending_job
        self._limit: Callable[[float], None] = context.set_time_limit
        self._deadline: float | None = None
        self._entered: float | None = None
        self.cpu_s = 0.0
        self.settled = 0
        self._state = 0

    def warm(self) -> Iterator[None]:
        """Compile the parts of the library ahead, one at each step."""
        for name in PARTS:
            self._warm(name)
            yield

    def start(self, program: Mapping[str, Any], max_stack: int) -> None:
        """Compile and enter the script.

        Raises:
            Rejected: if it cannot be compiled.
            Stopped: if it used up its time or memory at once.
        """
        memory = program["memory_bytes"]
        if memory is not None:
            self._context.set_memory_limit(memory)
        stack = program["stack_bytes"]
        self._context.set_max_stack_size(max_stack if stack is None else min(stack, max_stack))
        self._deadline = program["cpu_s"]
        self._entered = CLOCK()
        self._arm()
        body = self._compile(program["code"])
        try:
            if any(_SPEAKS_ENGLISH.search(program[name]) for name in ("code", "modules")):
                self._speak_english()
            self._start(*(program[name] for name in GIVEN), body)
        except self._error as error:
            self._explain(error)
            raise

    def _speak_english(self) -> None:
        for name, text in self._english.items():
            self._give(name, text)
        self._need("english")

    def resolve(
        self, seq: int, text: str, bigints: bool, face: str | None, now_ms: int | None
    ) -> None:
        """Deliver the result of one call."""
        self._deliver(now_ms, self._resolve, seq, text, bigints, face)

    def reject(self, seq: int, error: str, now_ms: int | None) -> None:
        """Deliver the failure of one call."""
        self._deliver(now_ms, self._reject, seq, error)

    def drain(self) -> Iterator[str]:
        """Run jobs until none is left or the script has ended; yields what the guest says.

        Raises:
            Stopped: if it used up its time or memory.
        """
        job, now = self._job, time.monotonic
        if self._entered is None:
            self._entered = CLOCK()
        looked = now()
        # What is said first goes out soon, before a loop of the engine's own can hold it back;
        # what a busy script says then goes out together.
        flushed = 0.0
        try:
            while True:
                try:
                    if not job():
                        break
                except self._error as error:
                    self._explain(error)
                # The CPU clock and the guest cost more to ask than a job does: they are asked
                # once a millisecond.
                moment = now()
                if moment - looked > LOOK_S:
                    looked = moment
                    self._arm()
                    state = self._pulse()
                    if state >= ENDED:
                        break
                    if state == SPEAKS and moment - flushed > FLUSH_S:
                        yield from self.fetch()
                        flushed = moment
        finally:
            self._leave()
        yield from self.fetch()

    def fetch(self) -> Iterator[str]:
        """What the guest has to say, in pieces.

        Raises:
            Stopped: if there is no memory left to say it.
        """
        more = True
        while more:
            try:
                text = self._hand()
            except self._error as error:
                self._explain(error)
                raise Stopped("memory", "out of memory") from None
            self._state = int(text[0])
            more = self._state == SPEAKS
            if len(text) > 1:
                yield text[1:]

    @property
    def busy(self) -> bool:
        """Whether the script has more to compute at once."""
        return self._entered is not None

    @property
    def ended(self) -> bool:
        """Whether the script has ended, and said so, as far as it was fetched."""
        return self._state == ENDED

    @property
    def broken(self) -> bool:
        """Whether the script ended without memory to say so."""
        return self._state == BROKEN

    def unlimited(self) -> None:
        """Lift the time limit, to fetch what a stopped script had said."""
        self._limit(-1)

    def _deliver(self, now_ms: int | None, enter: Callable[..., None], *args: Any) -> None:
        if now_ms is not None:
            self._tick(float(now_ms))
        self.settled += 1
        self._entered = CLOCK()
        try:
            enter(*args)
        except self._error as error:
            self._explain(error)

    def _arm(self) -> None:
        """Give the engine what is left of the script's time; each of its entries may use it."""
        if self._deadline is not None:
            left = self._deadline - self._spent()
            if left <= 0:
                raise Stopped("timeout", "")
            self._limit(left)

    def _spent(self) -> float:
        running = 0.0 if self._entered is None else CLOCK() - self._entered
        return self.cpu_s + running

    def _leave(self) -> None:
        self.cpu_s = self._spent()
        self._entered = None

    def _explain(self, error: Exception) -> None:
        """Raise `Stopped` if the engine was stopped; otherwise the error is of no importance.

        The guest lets no exception of a script out, so that what comes here is the engine's own:
        an interrupt at the end of the time, or the end of memory.
        """
        if str(error).startswith(INTERRUPTED):
            raise Stopped("timeout", "") from None
        if str(error).startswith("InternalError: out of memory"):
            raise Stopped("memory", "out of memory") from None
        self._arm()

    def _compile(self, code: str) -> Any:
        evaluate = self._context.eval
        for prefix, suffix in CHECKS:
            try:
                evaluate(prefix + code + suffix)
            except self._error as error:
                if not str(error).startswith("0"):
                    self._explain(error)
                    raise _rejected(error, len(prefix)) from None
        try:
            return evaluate(BODY_PREFIX + code + "\n})")
        except self._error as error:
            self._explain(error)
            raise _rejected(error, len(BODY_PREFIX)) from None


def _rejected(error: Exception, prefix: int) -> Rejected:
    text = str(error)
    message = text.partition("\n")[0].removeprefix("SyntaxError: ")
    place = _PLACE.search(text)
    line, column = (int(place[1]), int(place[2])) if place else (1, 1)
    return Rejected(message, line, max(1, column - prefix) if line == 1 else column)
