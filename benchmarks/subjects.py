"""The three that are compared, behind one small interface."""

from __future__ import annotations

import importlib.util
from abc import ABC, abstractmethod
from typing import Any

from benchmarks.tools import TOOLS
from benchmarks.work import Work


class Subject(ABC):
    """Something that runs scripts over tools."""

    name: str
    module: str
    language = "javascript"

    @abstractmethod
    async def open(self) -> None:
        """Make ready for runs."""

    @abstractmethod
    async def run(self, work: Work) -> Any:
        """One fresh run; its value."""

    @abstractmethod
    async def close(self) -> None: ...

    def expected(self, work: Work) -> Any:
        if self.language == "python" and work.expect_python is not None:
            return work.expect_python
        return work.expect


class Toolscript(Subject):
    name = "toolscript"
    module = "toolscript"

    async def open(self) -> None:
        from toolscript import CodeMode

        limits = {
            "calls": None,
            "parallel": None,
            "result_bytes": 64 * 1024 * 1024,
            "argument_bytes": 64 * 1024 * 1024,
        }
        self._codemode = CodeMode(TOOLS, limits=limits)

    async def run(self, work: Work) -> Any:
        return (await self._codemode.run(work.javascript)).unwrap()

    async def close(self) -> None:
        await self._codemode.aclose()


class LangchainQuickjs(Subject):
    """Driven below the agent middleware: the registry makes, resets and closes its contexts."""

    name = "langchain-quickjs"
    module = "langchain_quickjs"

    async def open(self) -> None:
        from langchain_core.tools import StructuredTool
        from langchain_quickjs._repl import _Registry

        self._registry = _Registry(
            memory_limit=512 * 1024 * 1024,
            timeout=300,
            capture_console=True,
            max_stdout_chars=100_000,
            max_ptc_calls=None,
            subagents_enabled=False,
        )
        self._tools = [StructuredTool.from_function(coroutine=tool) for tool in TOOLS]

    async def run(self, work: Work) -> Any:
        import asyncio

        repl = self._registry.get("benchmark")
        repl.install_tools(self._tools)
        try:
            outcome = await repl.eval_async(
                f"await (async () => {{ {work.javascript} }})()",
                outer_loop=asyncio.get_running_loop(),
            )
        finally:
            self._registry.reset_repl("benchmark")
        if outcome.error_type:
            raise RuntimeError(outcome.error_message)
        return int(outcome.result)

    async def close(self) -> None:
        self._registry.close()


class PydanticMonty(Subject):
    name = "pydantic-monty"
    module = "pydantic_monty"
    language = "python"

    async def open(self) -> None:
        from pydantic_monty import AsyncMonty

        self._pool = await AsyncMonty().__aenter__()
        self._lookup = {tool.__name__: tool for tool in TOOLS}

    async def run(self, work: Work) -> Any:
        async with self._pool.checkout() as session:
            return await session.feed_run(work.python, external_lookup=self._lookup)

    async def close(self) -> None:
        await self._pool.__aexit__(None, None, None)


SUBJECTS = (Toolscript, LangchainQuickjs, PydanticMonty)


def installed() -> list[Subject]:
    """A subject of each kind whose package is here; toolscript first."""
    return [kind() for kind in SUBJECTS if importlib.util.find_spec(kind.module)]
