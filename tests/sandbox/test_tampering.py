"""Whatever a script does to the built-ins, the bridge does the same for it as before."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from toolscript.sandbox.inline import InlineRuntime
from toolscript.sandbox.runtime import Program
from toolscript.testing.guest_host import execute, surface

BODY = """
console.log("a", { b: [1, "x"] });
emit({ e: [1, -0, 12345678901234567890n] });
const found = { __proto__: null };
found.echoed = await tools.echo({ x: [1, { y: "z" }], big: 2n ** 70n });
try { await tools.fail({}) } catch (error) {
  found.failed = [error.message, error.code, error.details];
}
try { await tools.nope({}) } catch (error) { found.unknown = error.code }
try { await tools.echo({ x: () => 1 }) } catch (error) { found.refused = error.code }
store("k", { a: [1, null] });
found.loaded = load("k");
found.late = tools.echo(3);
return found;
"""
FOUND = {
    "echoed": {"x": [1, {"y": "z"}], "big": 2**70},
    "failed": ["boom", "failed", None],
    "unknown": "unknown_tool",
    "refused": "invalid_args",
    "loaded": {"a": [1, None]},
    "late": 3,
}
ACCESSOR = "{ get() { throw 7 }, set() { throw 7 }, configurable: true }"
FIELDS = "tool code details message name kind get set value writable enumerable index resolve class"
METHODS = """
Promise.prototype.then Promise.resolve Promise.all JSON.stringify JSON.parse Object.keys
Object.defineProperty Object.freeze Object.prototype.hasOwnProperty Object.prototype.toString
Array.isArray Array.prototype.push Array.prototype.join Array.prototype.map
Function.prototype.call Function.prototype.apply Function.prototype.bind Reflect.apply
Reflect.construct Reflect.ownKeys String.prototype.split String.prototype.slice
String.prototype.indexOf RegExp.prototype.exec Map.prototype.get Map.prototype.set
WeakMap.prototype.get BigInt.prototype.toString Math.floor Symbol.prototype.toString
"""


def fail(args: Any) -> Any:
    raise ValueError("boom")


def check(tampering: str) -> None:
    program = Program(code=tampering + BODY, surface=surface(["echo", "fail"]), cpu_s=10.0)
    ended = asyncio.run(execute(InlineRuntime(), program, {0: lambda args: args, 1: fail}))
    assert ended.outcome == "returned", ended.end
    assert ended.value == FOUND
    assert ended.printed == "a { b: [ 1, 'x' ] }"
    assert [item.value for item in ended.output if item.type == "value"] == [
        b'{"e":[1,-0.0,12345678901234567890]}'
    ]


@pytest.mark.parametrize("method", METHODS.split())
def test_methods_are_replaced(method: str) -> None:
    check(f"{method} = () => {{ throw new TypeError('tampered') }};")


@pytest.mark.parametrize("field", FIELDS.split())
def test_fields_are_inherited_by_everything(field: str) -> None:
    check(f"Object.defineProperty(Object.prototype, '{field}', {{ value: 9, writable: false }});")


@pytest.mark.parametrize("field", [*FIELDS.split(), "0", "1"])
@pytest.mark.parametrize("owner", ["Error.prototype", "ToolError.prototype", "Array.prototype"])
def test_setters_and_getters_lie_in_wait(owner: str, field: str) -> None:
    check(f"Object.defineProperty({owner}, '{field}', {ACCESSOR});")


@pytest.mark.parametrize(
    "tampering",
    [
        "Object.setPrototypeOf(ToolError, function () { throw 7 });",
        "Error.prepareStackTrace = () => { throw 7 };",
        f"Object.defineProperty(Error, 'stackTraceLimit', {ACCESSOR});",
        "Object.defineProperty(ToolError, Symbol.hasInstance, { value() { throw 7 } });",
        "for (const name of ['split', 'match', 'replace', 'toPrimitive'])"
        f" Object.defineProperty(String.prototype, Symbol[name], {ACCESSOR});",
        "Array.prototype[Symbol.iterator] = () => { throw 7 };",
        "Object.freeze(Object.prototype); Object.freeze(Array.prototype);",
        "Object.setPrototypeOf(Array.prototype, null);",
        "Object.setPrototypeOf(Function.prototype, null);",
        "delete globalThis.Promise; delete globalThis.JSON; delete globalThis.Error;",
    ],
)
def test_other_ways(tampering: str) -> None:
    check(tampering)
