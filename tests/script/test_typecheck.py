"""The type checker: what it finds, where, and what it can never reach."""

from __future__ import annotations

import asyncio
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from toolscript.errors import ConfigurationError
from toolscript.script import checker_process, compiler, typecheck
from toolscript.script.diagnostic import Diagnostic
from toolscript.script.script import prepare
from toolscript.script.typecheck import MOST_CHARS, MOST_DIAGNOSTICS, check_types

DECLARATIONS = """
declare const tools: {
  list(args: { status: "open" | "late"; limit?: number }): Promise<{ id: string; n: number }[]>;
};
declare const console: { log(...values: unknown[]): void };
declare function text(value: unknown): void;
"""
PROGRAM = """
interface AgentProgramScope { readonly codemode: { a(args: {}): Promise<number> } }
type AgentProgram = (scope: AgentProgramScope) => unknown;
"""

native = pytest.mark.skipif(
    compiler.native_checker() is None, reason='the extra "typecheck" is not installed'
)


async def check(source: str, declarations: str = DECLARATIONS, **how: str) -> list[Diagnostic]:
    return list(await check_types(prepare(source, **how), declarations))  # type: ignore[arg-type]


@native
@pytest.mark.parametrize(
    "source",
    [
        'const rows = await tools.list({ status: "open" });\nreturn rows.map((r) => r.id);',
        'tools.list({ status: "late", limit: 1 })',
        'async ({ tools: t }) => t.list({ status: "open" })',
        'export default async function ({ tools: t }) { return t.list({ status: "open" }) }',
        "const f = (x) => x.y;\ntry { f(1) } catch (e) { return e.message }",
        "const text = 1; return text",
        "module.exports = async () => 1",
        "function unused() { return 1; console.log(2) }\nreturn unused()",
        "label: for (;;) { break }\nreturn 1",
        "using x = { [Symbol.dispose]() {} };\nreturn Object.groupBy([1], (n) => `${n}`)",
        "```ts\nconst a: number = 1;\nreturn a\n```",
        "const r = await tools.list({ status: 'open' });",
    ],
)
async def test_what_is_right_passes(source: str) -> None:
    assert await check(source) == []


@native
async def test_imports_of_the_host_are_known() -> None:
    script = prepare('import a, { b } from "mod";\nreturn a(b)', modules=("mod",))
    assert await check_types(script, DECLARATIONS) == ()


@native
@pytest.mark.parametrize(
    ("source", "line", "column", "code", "says"),
    [
        ('await tools.list({ status: "x" });', 1, 20, "TS2322", '"late"'),
        ("const a = 1;\nreturn await tools.lost({})", 2, 20, "TS2339", "lost"),
        ('const r = tools.list({ status: "open" });\nreturn r.map(f)', 2, 10, "TS2339", "map"),
        ('const s = "😀"; const n: number = s;', 1, 23, "TS2322", "number"),
        ("process.env.HOME", 1, 1, "TS2591", "process"),
        ("const x = 1;\n\nx = 2; return x", 3, 1, "TS2588", "constant"),
        ("```js\nreturn nope\n```", 2, 8, "TS2304", "nope"),
        ("async () => nope", 1, 13, "TS2304", "nope"),
        ("const q = { a: nope };\nq", 1, 16, "TS2304", "nope"),
    ],
)
async def test_what_is_wrong_is_found_where_it_is(
    source: str, line: int, column: int, code: str, says: str
) -> None:
    found = (await check(source))[0]
    assert (found.line, found.column, found.code) == (line, column, code), str(found)
    assert says in found.message
    assert found.excerpt.split("\n")[0] in source


@native
async def test_a_promise_used_as_its_value_gets_a_hint() -> None:
    found = await check('const r = tools.list({ status: "open" });\nreturn r.length')
    assert "await" in found[0].hint


@native
@pytest.mark.parametrize(
    "source",
    [
        "const [one] = await tools.list({ status: 'open' }); return one.id * 2",
        "const [one] = await tools.list({ status: 'open' }); return 2 / one.id",
        "const [one] = await tools.list({ status: 'open' }); return one.id > 5",
        "const all = await tools.list({ status: 'open' }); return all.reduce((s, o) => s + o.id, 0)",
        "const [one] = await tools.list({ status: 'open' }); return Math.max(one.id, 1)",
    ],
)
async def test_a_string_computed_with_gets_a_hint(source: str) -> None:
    [found] = await check(source)
    assert "Number(...)" in found.hint


@native
async def test_a_program_is_held_to_its_contract() -> None:
    good = "export default async ({ codemode }: AgentProgramScope) => codemode.a({})"
    assert await check(good, PROGRAM, form="module") == []
    found = await check("export default (x: string) => x", PROGRAM, form="module")
    assert found[0].code == "TS2322"
    assert "AgentProgram" in found[0].message
    untyped = await check("export default ({ codemode }) => codemode", PROGRAM, form="module")
    assert untyped


@native
@pytest.mark.parametrize(
    "source",
    [
        'let x: typeof import("{file}"); return x!.secret',
        'type T = import("{file}").Secret; let x: T; return x!',
        '/// <reference path="{file}.ts" />\nreturn secret',
        '/// <reference types="{file}" />\nreturn secret',
        "// @ts-nocheck\nreturn secret",
        "/* @ts-nocheck */\nexport default () => secret",
    ],
)
async def test_no_file_is_read(
    source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "secret"
    text = "export interface Secret { a: 1 } export const secret: number; declare global { const secret: 1 }"
    for suffix in (".ts", ".d.ts"):
        file.with_suffix(suffix).write_text(text)
    asked: list[str] = []
    answer = checker_process.CheckerProcess._answer  # pyright: ignore[reportPrivateUsage]

    def spy(self: checker_process.CheckerProcess, method: str, params: object) -> object:
        told = answer(self, method, params)
        asked.append(f"{params} {told}")
        return told

    monkeypatch.setattr(checker_process.CheckerProcess, "_answer", spy)
    found = await check(source.replace("{file}", file.as_posix()))
    assert [each for each in found if each.severity == "error"]
    leaked = [each for each in asked if str(tmp_path) in each and each.endswith("None")]
    assert not leaked


@native
async def test_the_report_is_bounded() -> None:
    many = "\n".join(f"nope{n};" for n in range(100)) + "\nreturn 1"
    found = await check(many)
    assert len(found) == MOST_DIAGNOSTICS
    assert "92 more" in found[-1].hint
    long = ", ".join(f"property{n}: {{ a: number; b: string }}" for n in range(400))
    wide = "\n".join(f"const v{n}: {{ {long.replace(', ', '; ')} }} = 1;" for n in range(8))
    found = await check(wide + "\nreturn 1")
    assert found
    assert sum(len(str(each)) for each in found) <= MOST_CHARS


@native
async def test_it_starts_again_after_a_crash() -> None:
    assert await check("return 1") == []
    process = typecheck._service.process  # pyright: ignore[reportPrivateUsage]
    assert process is not None
    os.kill(process.pid, 9)
    assert await check("return 1") == []
    assert await check("return nope")


@native
async def test_types_that_take_too_long_end_in_a_diagnostic(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    await check("return 1")
    monkeypatch.setattr(typecheck, "_TIMEOUT_S", 1e-6)
    found = await check("return 2")
    assert found[0].code == "types"
    monkeypatch.undo()
    assert await check("return 3") == []


@native
async def test_many_contracts_take_turns() -> None:
    for n in range(20):
        declared = f"declare const only{n}: number;"
        assert await check(f"return only{n}", declared) == []
        assert await check(f"return only{n + 1}", declared)
    assert await check("return only0", "declare const only0: number;") == []


@native
def test_it_serves_every_loop_and_thread() -> None:
    def one(n: int) -> list[str]:
        return [each.code for each in asyncio.run(check(f"return nope{n}"))]

    import concurrent.futures

    with concurrent.futures.ThreadPoolExecutor(4) as threads:
        assert list(threads.map(one, range(8))) == [["TS2304"]] * 8


async def test_without_a_compiler_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(typecheck, "native_checker", lambda: None)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ConfigurationError, match=r"toolscript\[typecheck\]"):
        await check("return 1")


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-in is a shell script")
async def test_a_tsc_on_path_is_the_fallback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = tmp_path / "tsc"
    fake.write_text(
        "#!/bin/sh\n"
        "echo \"script.ts(3,8): error TS2304: Cannot find name 'nope'.\"\n"
        "echo '  because'\n"
        'echo "globals.d.ts(1,1): error TS1: not the model\'s fault"\n'
        "exit 2\n"
    )
    fake.chmod(fake.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr(typecheck, "native_checker", lambda: None)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    found = await check("return nope")
    assert [(each.line, each.column, each.code) for each in found] == [(1, 8, "TS2304")]


@native
async def test_the_fallback_agrees_with_the_warm_checker(monkeypatch: pytest.MonkeyPatch) -> None:
    binary = compiler.native_checker()
    assert binary is not None
    sources = ["return nope", 'await tools.list({ status: "x" });\nreturn 1', "return 1"]
    warm = [await check(source) for source in sources]
    monkeypatch.setattr(typecheck, "native_checker", lambda: None)
    monkeypatch.setattr(typecheck, "tsc_on_path", lambda: str(binary))
    assert [await check(source) for source in sources] == warm


@native
def test_no_checker_is_left_behind() -> None:
    code = (
        "import asyncio\n"
        "from toolscript.script import typecheck\n"
        "from toolscript.script.script import prepare\n"
        "asyncio.run(typecheck.check_types(prepare('return 1'), ''))\n"
        "print(typecheck._service.process.pid)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    with pytest.raises(ProcessLookupError):
        os.kill(int(done.stdout), 0)
