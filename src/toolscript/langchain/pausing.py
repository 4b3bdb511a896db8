"""`interrupt()` in a nested tool: the graph pauses, the script never notices.

LangGraph gives each task one list of answers and one namespace, from which the ids of its
interrupts are made. Here each nested call gets its own of both, so that several calls can wait
at once, each under its own id, and each answer reaches the call that asked. The keys below are
LangGraph's, and the same from 1.0 on.
"""

from __future__ import annotations

import dataclasses
import itertools
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, cast

from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import set_config_context

_SCRATCHPAD: Final = "__pregel_scratchpad"
_SEND: Final = "__pregel_send"
_RESUME_MAP: Final = "__pregel_resume_map"
_NAMESPACE: Final = "checkpoint_ns"
_RESUME: Final = "__resume__"

Send = Callable[[Sequence[tuple[str, Any]]], None]


class Bubble(BaseException):
    """Carries an exception that steers the graph past the script, which must not catch it.

    No `Exception`, so that the host takes it for no failure of the tool: it stops the script,
    lets calls under way finish, and raises it from the run.
    """

    def __init__(self, error: BaseException):
        super().__init__(str(error))
        self.error = error


def steers_graph(error: BaseException) -> bool:
    """Whether LangGraph raised this to pause, redirect or drain the graph, or to refuse an answer.

    Looked up only where LangGraph is loaded: nothing else could have raised it.
    """
    errors = sys.modules.get("langgraph.errors")
    if errors is None:
        return False
    if isinstance(error, errors.GraphBubbleUp):
        return True
    # A resume value of the wrong shape, known to newer versions, is no mistake of the script.
    refused = getattr(errors, "is_invalid_resume", None)
    return refused is not None and bool(refused(error))


def can_pause(config: RunnableConfig) -> bool:
    """Whether this runs in a task of a graph, which an interrupt can pause."""
    return _SCRATCHPAD in config.get("configurable", {})


class Pauses:
    """The interrupts of one execution of a code run, and the answers to earlier ones.

    `answers` holds, by who asked, what was already answered; it grows while calls take new
    answers, and has to be kept until the run is through. `asking` are the seqs of the calls
    that wait now.
    """

    def __init__(self) -> None:
        self._errors: list[BaseException] = []
        self.answers: dict[str, list[Any]] = {}
        self.asking: set[int] = set()

    def config_for(self, config: RunnableConfig, asker: str, *, new: bool = True) -> RunnableConfig:
        """The config for one asker (`call_1:3`), with answers and a namespace of its own.

        Without `new` it gets no answer that came with this execution.
        """
        configurable: Mapping[str, Any] = config.get("configurable", {})
        scratchpad = configurable.get(_SCRATCHPAD)
        if scratchpad is None:
            return config
        namespace = f"{configurable.get(_NAMESPACE, '')}|{asker}"
        addressed: Mapping[str, Any] = (configurable.get(_RESUME_MAP) or {}) if new else {}
        # `Command(resume=value)` names no interrupt: it is for the one call that asks.
        unaddressed = scratchpad.get_null_resume if new and not addressed else _nothing
        return {
            **config,
            "configurable": {
                **configurable,
                _NAMESPACE: namespace,
                _SEND: self._send_for(asker, configurable[_SEND]),
                _SCRATCHPAD: dataclasses.replace(
                    scratchpad,
                    interrupt_counter=itertools.count().__next__,
                    subgraph_counter=itertools.count().__next__,
                    call_counter=itertools.count().__next__,
                    resume=self._given(asker, namespace, addressed),
                    get_null_resume=unaddressed,
                ),
            },
        }

    def drop_answers(self, asker: str, keep: int) -> None:
        """Forget all but the first `keep` answers: a later one could not be used."""
        self.answers[asker] = self.answers.get(asker, [])[:keep]

    def note(self, error: BaseException, seq: int) -> None:
        """A call raised something that steers the graph."""
        self._errors.append(error)
        self.asking.add(seq)

    def ask(
        self, config: RunnableConfig, asker: str, seq: int, question: Any, *, new: bool = True
    ) -> tuple[Any, ...]:
        """Ask by an interrupt: the answer, or nothing if it waits for one."""
        from langgraph.types import interrupt

        try:
            with set_config_context(self.config_for(config, asker, new=new)) as context:
                return (context.run(interrupt, question),)
        except Exception as error:
            if not steers_graph(error):
                raise
            self.note(error, seq)
            return ()

    def error(self) -> BaseException:
        """What the code tool raises for all that its calls raised to steer the graph.

        Interrupts are joined, one for each waiting call. Anything else goes first: a refused
        answer leaves all of them answerable.
        """
        errors = sys.modules["langgraph.errors"]
        interrupts: list[Any] = []
        for error in self._errors:
            if not isinstance(error, errors.GraphInterrupt):
                return error
            interrupts += error.args[0]
        return cast(BaseException, errors.GraphInterrupt(tuple(interrupts)))

    def _given(self, asker: str, namespace: str, addressed: Mapping[str, Any]) -> list[Any]:
        """Answers for one asker: the earlier ones, and a new one addressed to its interrupt."""
        given = list(self.answers.get(asker, ()))
        for key in _interrupt_ids(namespace, len(given)) if addressed else ():
            if key in addressed:
                return [*given, addressed[key]]
        return given

    def _send_for(self, asker: str, send: Send) -> Send:
        """The graph's `send`, except that answers are kept by call and not by task."""

        def keep_answers(writes: Sequence[tuple[str, Any]]) -> None:
            rest = [write for write in writes if write[0] != _RESUME]
            for channel, value in writes:
                if channel == _RESUME:
                    self.answers[asker] = list(value)
            if rest:
                send(rest)

        return keep_answers


def _nothing(consume: bool = False) -> None:
    return None


def _interrupt_ids(namespace: str, answered: int) -> list[str]:
    """Ids that LangGraph may give to the next interrupt of a namespace."""
    from xxhash import xxh3_128_hexdigest

    plain = xxh3_128_hexdigest(namespace.encode())
    if not answered:
        return [plain]
    return [xxh3_128_hexdigest(f"{namespace}|{answered}".encode()), plain]
