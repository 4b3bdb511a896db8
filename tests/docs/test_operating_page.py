"""The programs of docs/operating.md run as they stand and print what their comments say."""

from __future__ import annotations

import contextlib
import io
import re
from dataclasses import fields
from pathlib import Path

from toolscript import RunUsage

PAGE = Path(__file__).resolve().parents[2] / "docs" / "operating.md"
TEXT = PAGE.read_text(encoding="utf-8")


def test_the_programs_of_the_page_run_and_print_what_they_say() -> None:
    programs = re.findall(r"^```python\n(.*?)^```", TEXT, re.M | re.S)
    assert len(programs) >= 8
    names: dict[str, object] = {"__name__": "page"}
    for program in programs:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(program, str(PAGE), "exec"), names)
        said = re.findall(r"^ *print\(.*\)  # (.*)$", program, re.M)
        lines = printed.getvalue().splitlines()
        assert [line for line in lines if line in said] == said
        for line in lines:
            assert line in TEXT, line


def test_the_page_explains_every_field_of_usage() -> None:
    for item in fields(RunUsage):
        assert f"| `{item.name}` | " in TEXT, item.name


def test_what_it_links_to_is_there() -> None:
    for link in re.findall(r"\]\(([^)#]+)\)", TEXT):
        assert (PAGE.parent / link).exists(), link
