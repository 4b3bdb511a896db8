"""Cases that do not apply here, or that we hold for wrong, each with its reason.

A case in this table is a strict expected failure: it must fail, else the table is out of date.
One whose part is out of reach altogether is skipped: its reason begins with "not applicable".
"""

from __future__ import annotations

LEFT_OUT: dict[str, str] = {
    "mcp/text-number": "text `42` stays a string unless the tool declares an output schema: "
    "`007` and version numbers are text, and another case says the same",
    "lossless/deep-3000": "beyond the nesting limit of 512 levels, which holds in both directions",
    "sched/cf-none": "not applicable: another product's own convention",
    "sched/run-inflight-cap": "not applicable: another product's own convention",
}
