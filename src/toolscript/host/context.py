"""What a tool's handler learns about the call that it answers."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Callable
from typing import Any

from toolscript.host.entries import Image
from toolscript.host.failures import failed
from toolscript.host.policy import Authority
from toolscript.host.setup import NestedScope, RunSetup
from toolscript.result import RunResult


class CallContext:
    """The `ToolContext` of one call."""

    __slots__ = (
        "_cancelled",
        "_over",
        "_person_decides",
        "_setup",
        "authority",
        "deadline",
        "images",
        "line",
        "seq",
        "tool",
    )

    def __init__(
        self,
        setup: RunSetup,
        seq: int,
        tool: str,
        line: int | None,
        authority: Authority | None,
        deadline: float | None,
        person_decides: Callable[[bool], None] | None = None,
    ) -> None:
        self._setup = setup
        self._cancelled: asyncio.Event | None = None
        self._over = False
        self.images: list[Image] = []
        self.seq = seq
        self.tool = tool
        self.line = line
        self.authority = authority
        self.deadline = deadline
        self._person_decides = person_decides

    @property
    def run_id(self) -> str:
        return self._setup.run_id

    @property
    def app(self) -> Any:
        return self._setup.app

    @property
    def cancelled(self) -> asyncio.Event:
        if self._cancelled is None:
            self._cancelled = asyncio.Event()
            if self._over:
                self._cancelled.set()
        return self._cancelled

    def cancel(self) -> None:
        """The call no longer matters."""
        self._over = True
        if self._cancelled is not None:
            self._cancelled.set()

    def image(self, data: bytes, mime_type: str) -> None:
        """Show an image in the run's output, before this call's result reaches the script.

        Raises:
            ValueError: for a MIME type that is no image's.
        """
        if not mime_type.startswith("image/"):
            raise ValueError(f"an image has a MIME type like image/png, not {mime_type!r}")
        self.images.append(Image(base64.b64encode(data).decode(), mime_type))

    async def run(self, source: str) -> RunResult:
        """Run a nested script under this call's authority.

        Raises:
            ToolError: `call_limit` when runs are nested deeper than `Limits.depth`.
        """
        setup = self._setup
        depth, most = setup.depth + 1, setup.profile.limits.depth
        # The outermost script's own calls are at depth 1 (seed 003).
        if depth + 1 > most:
            raise failed(
                "call_limit",
                f"scripts may be nested {most} deep (depth), counting the outermost one",
                details={"limit": "depth", "allowed": most, "seen": depth + 1},
            )
        scope = NestedScope(
            run_id=setup.run_id,
            seq=self.seq,
            tool=self.tool,
            authority=self.authority,
            depth=depth,
            deadline=self.deadline,
            app=setup.app,
            person_decides=self._person_decides,
        )
        return await setup.nested(source, scope)
