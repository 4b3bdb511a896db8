"""What `--tools` names: a module or a file, and in it the tools."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import sys
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, TypeGuard, cast

from toolscript.contract.tool import Namespace, Tool


class ToolsArgumentError(Exception):
    """`--tools` names something that is not there, or that holds no tools."""


class _NoModule(ToolsArgumentError):
    """A module is not there: the one that was named, or one that it imports."""

    def __init__(self, message: str, name: str):
        super().__init__(message)
        self.name = name


def load_all(arguments: Sequence[str]) -> Any:
    """The tools of every place given, together; namespaces by name may come from one place only."""
    loaded = [load_tools(argument) for argument in arguments]
    if len(loaded) == 1:
        return loaded[0]
    for argument, tools in zip(arguments, loaded, strict=True):
        if isinstance(tools, Mapping):
            raise ToolsArgumentError(
                f"--tools: {argument} is a mapping of namespaces; give it as the only --tools"
            )
    return [tool for tools in loaded for tool in tools]


def load_tools(argument: str) -> Any:
    """The tools that `argument` names, as `CodeMode` takes them.

    `argument` is `module`, `module:attribute`, `file.py` or `file.py:attribute`. Without an
    attribute it is the module's `TOOLS`, else every public function with a docstring that the
    module itself defines and every tool object that it holds. A function without a docstring is
    taken for a helper, and named on standard error.

    Raises:
        ToolsArgumentError: with a sentence that says what is missing.
    """
    place, attribute = _split(argument)
    module = _load_file(Path(place)) if _is_file(place) else _load_module(place)
    if attribute is None:
        return module.TOOLS if hasattr(module, "TOOLS") else _collect(module, place)
    found = _attribute(module, attribute, place)
    if isinstance(found, Mapping | Sequence) and not isinstance(found, str | bytes):
        return cast("Any", found)
    return [found]


def _split(argument: str) -> tuple[str, str | None]:
    """Place and attribute. The colon of a Windows drive (`C:\\tools.py`) is no separator."""
    place, colon, attribute = argument.rpartition(":")
    if not colon or not attribute.replace(".", "_").isidentifier():
        return argument, None
    return place, attribute


def _is_file(place: str) -> bool:
    path = Path(place)
    # A folder that is no package is a module to Python, one that holds nothing.
    bare = path.is_dir() and not (path / "__init__.py").is_file()
    return place.endswith(".py") or "/" in place or "\\" in place or path.is_file() or bare


def _load_file(path: Path) -> ModuleType:
    if path.is_dir():
        raise ToolsArgumentError(f"--tools: {path} is a folder; give a file of Python in it")
    if not path.is_file():
        raise ToolsArgumentError(f"--tools: there is no file {path}")
    if path.suffix != ".py":
        raise ToolsArgumentError(
            f"--tools: {path} is no file of Python, whose name ends in .py; tools are functions "
            "of Python, a script is given before --tools"
        )
    # A file may import its neighbours, as it may when Python runs it.
    sys.path.insert(0, str(path.resolve().parent))
    name = _free_name(path)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None, "the name ends in .py"
    module = importlib.util.module_from_spec(spec)
    # Type hints of the functions are looked up here, and so are the classes that they name.
    sys.modules[name] = module
    _execute(lambda: cast("Any", spec.loader).exec_module(module), str(path))
    return module


def _free_name(path: Path) -> str:
    """A module name for a file, in the place of no other module: `email.py` is a fine name."""
    name = path.stem
    while name in sys.modules or name in sys.stdlib_module_names:
        name += "_"
    return name


def _load_module(name: str) -> ModuleType:
    if not all(part.isidentifier() for part in name.split(".")):
        raise ToolsArgumentError(
            f"--tools: {name!r} is neither a file nor the name of a module; write file.py, "
            "module, or either with :NAME for what to take from it"
        )
    sys.path.insert(0, str(Path.cwd()))
    try:
        return _execute(lambda: importlib.import_module(name), name)
    except _NoModule as missing:
        if missing.name != name and not name.startswith(f"{missing.name}."):
            raise
        hint = f"; for a file write {name}.py" if Path(f"{name}.py").is_file() else ""
        raise ToolsArgumentError(
            f"--tools: there is no module {missing.name!r} on the import path "
            f"(the current folder is on it){hint}"
        ) from missing


def _execute(load: Any, place: str) -> Any:
    """Run the embedder's own module; what it raises is shown as theirs, with its line."""
    try:
        return load()
    except (Exception, SystemExit) as error:
        message = error.msg if isinstance(error, SyntaxError) else str(error)
        told = (
            f"--tools: {place} failed while it was imported{_where(error)}: "
            f"{type(error).__name__}: {message}"
        )
        if isinstance(error, ModuleNotFoundError):
            raise _NoModule(told, error.name or "") from error
        raise ToolsArgumentError(told) from error


def _where(error: BaseException) -> str:
    """File and line of an error: the file that does not parse, or the last one that ran."""
    if isinstance(error, SyntaxError):
        return f" ({error.filename}, line {error.lineno})"
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if not frame.filename.startswith("<")
    ]
    return f" ({frames[-1].filename}, line {frames[-1].lineno})" if frames else ""


def _attribute(module: ModuleType, dotted: str, place: str) -> object:
    found: object = module
    for name in dotted.split("."):
        if not hasattr(found, name):
            names = ", ".join(sorted(key for key in vars(module) if not key.startswith("_")))
            raise ToolsArgumentError(
                f"--tools: {place} has no {dotted!r}; it has {names or 'nothing public'}"
            )
        found = getattr(found, name)
    return found


def _collect(module: ModuleType, place: str) -> list[object]:
    public = [value for name, value in vars(module).items() if not name.startswith("_")]
    tools = [value for value in public if _is_tool(value, module.__name__)]
    found = [value for value in tools if not _is_bare(value)]
    names = ", ".join(value.__name__ for value in tools if _is_bare(value))
    if not found:
        without = f"; without a docstring: {names}" if names else ""
        raise ToolsArgumentError(
            f"--tools: {place} has neither a TOOLS list nor public functions of its own that have "
            f"a docstring, which is what a model reads of them{without}"
        )
    if names:
        print(f"toolscript: {place}: left out, for want of a docstring: {names}", file=sys.stderr)
    return found


def _is_bare(value: object) -> TypeGuard[FunctionType]:
    return inspect.isfunction(value) and not inspect.getdoc(value)


def _is_tool(value: object, module: str) -> bool:
    if inspect.isfunction(value):
        return value.__module__ == module
    if isinstance(value, Tool | Namespace):
        return True
    # The tool objects of frameworks have a name, a schema of their arguments, and are no class.
    return (
        not inspect.isclass(value)
        and isinstance(getattr(value, "name", None), str)
        and any(hasattr(value, schema) for schema in ("args_schema", "input_schema", "inputSchema"))
    )
