"""Standard output: for what a command has to say, and for nothing that tools print."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Generator
from contextlib import contextmanager, redirect_stdout
from typing import Final, TextIO

_STANDARD: Final = (("stdin", 0, "r"), ("stdout", 1, "w"), ("stderr", 2, "w"))


class Output(io.TextIOWrapper):
    """What a command says. A reader that goes away (`| head`) has seen enough, and is no error."""

    def write(self, text: str) -> int:
        try:
            return super().write(text)
        except BrokenPipeError:
            self._drop()
            return len(text)

    def flush(self) -> None:
        try:
            super().flush()
        except BrokenPipeError:
            self._drop()

    def _drop(self) -> None:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self.fileno())
        os.close(nowhere)
        super().flush()


def own_output() -> TextIO:
    """Standard output for this command alone, for the rest of the process.

    Whatever else writes to its descriptor, a tool, a thread or a child process of one, or what
    runs when the process ends, writes to standard error from now on.
    """
    _open_what_is_closed()
    sys.stdout.flush()
    ours = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return Output(
        open(ours, "wb"),
        encoding=sys.stdout.encoding,
        # A string of a script may hold what no encoding can write.
        errors="backslashreplace",
        line_buffering=os.isatty(ours),
    )


def own_input() -> TextIO:
    """Standard input for this command alone, for the rest of the process.

    Whatever else reads from its descriptor finds it empty.
    """
    ours = os.dup(sys.stdin.fileno())
    nowhere = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nowhere, sys.stdin.fileno())
    os.close(nowhere)
    return open(ours, encoding="utf-8")


@contextmanager
def as_standard_streams(source: TextIO, output: TextIO) -> Generator[None]:
    """These streams as `sys.stdin` and `sys.stdout`, for who takes those and no others."""
    before, sys.stdin = sys.stdin, source
    try:
        with redirect_stdout(output):
            yield
    finally:
        sys.stdin = before


def _open_what_is_closed() -> None:
    """Let the standard streams with which the process was not started lead to nowhere.

    Else the next file to be opened would be in the place of one of them.
    """
    while (opened := os.open(os.devnull, os.O_RDWR)) <= _STANDARD[-1][1]:
        pass
    os.close(opened)
    for name, descriptor, mode in _STANDARD:
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(descriptor, mode, encoding="utf-8"))
