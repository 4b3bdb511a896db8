"""Optional dependencies: which extra brings what a module needs."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

_OURS: Final = frozenset({"toolscript", "toolscript_adapters"})


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
            f'install ".[{extra}]"); {error}',
            name=error.name,
            path=error.path,
        ) from error
