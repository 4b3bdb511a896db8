"""`toolscript prompt`: what a model reads about somebody's tools."""

from __future__ import annotations

import argparse
import json
import math
import sys

from toolscript import CodeMode
from toolscript.cli.exit_codes import DONE
from toolscript.cli.load_tools import load_all
from toolscript.contract.prompt import CHARS_PER_TOKEN


def main(arguments: argparse.Namespace) -> int:
    codemode = CodeMode(load_all(arguments.tools), profile=arguments.profile)
    text = codemode.prompt(max_tokens=arguments.max_tokens)
    if arguments.json:
        names = [tool.name for tool in codemode.contract.tools]
        sizes = {"prompt": text, "characters": len(text), "tools": names}
        print(json.dumps(sizes, ensure_ascii=False), file=arguments.output)
    else:
        arguments.output.write(text if text.endswith("\n") else text + "\n")
    if not codemode.contract.shown:
        print("toolscript: there are no tools that a model would be told of", file=sys.stderr)
    most, tokens = arguments.max_tokens, math.ceil(len(text) / CHARS_PER_TOKEN)
    if most is not None and tokens > most:
        print(
            f"toolscript: the prompt takes some {tokens} tokens, over the budget of {most}; this is "
            "the shortest that says how to call the tools",
            file=sys.stderr,
        )
    return DONE
