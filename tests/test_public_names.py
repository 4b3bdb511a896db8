"""Every public name is there, is imported when it is touched, and is known to type checkers."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import toolscript

SOURCE = ast.parse(Path(toolscript.__file__).read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", dir(toolscript))
def test_a_public_name_can_be_imported(name: str) -> None:
    assert getattr(toolscript, name) is not None


def test_type_checkers_see_the_same_names() -> None:
    typed = {
        alias.asname
        for node in ast.walk(SOURCE)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.asname
    }
    assert typed == set(dir(toolscript))


def test_star_gives_every_public_name() -> None:
    names: dict[str, object] = {}
    exec("from toolscript import *", names)
    assert set(dir(toolscript)) <= set(names)


def test_another_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="CodeMod"):
        getattr(toolscript, "".join(["Code", "Mod"]))
