"""Syntax errors and excerpts."""

from __future__ import annotations

import pytest

from tests.script.harness import problems, value_of
from toolscript.script.brackets import find_unbalanced
from toolscript.script.diagnostic import excerpt


@pytest.mark.parametrize(
    ("source", "line", "column", "says"),
    [
        ("const a = {b: 1\nreturn a", 1, 11, "`{` is never closed"),
        ("f(1));", 1, 5, "`)` closes nothing"),
        ("if (a {\n}", 2, 2, ""),
        ("const a = 'x\nreturn a", 1, 11, "does not end on its line"),
        ("const a = `x${1", 1, 13, "`${` is never closed"),
        ("const a = `x", 1, 11, "is never closed"),
        ("return 1 /* c", 1, 10, "never closed"),
        ("f([1, 2);", 1, 8, "does not close `[`"),
        ("return tools.", 1, 13, "ends in the middle"),
        ("x = 1;\nreturn 1 +\n", 2, 10, "ends in the middle"),
    ],
)
def test_what_is_wrong_is_shown_where_it_is(source: str, line: int, column: int, says: str) -> None:
    found = problems(source)[0]
    assert says in found.message
    if says:
        assert (found.line, found.column) == (line, column)


@pytest.mark.parametrize(
    "source",
    [
        "a = /[)(]/.test(')'); // ) }\n/* ( */ b = `${'`'}${`}`}` + '(' + \"[\"",
        "if (x) /\\)/.test(y)",
        "x = a / b; y = (c) / d / (e)",
        "return /}/.test('}')",
        "const f = () => {}\n/(/.test(x)",
        "x = { a: 1 }['a'] / 2 / (3)",
        "typeof /(/; case_ = 1",
    ],
)
def test_balanced(source: str) -> None:
    assert find_unbalanced(source) is None


def test_excerpt_points_at_the_column() -> None:
    assert excerpt("a\n\tbc = d", 2, 3) == "\tbc = d\n\t ^"
    assert excerpt("x", 5, 1) == ""


def test_excerpt_of_a_long_line_is_cut_around_the_column() -> None:
    shown, caret = excerpt("x" * 500 + "HERE" + "y" * 500, 1, 501).split("\n")
    assert len(shown) < 130
    assert shown[caret.index("^") :].startswith("HERE")


def test_excerpt_holds_no_control_characters() -> None:
    assert "\x1b" not in excerpt("a = '\x1b[31m'", 1, 1)


@pytest.mark.parametrize(
    "source", ["[\n" * 9_000 + "]" * 9_000, "a=" * 9_000 + "1", "!" * 9_000 + "a"]
)
def test_what_is_nested_too_deep_is_refused(source: str) -> None:
    found = problems(source)[0]
    assert "nested" in found.message
    assert found.hint


def test_long_chains_and_large_texts_are_ordinary_scripts() -> None:
    assert value_of("return [" + "1," * 100_000 + "].length") == 100_000
    assert value_of("return (" + "+".join(["1"] * 1_500) + ")") == 1_500
    large = "const data = '" + "x" * 300_000 + "';\nclass A<in T> { a?: T }\nreturn data.length"
    assert value_of(large) == 300_000
