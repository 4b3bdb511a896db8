"""A program as a worker or an engine in this process takes it."""

from __future__ import annotations

import json
from dataclasses import asdict
from functools import lru_cache
from typing import Any, Final

from toolscript.sandbox.runtime import Clock, Program

BOUNDS: Final = ("memory_bytes", "stack_bytes", "cpu_s", "frame_bytes")
"""What a worker itself has to know of a program: numbers, or None for no bound."""

TEXTS: Final = ("options", "code", "surface", "catalog", "input", "store", "modules")
"""What goes into the engine as it is, in the order in which it is sent."""


def program_texts(program: Program) -> tuple[str, ...]:
    """The texts of a program, in the order of `TEXTS`."""
    return (
        _options(
            program.frame_bytes,
            program.clock,
            program.json,
            program.track_lines,
            program.allow_eval,
        ),
        program.code,
        program.surface,
        program.catalog,
        program.input or "",
        program.store,
        json.dumps(dict(program.modules)) if program.modules else "{}",
    )


def program_bounds(program: Program) -> tuple[float | None, ...]:
    """The numbers of a program, in the order of `BOUNDS`."""
    return (program.memory_bytes, program.stack_bytes, program.cpu_s, program.frame_bytes)


def program_settings(program: Program) -> dict[str, Any]:
    """Both by name, for `Machine.start`."""
    bounds = zip(BOUNDS, program_bounds(program), strict=True)
    return {**dict(bounds), **dict(zip(TEXTS, program_texts(program), strict=True))}


def encode_program(program: Program) -> list[bytes]:
    """A line of numbers, the bounds and then the lengths of the texts; then the texts."""
    encoded = [text.encode("utf-8", "backslashreplace") for text in program_texts(program)]
    bounds = ["null" if bound is None else repr(bound) for bound in program_bounds(program)]
    numbers = ",".join([*bounds, *(str(len(data)) for data in encoded)])
    return [f"[{numbers}]\n".encode(), *encoded]


@lru_cache(maxsize=32)
def _options(
    frame_bytes: int, clock: Clock | None, numbers: str, track_lines: bool, allow_eval: bool
) -> str:
    """What the guest library has to know, as JSON: the same for all runs of an engine."""
    return json.dumps(
        {
            "frame_bytes": frame_bytes,
            "clock": None if clock is None else asdict(clock),
            "json": numbers,
            "track_lines": track_lines,
            "allow_eval": allow_eval,
        }
    )
