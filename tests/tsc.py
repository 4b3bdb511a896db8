"""The TypeScript compiler as a judge: many modules in one strict run."""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from toolscript.script.compiler import native_checker

_DIAGNOSTIC = re.compile(r"^(m\d+)\.ts\((\d+),\d+\): error (TS\d+: .*)$", re.MULTILINE)

OPTIONS: dict[str, Any] = {
    "strict": True,
    "noEmit": True,
    "target": "es2022",
    "module": "es2022",
    "moduleDetection": "force",
    "lib": ["es2022"],
    "types": [],
}


def problems(modules: Mapping[str, str], **options: Any) -> dict[str, list[tuple[int, str]]]:
    """What the compiler says of each module: lines (from 1) and messages, empty for none."""
    compiler = native_checker()
    assert compiler is not None, "the test dependencies ship a compiler (extra `typecheck`)"
    found: dict[str, list[tuple[int, str]]] = {name: [] for name in modules}
    names = {f"m{number}": name for number, name in enumerate(modules)}
    with tempfile.TemporaryDirectory() as folder:
        for file, name in names.items():
            text = modules[name].encode("utf-8", "surrogatepass")
            (Path(folder) / f"{file}.ts").write_bytes(text)
        config = {"compilerOptions": {**OPTIONS, **options}, "include": ["*.ts"]}
        (Path(folder) / "tsconfig.json").write_text(json.dumps(config))
        done = subprocess.run(
            [str(compiler), "-p", folder, "--pretty", "false"],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
    reported = _DIAGNOSTIC.findall(done.stdout)
    assert done.returncode == 0 or reported, done.stdout[:2_000] + done.stderr[:2_000]
    for file, line, message in reported:
        found[names[file]].append((int(line), message))
    return found


def literal(value: Any) -> str:
    """A JSON value as TypeScript source; `__proto__` as a computed key, which it is not in JSON."""
    text = json.dumps(value, ensure_ascii=True)
    return text.replace('"__proto__":', '["__proto__"]:')


def in_function(declarations: str, *statements: str) -> str:
    """A module: declarations, then an async function with one statement a line."""
    body = "\n".join(statements)
    return f"{declarations}\nexport async function script() {{\n{body}\n}}\n"
