"""Optional dependencies: which extra brings what a module needs."""

from __future__ import annotations

import re
from collections.abc import Generator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, requires, version
from typing import Final

_REQUIREMENT: Final = re.compile(r"(?P<name>[\w.-]+)(?:\[[^]]*\])?(?P<version>[^;]*)")
_OURS: Final = frozenset({"toolscript", "toolscript_adapters"})


_CONFLICT: Final = (
    "langchain-mcp-adapters, which is here too, needs the MCP SDK before version 2: give this an "
    "environment of its own, or stay with the adapter and give its tools to CodeModeTool"
)


@contextmanager
def needs(extra: str) -> Generator[None]:
    """Imports that work only with an extra.

    Raises:
        ImportError: with the command that installs the extra, where something of it is not here
            or too old.
    """
    try:
        yield
    except ImportError as error:
        missing = error.name or ""
        if missing.partition(".")[0] in _OURS or f'"toolscript[{extra}]"' in str(error):
            raise
        raise ImportError(
            f'this needs the extra {extra!r}: pip install "toolscript[{extra}]" (in a clone: pip '
            f'install ".[{extra}]"); {error}{_unfit(extra)}',
            name=error.name,
            path=error.path,
        ) from error


def _unfit(extra: str) -> str:
    """What of an extra is installed in a version that does not do, and what stands against it."""
    told = ""
    for name, wanted in _wanted(extra):
        try:
            installed = version(name)
        except PackageNotFoundError:
            continue
        told += f"; {name} {installed} is installed, and {name}{wanted} is wanted"
    if extra == "mcp" and _is_installed("langchain-mcp-adapters"):
        told += f". {_CONFLICT}"
    return told


def _wanted(extra: str) -> list[tuple[str, str]]:
    """Names and versions of what an extra brings, as the package's own metadata has them."""
    try:
        lines = requires("toolscript") or []
    except PackageNotFoundError:
        return []
    found = [_REQUIREMENT.match(line) for line in lines if f"'{extra}'" in line.replace('"', "'")]
    return [(match["name"], match["version"].strip()) for match in found if match]


def _is_installed(name: str) -> bool:
    try:
        version(name)
    except PackageNotFoundError:
        return False
    return True
