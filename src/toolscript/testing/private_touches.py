"""Where a package touches what its makers meant for themselves: names that begin with `_`."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType


@dataclass(frozen=True, slots=True)
class Touch:
    """Where a module touches what begins with `_` on something that is not its own."""

    module: str
    line: int
    owner: str
    marked: bool


def private_touches(package: str) -> set[Touch]:
    """Private attributes and imports, by the top-level statement in which they stand.

    A class or function is marked by the word "private" in its docstring; a whole module, too.
    """
    return {touch for module in _modules(package) for touch in _touches(module, package)}


def _modules(package: str) -> Iterator[ModuleType]:
    root = importlib.import_module(package)
    yield root
    for found in pkgutil.iter_modules(getattr(root, "__path__", ())):
        yield importlib.import_module(f"{package}.{found.name}")


def _touches(module: ModuleType, package: str) -> Iterator[Touch]:
    tree = ast.parse(inspect.getsource(module))
    whole = "private" in (ast.get_docstring(tree) or "")
    for statement in tree.body:
        documented = isinstance(
            statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
        ) and "private" in (ast.get_docstring(statement) or "")
        owner = "" if whole else getattr(statement, "name", f"line {statement.lineno}")
        for node in ast.walk(statement):
            if _is_private(node, package):
                line: int = getattr(node, "lineno", statement.lineno)
                yield Touch(module.__name__, line, owner, whole or documented)


def _is_private(node: ast.AST, package: str) -> bool:
    if isinstance(node, ast.Attribute):
        own = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
        on_super = isinstance(node.value, ast.Call) and ast.unparse(node.value) == "super()"
        return _hidden(node.attr) and not own and not on_super
    if isinstance(node, ast.ImportFrom):
        parts = (node.module or "").split(".")
        names = [alias.name for alias in node.names]
        return not (node.module or "").startswith(package) and any(map(_hidden, parts + names))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        names = node.args if node.func.id in ("getattr", "setattr", "attrgetter") else []
        return any(isinstance(name, ast.Constant) and _hidden(str(name.value)) for name in names)
    return False


def _hidden(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")
