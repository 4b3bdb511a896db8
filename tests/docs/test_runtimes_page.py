"""The programs of docs/runtimes.md run as they stand."""

from __future__ import annotations

import asyncio
import hashlib
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "runtimes.md"


@pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not on PATH")
def test_the_programs_of_the_page_run() -> None:
    programs = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(programs) == 2
    names: dict[str, Any] = {"__name__": "page"}
    for program in programs:
        exec(compile(program, str(PAGE), "exec"), names)
    note = names["read_note"]()["text"]
    assert asyncio.run(names["digest"]()) == hashlib.sha256(note.encode()).hexdigest()[:8]
