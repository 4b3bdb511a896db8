"""Recognises what is no JavaScript at all: Python, shell commands, prose."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from toolscript.script.text import words

_MOST_LINES: Final = 200
_LONGEST_LINE: Final = 300
_EXPECTED: Final = "expected JavaScript that calls tools.*"

_PYTHON_LINE: Final = re.compile(
    r"""^[ \t]*(?:
        (?:async[ ]+)?def[ ]+\w+[ ]*\(.*\)[ ]*(?:->[^:]+)?:[ \t]*(?:\#.*)?$
      | class[ ]+\w+(?:\([\w., ]*\))?:[ \t]*$
      | (?:if|elif|while|with|for|except)\b[^{}]*:[ \t]*(?:\#.*)?$
      | (?:else|try|finally):[ \t]*$
      | from[ ]+[\w.]+[ ]+import\b
      | import[ ]+[a-z_][\w.]*(?:[ ]+as[ ]+\w+)?(?:,[ ]*[a-z_][\w.]*)*[ \t]*$
      | .*\b(?:not[ ]in|is[ ]None|is[ ]not)\b
      | (?:.*[=(,: ])?f["'][^"']*\{
      | .*\[.*\bfor[ ]\w+(?:,[ ]*\w+)*[ ]in\b.*\]
      | .*\blambda\b[\w, ]*:
    )""",
    re.VERBOSE,
)
_SHELL_COMMANDS: Final = words(
    """
    ls pwd cd cat dir echo grep find head tail curl wget mkdir rm cp mv touch chmod chown
    sudo git npm npx yarn pnpm pip pip3 python python3 node bash sh zsh whoami ps kill df du
    tar unzip ssh sed awk sort wc uname hostname printenv cls apt apt-get brew docker
    kubectl make tree
    """
)
_SHELL_LINE: Final = re.compile(r"^(?:[$>%][ ]+)?([a-z][\w-]*)(?=[ \t]|$)(.*)$")
_CODE: Final = re.compile(r"[=;{}\[\]`]|\w\(|=>|//|\b(?:const|let|var|return|await|function)\b")
_SQL: Final = re.compile(
    r"\s*(?:--[^\n]*\n\s*)*(SELECT\s.+?\sFROM\s|INSERT\s+INTO\s|UPDATE\s+\S+\s+SET\s"
    r"|DELETE\s+FROM\s|CREATE\s+TABLE\s|WITH\s+\w+\s+AS\s*\()",
    re.IGNORECASE | re.DOTALL,
)
_MARKUP: Final = re.compile(
    r"(?:\A|=>?|\(|\breturn)\s*(<[A-Za-z][\w.:-]*(?:\s[^<>]{0,200})?>[^<>`'\"]{0,200}</?[A-Za-z])"
)
_SEPARATORS: Final = re.compile(r"\n|&&|\|\||[|;]")


@dataclass(frozen=True, slots=True)
class Foreign:
    """What the text is instead of JavaScript, and what to do about it."""

    message: str
    hint: str
    offset: int = 0


def find_foreign(units: str, *, valid: bool) -> Foreign | None:
    """Says so if a text is written in another language.

    `valid` tells that the text can be parsed as JavaScript: then only what makes no sense as
    JavaScript counts, such as a lone `ls`.
    """
    shell = _shell(units, valid=valid)
    if shell is not None:
        return shell
    if valid:
        return None
    python = _python_line(units)
    if python is not None:
        return Foreign(
            f"{_EXPECTED}, but this looks like Python",
            "write it in JavaScript: `const x = await tools.name({ key: value });`, "
            "`for (const x of xs) { ... }`, `if (...) { ... }`, `null`, `true`, `false`, `//`",
            python,
        )
    query = _SQL.match(units)
    if query is not None:
        return Foreign(
            f"{_EXPECTED}, but this looks like SQL",
            "there is no database here; pass the query to a tool that runs it, as a string",
            query.start(1),
        )
    markup = _MARKUP.search(units)
    if markup is not None:
        return Foreign(
            f"{_EXPECTED}, but this holds markup",
            "there is no JSX, HTML or XML here; write markup as text, in quotes",
            markup.start(1),
        )
    if _is_prose(units):
        return Foreign(
            f"{_EXPECTED}, but this is text",
            "write only the script; what you want to say belongs outside of it",
        )
    return None


def _python_line(units: str) -> int | None:
    """Offset of the first line that only Python has."""
    offset = 0
    for line in units.split("\n", _MOST_LINES)[:_MOST_LINES]:
        if len(line) <= _LONGEST_LINE and _PYTHON_LINE.match(line):
            return offset + len(line) - len(line.lstrip())
        offset += len(line) + 1
    return None


def _shell(units: str, *, valid: bool) -> Foreign | None:
    text = units.strip()
    if len(text) > 2_000 or not text:
        return None
    if valid and (_CODE.search(text) or "." in text):
        return None
    commands = [part.strip() for part in _SEPARATORS.split(text)]
    commands = [part for part in commands if part and not part.startswith("#")]
    if not commands:
        return None
    words = [found.group(1) for part in commands if (found := _SHELL_LINE.match(part))]
    first = _SHELL_LINE.match(commands[0])
    if first is None or first.group(1) not in _SHELL_COMMANDS:
        return None
    if len(words) < len(commands) or first.group(2).lstrip().startswith(("=", "(", ".", "=>")):
        return None
    return Foreign(
        f"{_EXPECTED}, but this looks like shell commands",
        "there is no shell here; call a tool that does the work, or use JavaScript",
        len(units) - len(units.lstrip()),
    )


def _is_prose(units: str) -> bool:
    return len(units.split(None, 4)) >= 4 and not _CODE.search(units)
