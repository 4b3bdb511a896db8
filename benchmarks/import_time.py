"""`python -m benchmarks.import_time`: what importing costs above a bare interpreter."""

from __future__ import annotations

import subprocess
import sys
import time
from statistics import median


def main() -> None:
    codes = {
        "import toolscript": "import toolscript",
        "toolscript.CodeMode": "from toolscript import CodeMode",
        "toolscript.CodeModeTool": "from toolscript import CodeModeTool",
    }
    bare = _median("pass")
    for title, code in codes.items():
        print(f"{title:<28}{(_median(code) - bare) * 1000:7.1f} ms above a bare interpreter")


def _median(code: str) -> float:
    """Median seconds of nine interpreters, the first of ten being thrown away."""
    times: list[float] = []
    for _ in range(10):
        began = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)
        times.append(time.perf_counter() - began)
    return median(times[1:])


if __name__ == "__main__":
    main()
