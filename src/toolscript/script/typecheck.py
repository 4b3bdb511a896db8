"""placeholder"""

from __future__ import annotations

from toolscript.script.diagnostic import Diagnostic
from toolscript.script.script import Script


async def check_types(script: Script, declarations: str) -> tuple[Diagnostic, ...]:
    """Errors of types; see below."""
    raise NotImplementedError
