"""docs/adapters.md names what there is, and its example runs as it stands."""

from __future__ import annotations

import contextlib
import io
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "adapters.md").read_text(encoding="utf-8")
EXTRAS = set(
    tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "optional-dependencies"
    ]
)
OTHERS = {"typecheck", "langchain", "otel"}


def test_the_table_has_a_row_for_each_framework() -> None:
    rows = re.findall(r"^\| \[.+?\]\((.+?)\) \| `toolscript\[(.+?)\]` \|", PAGE, re.MULTILINE)
    assert sorted(extra for _, extra in rows) == sorted(EXTRAS - OTHERS)
    for recipe, _ in rows:
        assert (ROOT / "docs" / recipe).is_file()


def test_the_example_runs() -> None:
    (example,) = re.findall(r"```python\n(.+?)```", PAGE, re.DOTALL)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(example, "docs/adapters.md", "exec"), {"__name__": "page"})
    assert printed.getvalue().splitlines()[-1] == "6"
