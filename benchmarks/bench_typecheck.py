"""What a type check costs: a 30-line script against the declarations of 300 tools.

Run: python -m benchmarks.bench_typecheck
"""

from __future__ import annotations

import asyncio
import statistics
import time

from toolscript.script.script import prepare
from toolscript.script.typecheck import check_types

TOOLS = 300
CHECKS = 60


def declarations() -> str:
    """300 tools with arguments and results of some depth."""
    members = "\n".join(
        f"  /** Tool number {n}. */\n"
        f"  tool_{n}(args: {{ id: string; status?: 'open' | 'late'; limit?: number }}): "
        f"Promise<{{ rows: {{ id: string; total: number; tags: string[]; f{n}: boolean }}[]; "
        f"next: string | null }}>;"
        for n in range(TOOLS)
    )
    return f"declare const tools: {{\n{members}\n}};\n"


def script(seed: int) -> str:
    """30 lines that use 15 tools; every seed gives another text."""
    lines: list[str] = []
    for n in range(seed, seed + 15):
        lines.append(f"const r{n} = await tools.tool_{n}({{ id: '{n}', status: 'open' }});")
        lines.append(f"const t{n} = r{n}.rows.filter((row) => row.f{n}).map((row) => row.total);")
    lines[-1] += f"\nreturn t{seed};"
    return "\n".join(lines)


async def main() -> None:
    text = declarations()
    began = time.perf_counter()
    await check_types(prepare(script(0)), text)
    cold = time.perf_counter() - began
    times: list[float] = []
    preparing: list[float] = []
    for n in range(1, CHECKS):
        began = time.perf_counter()
        prepared = prepare(script(n))
        preparing.append(time.perf_counter() - began)
        began = time.perf_counter()
        found = await check_types(prepared, text)
        times.append(time.perf_counter() - began)
        assert not found, found
    times.sort()
    print(f"first check, with the start of the checker   {cold * 1000:7.1f} ms")
    print(
        f"warm check, median of {len(times)}                   {statistics.median(times) * 1000:7.1f} ms"
    )
    print(
        f"warm check, 95th percentile                  {times[int(len(times) * 0.95)] * 1000:7.1f} ms"
    )
    print(
        f"prepare the script, median                   {statistics.median(preparing) * 1000:7.1f} ms"
    )


if __name__ == "__main__":
    asyncio.run(main())
