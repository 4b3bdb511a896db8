"""How the tests of a runtime make one, and run a script in it."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

import pytest

from toolscript.sandbox.runtime import Program, Runtime
from toolscript.testing.guest_host import Answer, Ended, execute, surface

# No single test may hang; this is a guard, not a measure.
GUARD_S: Final = 60.0
MIB: Final = 1024 * 1024


def echo(args: Any) -> Any:
    return args


async def wait_and_return(args: Any) -> Any:
    await asyncio.sleep(args["ms"] / 1000)
    return args.get("value")


def fail(args: Any) -> Any:
    raise ValueError("boom")


async def hang(args: Any) -> Any:
    await asyncio.Event().wait()


ANSWERS: Final[Mapping[Any, Answer]] = {
    0: echo,
    1: wait_and_return,
    2: fail,
    3: hang,
    "sleep": wait_and_return,
    "greet": echo,
    "codemode.search": lambda args: [{"name": "echo", "query": args["query"]}],
}
NAMES: Final = ("echo", "slow", "fail", "hang")


class RuntimeTests:
    """How the tests of a runtime make one, and run a script in it."""

    @classmethod
    @abstractmethod
    def make_runtime(cls) -> Runtime:
        """A new runtime, ready to open programs; the tests close it."""
        raise NotImplementedError

    @pytest.fixture(scope="class")
    @classmethod
    def runtime(cls) -> Iterator[Runtime]:
        runtime = cls.make_runtime()
        yield runtime
        asyncio.run(runtime.aclose())

    def run(self, runtime: Runtime, code: str, **options: Any) -> Ended:
        """Run the body of a script with the tools `echo`, `slow`, `fail` and `hang`."""
        program = replace(Program(code=code, surface=surface(NAMES), cpu_s=20.0), **options)

        async def bounded() -> Ended:
            async with asyncio.timeout(GUARD_S):
                return await execute(runtime, program, ANSWERS)

        return asyncio.run(bounded())

    def value(self, runtime: Runtime, code: str, **options: Any) -> Any:
        """What a script returns that must succeed."""
        ended = self.run(runtime, code, **options)
        assert ended.outcome == "returned", ended.end
        return ended.value
