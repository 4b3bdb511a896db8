"""The programs of docs/durable.md run as they stand, one after the other."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "durable.md"


def test_the_programs_of_the_page_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(tmp_path)
    programs = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(programs) == 2
    names: dict[str, object] = {"__name__": "page"}
    for program in programs:
        exec(compile(program, str(PAGE), "exec"), names)
    assert capsys.readouterr().out.splitlines() == [
        "transfer {'account': 'rent', 'amount': 250} 3 ()",
        "moved 250 to rent",
        "moved 250 to rent",
    ]
