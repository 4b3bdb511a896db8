"""The source of the Node.js runner, put together from its files and the guest library."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Final

from toolscript.sandbox.machine import BASE, PARTS

FOLDER: Final = Path(__file__).parent


@cache
def runner_source() -> tuple[str, str]:
    """A self-contained ES module that exports `startRunner`, and which runner it is.

    The second is a digest of the first: a host and a runner of different versions of this package
    notice at once.
    """
    guest = {name: _text(f"guest/{name}.js") for name in (*BASE, *PARTS)}
    parts = [
        f"const THREAD = {json.dumps(_text('node_thread.cjs'))};",
        f"const GUEST = {json.dumps(guest)};",
        _text("node_runner.mjs"),
    ]
    text = "\n".join(parts)
    identity = hashlib.sha256(text.encode()).hexdigest()[:16]
    return f"const IDENTITY = {json.dumps(identity)};\n{text}", identity


def bootstrap() -> str:
    """What a Node.js is started with, so that it takes the runner's source from its channel."""
    return _text("node_bootstrap.cjs")


def _text(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")
