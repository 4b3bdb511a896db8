"""Fences, prose, tags and escapes around a program."""

from __future__ import annotations

import pytest

from tests.script.harness import problems, value_of
from toolscript.script.script import prepare


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("```js\nreturn 1\n```", 1),
        ("```JS\r\nreturn 2\r\n```", 2),
        ("\n\n```\nreturn 3\n```\n", 3),
        ("~~~ts\nconst a: number = 4; return a\n~~~", 4),
        ("````typescript\nreturn 5\n````", 5),
        ("```js\nreturn 6", 6),
        ("```js return 7 ```", 7),
        ("\ufeff```js\nreturn 8\n```", 8),
        ("Sure! Here it is:\n\n```ts\nreturn 9\n```\n\nIt returns `9`.", 9),
        ("Thought:\n```\nnot code {{{\n```\nCode:\n```js\nreturn 10\n```", 10),
        ("```js\nreturn 1\n```\nor better\n```js\nreturn 11\n```", 11),
        ("```js\nreturn 12\n```\nwhich prints\n```json\n{}\n```", 12),
        ('```js\n// @options: {"timeout_ms": 5}\nreturn 13\n```', 13),
        ("   ```javascript\n   return 14\n   ```", 14),
        ('```js title="a.js"\nreturn 15\n```', 15),
        ("return 16\n</code", 16),
        ("<code>return 17</code>", 17),
        ("#!/usr/bin/env node\nreturn 18", 18),
        ("\ufeffreturn 19", 19),
        ("const a = 1;\\nconst b = 2;\\nreturn a + b;", 3),
        ('return [\\"a\\", 1];', ["a", 1]),
    ],
)
def test_the_program_is_found(source: str, value: object) -> None:
    assert value_of(source) == value


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ('return "```js\\nfoo\\n```"', "```js\nfoo\n```"),
        ("const md = `\n\\`\\`\\`js\nfoo\n\\`\\`\\`\n`; return md.length", 15),
        ("/*\n```js\nreturn 0\n```\n*/\nreturn 8", 8),
        ("return 'x\\\\ny'.length", 4),
        ("const t = `Total:\\n`; return t.length", 7),
        ("`a` + 'b'", "ab"),
        ("return '</code'", "</code"),
    ],
)
def test_text_inside_of_a_program_is_left_alone(source: str, value: object) -> None:
    assert value_of(source) == value


def test_lines_stay_where_they_are() -> None:
    script = prepare("Text\n```js\n\nreturn 1\n```\nmore")
    assert script.code.count("\n") == 5
    assert script.code.split("\n")[3] == "return 1"


def test_options_are_read_inside_of_a_fence() -> None:
    source = '```js\n// @options: {"timeout_ms": 5, "max_output_tokens": 7}\nreturn 1\n```'
    options = prepare(source).options
    assert (options.timeout_ms, options.max_output_tokens) == (5, 7)


def test_a_broken_block_is_reported_at_its_place() -> None:
    found = problems("Look:\n```js\nconst a = (1;\n```")[0]
    assert (found.line, found.column) == (3, 11)
    assert found.excerpt == "const a = (1;\n" + " " * 10 + "^"


def test_fences_are_text_in_body_form() -> None:
    assert prepare("```js\nreturn 1\n```", form="body").code.startswith("```js")


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("```js\n```js\nreturn 1\n```\n```", 1),
        ("```js\nreturn 2\n``` and that is it", 2),
        ("```\nexplanation, not code\n```js\nreturn 3\n```", 3),
    ],
)
def test_crooked_fences(source: str, value: object) -> None:
    assert value_of(source) == value
