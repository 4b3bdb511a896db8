"""How a command ends."""

from typing import Final

DONE: Final = 0
FAILED: Final = 1
MISUSE: Final = 2
PAUSED: Final = 3
INTERRUPTED: Final = 130
