"""What a docstring says about a function, in Google, NumPy, Sphinx or Epydoc style."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Docstring:
    """`summary` is the text before the sections; `params` maps parameters to descriptions."""

    summary: str = ""
    params: Mapping[str, str] = field(default_factory=dict[str, str])
    returns: str = ""


def parse_docstring(text: str | None) -> Docstring:
    """The parts of a docstring; one that follows no style is all summary."""
    if not text or not text.strip():
        return Docstring()
    # Loading the parser takes longer than importing the rest of the contract.
    from docstring_parser import ParseError, parse

    clean = inspect.cleandoc(text)
    try:
        parsed = parse(clean)
    except ParseError:
        return Docstring(summary=clean)
    parts = [part.strip() for part in (parsed.short_description, parsed.long_description) if part]
    params = {
        param.arg_name.lstrip("*"): " ".join(param.description.split())
        for param in parsed.params
        if param.description
    }
    told = parsed.returns.description if parsed.returns else None
    return Docstring("\n\n".join(parts), params, " ".join(told.split()) if told else "")
