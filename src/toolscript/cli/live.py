"""What a person sees while a run lasts: each call as it ends, and how many are on their way."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from rich.console import Console
from rich.markup import escape

from toolscript.cli.receipts import call_text, counted
from toolscript.events import (
    CallCompleted,
    CallDenied,
    CallFailed,
    CallPending,
    CallStarted,
    Event,
    Output,
    Progress,
)


class LiveRun:
    """Prints the events of one run to a console. A context manager: the spinner ends with it."""

    def __init__(self, console: Console):
        self._console = console
        self._status = console.status("running")
        self._in_flight = 0
        self._done = 0
        self._message = ""

    def __enter__(self) -> LiveRun:
        self._status.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._status.stop()

    @contextmanager
    def standing_still(self) -> Generator[None]:
        """No spinner, so that a person can be asked something."""
        self._status.stop()
        try:
            yield
        finally:
            self._status.start()

    def on_event(self, event: Event) -> None:
        match event:
            case CallStarted():
                self._in_flight += 1
            case CallCompleted(call=call):
                self._ended(f"[green]✓[/] {escape(call_text(call))}")
            case CallFailed(call=call) if call.status == "cancelled":
                self._ended(f"[yellow]–[/] {escape(call_text(call))}")
            case CallFailed(call=call):
                self._ended(f"[red]✗[/] {escape(call_text(call))}")
            case CallDenied(call=call):
                self._print(f"[magenta]⊘[/] {escape(call_text(call))}")
            case CallPending(pending=pending):
                self._print(
                    f"[cyan]?[/] {escape(pending.tool)} waits for approval: {pending.reason}"
                )
            case Output(item=item) if item.type == "text":
                self._print(f"[dim]│[/] {escape(item.text)}")
            case Progress(message=message, fraction=fraction):
                share = "" if fraction is None else f" {fraction:.0%}"
                self._message = f" · {escape(message)}{share}"
            case _:
                return
        self._status.update(
            f"{counted(self._done, 'call')} done, {self._in_flight} on their way{self._message}"
        )

    def _ended(self, line: str) -> None:
        self._in_flight = max(self._in_flight - 1, 0)
        self._done += 1
        self._print(line)

    def _print(self, line: str) -> None:
        self._console.print(line, no_wrap=True, overflow="ellipsis", highlight=False)
