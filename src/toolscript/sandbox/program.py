"""A program as a worker or an engine in this process takes it."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from toolscript.sandbox.runtime import Program


def program_texts(program: Program) -> dict[str, str]:
    """The texts of a program, by the names under which the guest library takes them."""
    return {
        "code": program.code,
        "surface": program.surface,
        "catalog": program.catalog,
        "input": program.input or "",
        "store": program.store,
        "modules": json.dumps(dict(program.modules)),
    }


def program_options(program: Program) -> dict[str, Any]:
    """Everything else of a program, as JSON values."""
    return {
        "memory_bytes": program.memory_bytes,
        "stack_bytes": program.stack_bytes,
        "cpu_s": program.cpu_s,
        "frame_bytes": program.frame_bytes,
        "clock": None if program.clock is None else asdict(program.clock),
        "json": program.json,
        "track_lines": program.track_lines,
        "allow_eval": program.allow_eval,
    }


def program_settings(program: Program) -> dict[str, Any]:
    """Both in one, for `Machine.start`."""
    return {**program_options(program), **program_texts(program)}


def encode_program(program: Program) -> list[bytes]:
    """A line of settings, then the texts whose lengths it tells."""
    encoded = {
        name: text.encode("utf-8", "backslashreplace")
        for name, text in program_texts(program).items()
    }
    settings = program_options(program)
    settings["texts"] = [(name, len(data)) for name, data in encoded.items()]
    return [json.dumps(settings).encode() + b"\n", *encoded.values()]
