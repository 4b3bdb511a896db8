"""`toolscript prompt`: what a model reads about somebody's tools."""

from __future__ import annotations

import argparse
import json
import sys

from toolscript import CodeMode
from toolscript.cli.exit_codes import DONE
from toolscript.cli.load_tools import load_all


def main(arguments: argparse.Namespace) -> int:
    codemode = CodeMode(load_all(arguments.tools), profile=arguments.profile)
    text = codemode.prompt(max_tokens=arguments.max_tokens)
    if arguments.json:
        names = [tool.name for tool in codemode.contract.tools]
        sizes = {"prompt": text, "characters": len(text), "tools": names}
        print(json.dumps(sizes, ensure_ascii=False))
    else:
        sys.stdout.write(text if text.endswith("\n") else text + "\n")
    return DONE
