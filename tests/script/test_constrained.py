"""The syntax rules of the constrained profile, against ways around them."""

from __future__ import annotations

import pytest

from toolscript.script.constrained import check_constrained


@pytest.mark.parametrize(
    "source",
    [
        "const {'constructor': c} = () => 0",
        r"const {'\x63onstructor': c} = () => 0",
        r"const {'\constructor': c} = () => 0",
        "let k; [{'constructor': k}] = [() => 0]",
        "(({'constructor': k}) => k('x'))(() => 0)",
    ],
)
def test_a_quoted_name_takes_out_nothing_that_a_bare_one_may_not(source: str) -> None:
    assert "not allowed" in check_constrained(source)[0].message


def test_an_ordinary_quoted_name_is_fine() -> None:
    assert check_constrained("const {'due date': due} = await tools.a({})") == ()
