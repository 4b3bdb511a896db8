"""The command `toolscript`.

Exit codes: 0 done, 1 the script failed or a check found errors, 2 the command was given
something it cannot use, 3 the run waits for a person's answer, 130 interrupted.
"""

from toolscript.cli.main import main

__all__ = ["main"]
