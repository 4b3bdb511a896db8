"""What a script's values are as JSON: nothing changes silently, and what has no form is refused."""

from __future__ import annotations

import asyncio

import pytest

from toolscript.sandbox.inline import InlineRuntime
from toolscript.sandbox.runtime import Program
from toolscript.testing.guest_host import Ended, execute, surface


def run(code: str) -> Ended:
    program = Program(code=code, surface=surface(["echo"]), cpu_s=10.0)
    return asyncio.run(execute(InlineRuntime(), program, {0: lambda args: args}))


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("[Object(1n), Object(2), Object('s'), Object(false), Object(-0)]", '[1,2,"s",false,-0.0]'),
        ("Object(2n ** 70n)", "1180591620717411303424"),
        ("[Object.freeze(Promise.resolve(7)), Promise.resolve(Object.freeze([]))]", "[7,[]]"),
        ("{ get [Symbol.toStringTag]() { return 'Map' } }", "{}"),
        ("new (class { n = 1; get [Symbol.toStringTag]() { return 'Map' } })()", '{"n":1}'),
        ("new (class { n = 1; get [Symbol.toStringTag]() { return 'Number' } })()", '{"n":1}'),
        ("new (class { n = 1; get [Symbol.toStringTag]() { throw 1 } })()", '{"n":1}'),
        ("new (class extends Date {})(0)", '"1970-01-01T00:00:00.000Z"'),
        ("new (class { #hidden = 1 })()", "{}"),
        ("(function () { return arguments })(1)", '{"0":1}'),
        ("(function () { return arguments })()", "{}"),
        ("[2 ** 53, 2 ** 53 + 2, -(2 ** 53)]", "[9007199254740992,9007199254740994,-9007199254740992]"),
        ("[1e21, 1.5e300, 5e-324, 1e20]", "[1e+21,1.5e+300,5e-324,100000000000000000000]"),
    ],
)  # fmt: skip
def test_what_a_value_becomes(expression: str, text: str) -> None:
    ended = run(f"return ({expression})")
    assert ended.outcome == "returned", ended.end
    assert ended.end is not None
    assert ended.end.value == text.encode()


@pytest.mark.parametrize(
    ("expression", "why"),
    [
        ("new Date(NaN)", "an invalid Date"),
        ("new (class extends Date {})(NaN)", "an invalid Date"),
        ("Object(Symbol('s'))", "Symbol"),
        ("new WeakSet()", "WeakSet"),
        ("new WeakRef({})", "WeakRef"),
        ("new SharedArrayBuffer(8)", "SharedArrayBuffer"),
        ("(function* () {})()", "Generator"),
        ("(async function* () {})()", "AsyncGenerator"),
        ("[1].values()", "Array Iterator"),
        ("new Map().entries()", "Map Iterator"),
        ("'x'.matchAll(/x/g)", "RegExp String Iterator"),
        ("new (class extends Map { get [Symbol.toStringTag]() { return 'X' } })()", "a Map"),
        ("new (class extends Set { size_ = 1 })()", "a Set"),
        ("Object.assign(new Map(), { a: 1 })", "a Map"),
        ("new (class extends RegExp {})('x')", "a RegExp"),
        ("new URLSearchParams('a=1')", "URLSearchParams"),
        ("new TextEncoder()", "TextEncoder"),
        ("new TextDecoder()", "TextDecoder"),
    ],
)
def test_what_has_no_json_form_says_so_with_its_path(expression: str, why: str) -> None:
    returned = run(f"return {{ rows: [1, {{ when: {expression} }}] }}")
    assert returned.outcome == "invalid_output", returned.end
    assert returned.end is not None
    assert returned.end.message.startswith("$.rows[1].when: ")
    assert why in returned.end.message
    assert returned.end.message.count("no JSON form") == 1

    sent = run(
        f"try {{ await tools.echo({{ a: {expression} }}) }} catch (e) {{ return e.message }}"
    )
    assert sent.calls == []
    assert "$.a: " in sent.value
    assert why in sent.value


def test_an_integer_that_a_double_holds_stays_a_number() -> None:
    code = """
      store("edge", [2 ** 53, -(2 ** 53), 2 ** 53 - 1]);
      store("beyond", [2n ** 53n + 1n, -(2n ** 53n) - 1n]);
      return [...load("edge"), ...load("beyond")].map((value) => typeof value + String(value));
    """
    assert run(code).value == [
        "number9007199254740992",
        "number-9007199254740992",
        "number9007199254740991",
        "bigint9007199254740993",
        "bigint-9007199254740993",
    ]
