"""Every number that bounds a run, a field each, with its unit in its name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from toolscript.errors import ConfigurationError
from toolscript.given import tells_names

_MIB = 1024 * 1024

_NEVER_OFF = frozenset({"depth", "output_items"})


@tells_names
@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bounds of one run. `None` switches a limit off, where that is safe.

    Attributes:
        source_chars: length of the script.
        source_bytes: length of the script in UTF-8.
        wall_s: seconds from the start to the end, waiting for a worker included; it stands
            still while a person decides in `approve`.
        cpu_s: seconds of the script's own computing.
        memory_bytes: heap of the JavaScript engine.
        stack_bytes: stack of the JavaScript engine.
        calls: tool calls of one run.
        parallel: calls in flight at once; more wait in order or fail (`over_limit`).
        argument_bytes, argument_chars: JSON of one call's arguments.
        result_bytes: JSON of one call's result.
        output_bytes: all output of one run: texts as they are read, values as JSON.
        output_items: number of output items.
        value_bytes: the returned value: a text as it is read, anything else as JSON.
        total_bytes: JSON of output plus value or failure message together (seed 002's ledger).
        input_bytes: JSON of the program input.
        store_value_chars, store_total_chars: JSON of one stored value, of all stored in a run.
        depth: nested runs.
    """

    source_chars: int | None = 65_536
    source_bytes: int | None = None
    wall_s: float | None = 60.0
    cpu_s: float | None = 10.0
    memory_bytes: int | None = 128 * _MIB
    stack_bytes: int | None = 1 * _MIB
    calls: int | None = 1_000
    parallel: int | None = 16
    argument_bytes: int | None = 16 * _MIB
    argument_chars: int | None = None
    result_bytes: int | None = 16 * _MIB
    output_bytes: int | None = 1 * _MIB
    output_items: int = 10_000
    value_bytes: int | None = 1 * _MIB
    total_bytes: int | None = None
    input_bytes: int | None = 16 * _MIB
    store_value_chars: int | None = 256 * 1024
    store_total_chars: int | None = 1024 * 1024
    depth: int = 4

    def __post_init__(self) -> None:
        for item in fields(self):
            value = getattr(self, item.name)
            if value is None:
                if item.name in _NEVER_OFF:
                    raise ConfigurationError(f"Limits.{item.name} cannot be switched off")
                continue
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            if not is_number or value != value or value in (float("inf"), float("-inf")):
                raise ConfigurationError(
                    f"Limits.{item.name} must be a finite number"
                    f"{'' if item.name in _NEVER_OFF else ' or None'}, not {value!r}"
                )
            if not item.name.endswith("_s") and not isinstance(value, int):
                raise ConfigurationError(
                    f"Limits.{item.name} must be a whole number, not {value!r}"
                )
            smallest = {"total_bytes": 4, "depth": 0, "calls": 0}.get(item.name, 1)
            if (item.name.endswith("_s") and value <= 0) or (
                not item.name.endswith("_s") and value < smallest
            ):
                raise ConfigurationError(
                    f"Limits.{item.name} must be "
                    f"{'above 0' if item.name.endswith('_s') else f'at least {smallest}'}, "
                    f"not {value!r}"
                )

    def merged(self, changes: Mapping[str, Any]) -> Limits:
        """These limits with some fields replaced.

        Raises:
            ConfigurationError: for a name that is no limit, or a value that is none.
        """
        known = {item.name for item in fields(self)}
        for name in changes:
            if name not in known:
                raise ConfigurationError(
                    f"there is no limit {name!r}; the limits are {', '.join(sorted(known))}"
                )
        return replace(self, **changes)
