"""What is measured: one script each, in the language of each subject."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Work:
    """One piece of work.

    Attributes:
        key: short name, for `--only`.
        title: what the table says.
        javascript: body of an async function.
        python: the same for a subject that runs Python; the last line is the value.
        expect: the value, which every subject must give.
        units: how many of what `title` counts happen in one run; times are given for each.
        repeats: runs that the median is taken of.
        expect_python: the value of the Python script, where that has to do less.
        skip: subjects that would take minutes.
    """

    key: str
    title: str
    javascript: str
    python: str
    expect: Any
    units: int = 1
    repeats: int = 15
    expect_python: Any = None
    skip: frozenset[str] = frozenset()


def _filter(count: int) -> tuple[str, str]:
    return (
        f"const all = await tools.rows({{ count: {count} }});"
        " return all.filter((row) => row.id % 1000 === 0).length;",
        f"all = await rows(count={count})\nlen([row for row in all if row['id'] % 1000 == 0])",
    )


def _arguments(count: int) -> tuple[str, str]:
    return (
        f"const rows = Array.from({{ length: {count} }}, (_, i) =>"
        " ({ id: i, name: 'row ' + i, note: 'x'.repeat(66) })); return await tools.count({ rows });",
        f"table = [{{'id': i, 'name': 'row ' + str(i), 'note': 'x' * 66}} for i in range({count})]\n"
        "await count(rows=table)",
    )


def _parallel(many: int) -> tuple[str, str]:
    return (
        f"const all = await Promise.all(Array.from({{ length: {many} }}, (_, i) =>"
        " tools.wait({ i }))); return all.length;",
        f"import asyncio\nlen(await asyncio.gather(*[wait(i=i) for i in range({many})]))",
    )


WORK = (
    Work("fresh", "a fresh run of 1 + 1", "return 1 + 1;", "1 + 1", 2, repeats=200),
    Work(
        "sequential",
        "a call of 1,000, one after another",
        "let n = 0; for (let i = 0; i < 1000; i++) n += await tools.noop({ i }); return n;",
        "n = 0\nfor i in range(1000):\n    n += await noop(i=i)\nn",
        499_500,
        units=1000,
        repeats=7,
    ),
    Work("parallel100", "100 calls of 10 ms at once", *_parallel(100), 100),
    Work(
        "parallel1000",
        "1,000 calls of 10 ms at once",
        _parallel(1000)[0],
        _parallel(900)[1],
        1000,
        expect_python=900,
        repeats=7,
    ),
    Work("result1", "1 MB result, filtered", *_filter(10_000), 10),
    Work("result10", "10 MB result, filtered", *_filter(100_000), 100, repeats=5),
    Work("arguments1", "1 MB as arguments", *_arguments(10_000), 10_000, repeats=7),
    Work(
        "arguments10",
        "10 MB as arguments",
        *_arguments(100_000),
        100_000,
        repeats=3,
        skip=frozenset({"langchain-quickjs"}),
    ),
)
