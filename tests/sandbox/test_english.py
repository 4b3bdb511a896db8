"""Numbers, dates and order in English, against what Node.js writes with all of ICU."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from toolscript.sandbox.inline import InlineRuntime
from toolscript.sandbox.runtime import Program
from toolscript.testing.guest_host import Ended, execute, surface

CASES = Path(__file__).with_name("english_cases.json")
REFUSED = "RangeError: this choice of date parts"


def run(code: str) -> Ended:
    program = Program(code=code, surface=surface([]), cpu_s=30.0)
    return asyncio.run(execute(InlineRuntime(), program, {}))


def value(expression: str) -> Any:
    ended = run(f"return {expression}")
    assert ended.outcome == "returned", ended.end
    return ended.value


def all_values(expressions: list[str]) -> list[str]:
    """Each value as text; what is thrown by its name and message."""
    calls = ",\n".join(f"() => {each}" for each in expressions)
    code = f"return [{calls}].map((f) => {{ try {{ return String(f()) }} catch (e) {{ return String(e) }} }})"
    ended = run(code)
    assert ended.outcome == "returned", ended.end
    return ended.value


def test_what_is_written_is_what_others_write() -> None:
    rows: list[tuple[str, str | None]] = json.loads(CASES.read_text(encoding="utf-8"))
    written = all_values([expression for expression, _ in rows])
    different: list[tuple[str, str | None, str]] = []
    refused = 0
    for (expression, expected), text in zip(rows, written, strict=True):
        if text.startswith(REFUSED):
            refused += 1
        elif expected is None and text.partition(":")[0] in ("RangeError", "TypeError"):
            continue
        elif text != expected:
            different.append((expression, expected, text))
    assert different == []
    assert refused < 0.05 * len(rows)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("(1234567.891).toLocaleString()", "1,234,567.891"),
        ("12345678901234567890n.toLocaleString()", "12,345,678,901,234,567,890"),
        ("[1234.5, [2, 3000]].toLocaleString()", "1,234.5,2,3,000"),
        ("Intl.NumberFormat('en', { notation: 'compact' }).format(1234567)", "1.2M"),
        ("['9', 1e3].map(new Intl.NumberFormat('en-US').format)", ["9", "1,000"]),
        ("new Intl.NumberFormat().format('12345678901234567890.5')", "12,345,678,901,234,567,890.5"),
        ("new Date(0).toLocaleDateString('en-CA')", "1970-01-01"),
        ("new Date(0).toLocaleString('sv-SE', { timeZone: 'UTC' })", "1970-01-01 00:00:00"),
        ("new Date(0).toLocaleDateString('en-GB', { timeZone: 'UTC' })", "01/01/1970"),
        ("new Date(0).toLocaleTimeString('en-US', { timeZone: '-01:30' })", "10:30:00 PM"),
        ("new Date(NaN).toLocaleDateString()", "Invalid Date"),
        ("['b', 'A', 'a', 'B', 'é', '_', '1', 'Z'].sort((x, y) => x.localeCompare(y)).join('')",
         "_1aAbBéZ"),
        ("['a10', 'a9'].sort(new Intl.Collator('en', { numeric: true }).compare)", ["a9", "a10"]),
        ("[1, 2, 3, 11, 22].map((n) => new Intl.PluralRules('en', { type: 'ordinal' }).select(n))",
         ["one", "two", "few", "other", "two"]),
        ("new Intl.ListFormat('en').format(['a', 'b', 'c'])", "a, b, and c"),
        ("new Intl.ListFormat('en', { type: 'disjunction' }).format(['a', 'b'])", "a or b"),
        ("Intl.DateTimeFormat().resolvedOptions().timeZone", "UTC"),
        ("Intl.NumberFormat.supportedLocalesOf(['de', 'en-US'])", ["en-US"]),
    ],
)  # fmt: skip
def test_english(expression: str, expected: Any) -> None:
    assert value(expression) == expected


@pytest.mark.parametrize(
    ("expression", "says"),
    [
        ("(5).toLocaleString('de-DE')", "'en-US'"),
        (
            "(5).toLocaleString('en', { style: 'unit', unit: 'liter' })",
            "decimal, percent, currency",
        ),
        ("(5).toLocaleString('en', { style: 'currency' })", "needs a currency"),
        ("(5).toLocaleString('en', { style: 'currency', currency: 'dollars' })", "three letters"),
        ("(5).toLocaleString('en', { maximumFractionDigits: 101 })", "from 0 to 100"),
        ("new Date(0).toLocaleString('en', { timeZone: 'Asia/Tokyo' })", "'+02:00'"),
        ("new Date(0).toLocaleDateString('en', { year: 'numeric', day: 'numeric' })", "by hand"),
        ("'a'.localeCompare('b', 'sv')", "not known"),
    ],
)
def test_what_is_not_known_is_refused(expression: str, says: str) -> None:
    assert says in all_values([expression])[0]


def test_a_script_that_changes_built_ins_changes_nothing_of_it() -> None:
    spoil = """
        const spoilt = () => { throw new Error("spoilt") };
        const found = [];
        for (const at of [Array, String, RegExp, Map, WeakMap, Date, Math, Object, Reflect, JSON]) {
          for (const target of [at, at.prototype]) {
            if (target === undefined || target === Object.prototype) continue;
            for (const name of Object.getOwnPropertyNames(target)) {
              const one = Object.getOwnPropertyDescriptor(target, name);
              const kept = name.startsWith("toLocale") || name === "localeCompare";
              if (one.writable && typeof one.value === "function" && !kept) found.push([target, name]);
            }
          }
        }
        for (let i = 0; i < found.length; i++) found[i][0][found[i][1]] = spoilt;
        const { NumberFormat, DateTimeFormat } = Intl;
    """
    code = f"""
        const date = new Date(0), options = {{ style: "currency", currency: "EUR" }};
        {spoil}
        return [
          (1234.5).toLocaleString("en-US", options),
          NumberFormat("en").format(1e6),
          "é".localeCompare("f"),
          date.toLocaleDateString("en-US", {{ month: "long", day: "numeric", timeZone: "UTC" }}),
        ];
    """
    ended = run(code)
    assert ended.outcome == "returned", ended.end
    assert ended.value == ["€1,234.50", "1,000,000", -1, "January 1"]
