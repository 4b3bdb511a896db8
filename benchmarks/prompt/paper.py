"""Writes what a fresh reader gets, and nothing else: a prompt, tasks, and where scripts go.

python -m benchmarks.prompt.paper OUT_DIR
"""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks.prompt.task import Paper
from benchmarks.prompt.tasks import PAPERS, TASKS, World

_TASKS = """
# Tasks

Write one script for each task, into a file `<id>.ts`. Each script is run once, against a fresh
copy of the same data, and has to return exactly what its task asks for.
"""

_SEARCH = """
If you want to look first, write the look-ups of a task into `<id>.search.ts` and nothing else. It
is run as it is, what it gives is handed to you as `<id>.search.txt`, and then you write `<id>.ts`.
"""


def paper(name: Paper) -> str:
    """The whole text of a paper."""
    prompt = World(name).engine.prompt(max_tokens=PAPERS[name])
    tasks = [task for task in TASKS if task.paper == name]
    listed = [f"{at}. `{task.id}`: {task.text}" for at, task in enumerate(tasks, start=1)]
    how = _TASKS if name == "retail" else _TASKS + _SEARCH
    return f"{prompt.rstrip()}\n{how}\n" + "\n".join(listed) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description="Write the papers of the prompt experiment.")
    parser.add_argument("out", type=Path)
    out: Path = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    for name in PAPERS:
        text = paper(name)
        (out / f"{name}.md").write_text(text, encoding="utf-8")
        print(f"{out / name}.md: {len(text):,} characters")


if __name__ == "__main__":
    main()
