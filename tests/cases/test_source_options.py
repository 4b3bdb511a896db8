"""`source_options.json`: the options line of a script."""

from __future__ import annotations

import pytest

from tests.cases.support import Case, each_case
from toolscript.errors import SourceError
from toolscript.script.options import parse_source


@each_case("source_options.json")
def test_source_options(case: Case) -> None:
    expect = case["expect"]
    if not expect["ok"]:
        with pytest.raises(SourceError):
            parse_source(case["source"])
        return
    parsed = parse_source(case["source"])
    assert parsed.code == expect["code"]
    assert parsed.options.timeout_ms == expect["timeout_ms"]
    assert parsed.options.max_output_tokens == expect["max_output_tokens"]
