"""Checks the types of a script against the declarations of a contract.

The checker is the native TypeScript compiler of the `typecheck` extra, kept warm as a process
of its own; without it a `tsc` on PATH is used. A script is only ever text to it: nothing that a
script says makes it read a file.
"""

from __future__ import annotations

import asyncio
import atexit
import hashlib
import json
import os
import re
from collections import OrderedDict
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any, Final

from toolscript.errors import ConfigurationError
from toolscript.script.absent import absent_hint
from toolscript.script.checker_process import ROOT, CheckerDied, CheckerProcess
from toolscript.script.compiler import Finding, native_checker, run_tsc, tsc_on_path
from toolscript.script.diagnostic import Diagnostic, excerpt
from toolscript.script.script import Script, Typed

MOST_DIAGNOSTICS: Final = 8
MOST_CHARS: Final = 8_000

_TIMEOUT_S: Final = 10.0
_MOST_PROJECTS: Final = 16
_MOST_CHECKS: Final = 5_000
_MOST_MESSAGE_CHARS: Final = 1_000

_CONFIG: Final = {
    "target": "esnext",
    "lib": ["esnext"],
    "module": "esnext",
    "moduleResolution": "bundler",
    "moduleDetection": "force",
    "types": [],
    "noEmit": True,
    "strict": True,
    "exactOptionalPropertyTypes": True,
    "erasableSyntaxOnly": True,
    "skipLibCheck": True,
    "allowUnreachableCode": True,
    "allowUnusedLabels": True,
    # No import and no reference adds a file: what is not listed does not exist.
    "noResolve": True,
}
# Scripts of other contracts may leave out what a run does not need.
_LENIENT: Final = {
    "noImplicitAny": False,
    "noImplicitThis": False,
    "useUnknownInCatchVariables": False,
    "strictPropertyInitialization": False,
}
_FILES: Final = ("globals.d.ts", "script.ts", "program.ts")
_PROGRAM: Final = 'import program from "./script";\nconst checked: AgentProgram = program;\n'
# A comment such as `@ts-nocheck` or a reference counts only in front of the first statement.
_MODULE_HEAD: Final = "export {};\n"
_BODY_HEAD: Final = "export {};\nasync function script($module: any) {\n"
_BODY_TAIL: Final = "\n}\n"


async def check_types(
    script: Script, declarations: str, *, definitions: Mapping[str, str] | None = None
) -> tuple[Diagnostic, ...]:
    """What the TypeScript compiler says about a script, in order; empty when all is well.

    `declarations` is the TypeScript of all that the script sees. Where it declares
    `AgentProgram`, the script is a module whose default export must be one (seed 000).
    `definitions` are further declaration files of the environment, by name.

    At most 8 diagnostics of together at most 8,000 characters.

    Raises:
        ConfigurationError: if there is no TypeScript compiler.
    """
    project = _Project.of(script.typed, declarations, definitions or {})
    loop = asyncio.get_running_loop()
    findings = await loop.run_in_executor(_service.executor, _service.check, project)
    return _report(script, project, findings)


@dataclass(frozen=True, slots=True)
class _Project:
    """The files of one check. `key` names what stays the same from check to check."""

    key: str
    fixed: Mapping[str, str]
    script: str
    head_lines: int
    strict: bool

    @staticmethod
    def of(typed: Typed, declarations: str, definitions: Mapping[str, str]) -> _Project:
        strict = typed.is_module and _AGENT_PROGRAM.search(declarations) is not None
        options = _CONFIG if strict else {**_CONFIG, **_LENIENT}
        extra = {f"environment{n}.d.ts": text for n, text in enumerate(definitions.values())}
        modules = "".join(
            f"declare module {json.dumps(_ambient(name))};\n"
            for name in typed.imports
            if not any(_declares(text, name) for text in extra.values())
        )
        fixed = {
            "tsconfig.json": json.dumps(
                {
                    "compilerOptions": options,
                    "files": [*_FILES[: 3 if strict else 2], *extra, "modules.d.ts"],
                }
            ),
            "globals.d.ts": declarations,
            "modules.d.ts": modules,
            **extra,
        }
        if strict:
            fixed["program.ts"] = _PROGRAM
        key = hashlib.sha256(json.dumps(fixed).encode()).hexdigest()[:24]
        head = _MODULE_HEAD if typed.is_module else _BODY_HEAD
        text = head + typed.text + ("" if typed.is_module else _BODY_TAIL)
        return _Project(key, fixed, text, head.count("\n"), strict)

    @property
    def checked(self) -> tuple[str, ...]:
        return ("script.ts", "program.ts") if self.strict else ("script.ts",)


def _ambient(name: str) -> str:
    """The name by which a module that is not there can be declared: none for a path but a pattern."""
    return "*" + name[name.rfind("/") :] if name.startswith((".", "/")) else name


def _declares(text: str, name: str) -> bool:
    return any(f"declare module {quote}{name}{quote}" in text for quote in "\"'")


_AGENT_PROGRAM: Final = re.compile(r"\btype AgentProgram\b")


@dataclass(slots=True)
class _Service:
    """The warm checker of this process, started when it is first wanted."""

    executor: ThreadPoolExecutor = field(
        default_factory=lambda: ThreadPoolExecutor(1, thread_name_prefix="toolscript-types")
    )
    process: CheckerProcess | None = None
    projects: OrderedDict[str, str] = field(default_factory=OrderedDict[str, str])
    checks: int = 0

    def check(self, project: _Project) -> list[Finding]:
        """Check in the one thread of the service."""
        binary = native_checker()
        if binary is None:
            tsc = tsc_on_path()
            if tsc is None:
                raise ConfigurationError(
                    'check="types" needs a TypeScript compiler: '
                    'install "toolscript[typecheck]", or put tsc on PATH'
                )
            files = {**project.fixed, "script.ts": project.script}
            return run_tsc(tsc, files, timeout_s=6 * _TIMEOUT_S)
        for attempt in (1, 2):
            if self.process is None or not self.process.alive or self.checks >= _MOST_CHECKS:
                self.close()
                self.process = CheckerProcess(binary)
            try:
                return self._ask(self.process, project)
            except CheckerDied as error:
                self.close()
                if error.too_long or attempt == 2:
                    return [Finding("script.ts", 0, 0, "types", _GAVE_UP.format(error))]
        raise AssertionError("unreachable")

    def close(self) -> None:
        if self.process is not None:
            self.process.close()
        self.process, self.checks = None, 0
        self.projects.clear()

    def _ask(self, process: CheckerProcess, project: _Project) -> list[Finding]:
        folder = f"{ROOT}/{project.key}"
        config, script = f"{folder}/tsconfig.json", f"{folder}/script.ts"
        process.files[script] = project.script
        known = project.key in self.projects
        self.projects[project.key] = folder
        self.projects.move_to_end(project.key)
        if known:
            update: dict[str, Any] = {"fileChanges": {"changed": [script]}}
        else:
            process.files |= {f"{folder}/{name}": text for name, text in project.fixed.items()}
            created = [name for name in process.files if name.startswith(folder + "/")]
            update = {"openProjects": [config], "fileChanges": {"created": created}}
            if len(self.projects) > _MOST_PROJECTS:
                _, old = self.projects.popitem(last=False)
                gone = [name for name in process.files if name.startswith(old + "/")]
                for name in gone:
                    del process.files[name]
                update["closeProjects"] = [f"{old}/tsconfig.json"]
                update["fileChanges"]["deleted"] = gone
        self.checks += 1
        snapshot = process.call("updateSnapshot", update, _TIMEOUT_S)["snapshot"]
        findings: list[Finding] = []
        texts = {"script.ts": project.script, **project.fixed}
        for name in project.checked:
            where = {"snapshot": snapshot, "project": config, "file": f"{folder}/{name}"}
            for method in ("getSyntacticDiagnostics", "getSemanticDiagnostics"):
                for item in process.call(method, where, _TIMEOUT_S) or ():
                    findings.append(Finding.of_native(item, name, texts[name]))
                if findings and method == "getSyntacticDiagnostics":
                    break
        process.call("release", {"snapshot": snapshot}, _TIMEOUT_S)
        return findings


_GAVE_UP: Final = "the types could not be checked ({}); write simpler types"
_service = _Service()


def _forget_after_fork() -> None:
    """A child process has neither the thread nor the checker of its parent."""
    global _service
    _service = _Service()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_after_fork)
atexit.register(lambda: _service.close())


def _report(script: Script, project: _Project, findings: list[Finding]) -> tuple[Diagnostic, ...]:
    """Findings in the coordinates of the model's source, bounded."""
    found: list[Diagnostic] = []
    for item in findings:
        if item.code in _ALLOWED:
            continue
        if item.file == "script.ts":
            line = max(item.line + 1 - project.head_lines, 1)
            where = script.typed.locate(line, item.column + 1)
            message = item.message
        else:
            where = _default_export(script)
            message = f"the default export is not a program of this contract: {item.message}"
        found.append(_diagnostic(script.source, where, item.code, message))
    found.sort(key=lambda item: (item.line, item.column))
    kept: list[Diagnostic] = []
    chars = 0
    for item in found[:MOST_DIAGNOSTICS]:
        chars += len(str(item)) + 1
        if chars > MOST_CHARS:
            break
        kept.append(item)
    left = len(found) - len(kept)
    if left and kept:
        more = f"{kept[-1].hint} (and {left} more)".strip()
        if chars + len(more) <= MOST_CHARS:
            kept[-1] = replace(kept[-1], hint=more)
    return tuple(kept)


def _diagnostic(source: str, where: tuple[int, int], code: str, message: str) -> Diagnostic:
    line, column = where
    name = _UNKNOWN_NAME.match(message)
    hint = ""
    if name is not None:
        message = f"Cannot find name '{name.group(1)}'."
        hint = absent_hint(name.group(1))
    elif "Promise<" in message and code in _AWAITABLE:
        hint = "a promise is used as its value: write `await` in front of the call"
    elif _TEXT_FOR_NUMBER.search(message):
        hint = (
            "a string stands where a number is wanted: write `Number(...)` around it. Decimals "
            "arrive as strings, so that no digit is lost"
        )
    elif code in _ARITHMETIC:
        hint = (
            "only numbers can be computed with: write `Number(...)` around a string, which is "
            "also how decimals arrive"
        )
    if len(message) > _MOST_MESSAGE_CHARS:
        message = message[: _MOST_MESSAGE_CHARS - 1] + "…"
    return Diagnostic(line, column, code, message, excerpt(source, line, column), hint)


# A script that imports may return all the same.
_ALLOWED: Final = frozenset({"TS1108"})
_UNKNOWN_NAME: Final = re.compile(r"Cannot find name '([^']+)'\.")
_TEXT_FOR_NUMBER: Final = re.compile(
    r"ype 'string' is not assignable to (?:parameter of )?type 'number'"
    r"|cannot be applied to types '(?:string' and 'number|number' and 'string)'"
)
_ARITHMETIC: Final = frozenset({"TS2362", "TS2363"})
_AWAITABLE: Final = frozenset(
    {"TS2339", "TS2322", "TS2345", "TS2740", "TS2741", "TS2488", "TS2801"}
)


def _default_export(script: Script) -> tuple[int, int]:
    """Where a module says what its default export is."""
    at = script.typed.text.find("export default")
    before = script.typed.text[: max(at, 0)]
    line = before.count("\n") + 1
    return script.typed.locate(line, len(before) - before.rfind("\n"))
