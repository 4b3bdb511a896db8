"""What a command that runs a script remembers of it while it runs."""

from __future__ import annotations

import argparse
import asyncio
import sys
from types import TracebackType

from toolscript.cli.live import LiveRun
from toolscript.cli.outcome import resume_command
from toolscript.events import Event, RunStarted


class Watch:
    """Tells a console of a run, and a person who interrupts it how to go on with it.

    `began` is whether anything was run: a run that is over gives its record.
    """

    def __init__(self, live: LiveRun, arguments: argparse.Namespace):
        self._live = live
        self._arguments = arguments
        self._run_id = ""
        self.began = False

    def on_event(self, event: Event) -> None:
        if isinstance(event, RunStarted):
            self.began = True
            self._run_id = event.run_id
        self._live.on_event(event)

    def __enter__(self) -> Watch:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        if isinstance(error, asyncio.CancelledError) and self.began and self._arguments.journal:
            command = resume_command(self._run_id, self._arguments)
            print(f"toolscript: go on with the run by:  {command}", file=sys.stderr)
