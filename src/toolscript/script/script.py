"""From what a model wrote to a program that can run."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Container
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Final, Literal

from toolscript.script.advice import ADVISED, TOOL_ROOTS, advise, advise_result
from toolscript.script.brackets import find_unbalanced
from toolscript.script.calls import call_place
from toolscript.script.diagnostic import Diagnostic, ScriptError, diagnostic_at
from toolscript.script.edits import Edits, Location, PositionMap
from toolscript.script.erase import ERASED, TYPESCRIPT, erase_types
from toolscript.script.find import Found, blank_outside, find_program
from toolscript.script.forms import AWAITED, CALL, Form, Shape, shape_body
from toolscript.script.language import find_foreign
from toolscript.script.modules import (
    DYNAMIC,
    NO_DEFAULT,
    is_module,
    rewrite_dynamic,
    shape_module,
)
from toolscript.script.options import SourceOptions, parse_source
from toolscript.script.repair import read
from toolscript.script.syntax import MOST_LEVELS, TEXTS, Syntax, descend, end, first_error, start
from toolscript.script.text import Lines, from_units, to_units
from toolscript.script.unheard import hear_dropped

_Accepted = Literal["auto", "body", "module"]
_Steps = tuple[PositionMap, ...]

_SHEBANG: Final = re.compile(r"#![^\n\r\u2028\u2029]*")
_HTML_COMMENT: Final = re.compile("<!--|-->")
_LONE_SURROGATE: Final = re.compile(
    r"[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]"
)


@dataclass(frozen=True, slots=True)
class Typed:
    """A script with its types, for the type checker.

    `text` is a module, or the body of an async function of one parameter, `$module`. `imports`
    are the modules that it imports; `locate` finds a position of `text` in the source.
    """

    text: str
    is_module: bool
    imports: tuple[str, ...]
    locate: Location


_LOOKED_FOR: Final = ERASED | ADVISED | DYNAMIC | {AWAITED}


@dataclass(frozen=True)
class Script:
    """A script that is ready to run.

    Attributes:
        source: what the model wrote, whole.
        code: the body of an async function of one parameter, `$module`, in JavaScript. Its
            lines are those of `source`.
        options: what its options line asks for.
        form: what the model wrote: a body, a module, a lone function, or an expression.
        warnings: what should be said about it although it can be tried. A warning of severity
            "error" is a syntax error of which only the engine can be sure.
    """

    source: str
    code: str
    options: SourceOptions
    form: Form
    warnings: tuple[Diagnostic, ...] = ()
    _typed: Callable[[], Typed] = field(kw_only=True, repr=False)
    _location: Location = field(kw_only=True, repr=False)

    @cached_property
    def typed(self) -> Typed:
        """The script with its types."""
        return self._typed()

    def locate(self, line: int, column: int, *, in_bytes: bool = False) -> tuple[int, int]:
        """The position in `source` of a position in `code`; both count from 1.

        Columns are UTF-16 units; `in_bytes` says that `column` counts bytes of UTF-8 instead.
        """
        if in_bytes:
            column = self._location.code.column_of_byte(line, column)
        return self._location(line, column)

    def locate_call(self, line: int, names: Collection[str]) -> tuple[int, int] | None:
        """The position in `source` of a call that the engine places on a line of its arguments.

        `names` are those by which the script may call the tool. None where the engine is right.
        """
        place = call_place(self.code, line, names)
        return None if place is None else self._location(*place)


def prepare(
    source: str,
    *,
    form: _Accepted = "auto",
    typescript: bool = True,
    modules: Container[str] = (),
    namespaces: Collection[str] = (),
) -> Script:
    """Make a script of what a model wrote.

    `form` "auto" takes every form that models write; "body" only the body of a function and
    "module" only a module with a callable default export, as they are. `typescript` erases
    types. `modules` are the names that may be imported, `namespaces` the globals besides `tools`
    whose members are tools.

    Raises:
        SourceError: for an empty script and a wrong options line.
        ScriptError: for a script that cannot run, with a diagnostic for each reason.
    """
    units = to_units(source)
    lines = Lines(units)
    _refuse_odd_characters(units, lines)
    if form == "auto":
        found, syntax = find_program(units)
    else:
        found, syntax = Found(units, 0, len(units)), None
    program, options = _without_first_lines(found)
    if syntax is None or program != syntax.units:
        syntax = read(program)
    _refuse_foreign(syntax, lines)
    _refuse_depth(syntax, lines)
    if syntax.broken:
        warnings = (_syntax_error(syntax, lines, typescript),)
    else:
        syntax = syntax.indexed(_LOOKED_FOR)
        warnings = advise(
            syntax,
            TOOL_ROOTS.union(namespaces),
            last_is_result=form == "auto",
        )
    edits = Edits(program)
    shape = Shape()
    if not syntax.broken:
        _erase(syntax, edits, typescript)
        hear_dropped(syntax, edits)
        shape = _shape(syntax, edits, form, modules)
    if shape.problems:
        raise ScriptError(*shape.problems)
    if shape.form == "body" and not syntax.broken:
        warnings = (*warnings, *advise_result(syntax))
    code, back = edits.apply()
    steps = (back,) if found.back is None else (back, found.back)
    return Script(
        source=source,
        code=from_units(code),
        options=options,
        form=shape.form,
        warnings=warnings,
        _typed=partial(_typed, program, edits, shape, lines, code, steps),
        _location=Location(Lines(code), lines, steps),
    )


def _shape(syntax: Syntax, edits: Edits, form: _Accepted, modules: Container[str]) -> Shape:
    """Turn the script into a body, where its form is accepted."""
    if is_module(syntax, edits):
        if form == "body":
            return Shape(problems=[_no_module(syntax)])
        ending = "call" if form == "module" else "value"
        shape = shape_module(syntax, edits, modules=modules, ending=ending)
    elif form == "module":
        message, hint = NO_DEFAULT
        problem = diagnostic_at(Lines(syntax.units), 0, "module", message, hint=hint)
        return Shape(problems=[problem])
    else:
        shape = shape_body(syntax, edits) if form == "auto" else Shape()
    shape.problems += rewrite_dynamic(syntax, edits, modules)
    return shape


def _typed(
    program: str, edits: Edits, shape: Shape, lines: Lines, code: str, steps: _Steps
) -> Typed:
    if shape.form != "module":
        # Called with more than it takes, a function would be an error of types.
        text = from_units(edits.with_types(hide=CALL))
        return Typed(text, False, (), Location(Lines(code), lines, steps))
    return Typed(
        from_units(program), True, shape.imports, Location(Lines(program), lines, steps[1:])
    )


def prepare_module(source: str, *, modules: Container[str] = (), typescript: bool = True) -> str:
    """Make a body that returns an object of its exports out of a module that scripts may import.

    `modules` are the names that it may import itself.

    Raises:
        ScriptError: for a module that cannot run.
    """
    units = to_units(source)
    lines = Lines(units)
    _refuse_odd_characters(units, lines)
    syntax = read(units)
    _refuse_depth(syntax, lines)
    if syntax.broken:
        raise ScriptError(_syntax_error(syntax, lines, typescript))
    syntax, edits = syntax.indexed(ERASED | DYNAMIC), Edits(units)
    _erase(syntax, edits, typescript)
    shape = shape_module(syntax, edits, modules=modules, ending="exports")
    problems = (*shape.problems, *rewrite_dynamic(syntax, edits, modules))
    if problems:
        raise ScriptError(*problems)
    return from_units(edits.apply()[0])


def _erase(syntax: Syntax, edits: Edits, typescript: bool) -> None:
    """Take out types.

    Raises:
        ScriptError: for types that cannot be taken out, and for comments of HTML.
    """
    refused = erase_types(syntax, edits) if typescript else ()
    refused = (*refused, *_html_comments(syntax))
    if refused:
        raise ScriptError(*refused)


def _no_module(syntax: Syntax) -> Diagnostic:
    at = next(
        start(each)
        for each in syntax.root.children
        if each.type in ("import_statement", "export_statement")
    )
    message = "the script is the body of a function: it can neither import nor export"
    hint = "call tools, and `return` the result"
    return diagnostic_at(Lines(syntax.units), at, "syntax", message, hint=hint)


def _html_comments(syntax: Syntax) -> tuple[Diagnostic, ...]:
    """`<!--` and, at the start of a line, `-->` begin a comment for an engine but not for every
    parser: such a text could look like another one than it is."""
    if "--" not in syntax.units:
        return ()
    for mark in _HTML_COMMENT.finditer(syntax.units):
        at = mark.start()
        node = syntax.root.descendant_for_byte_range(at * 2, mark.end() * 2)
        kind = node.type if node is not None else ""
        if kind == "html_comment" or (mark.group() == "<!--" and kind not in TEXTS):
            message = "comments of HTML are no part of a script"
            hint = "begin a comment with //"
            return (diagnostic_at(Lines(syntax.units), at, "syntax", message, hint=hint),)
    return ()


def _refuse_odd_characters(units: str, lines: Lines) -> None:
    """Characters that would not reach the engine as they are."""
    nul = units.find("\0")
    if nul >= 0:
        raise ScriptError(
            diagnostic_at(lines, nul, "syntax", "a NUL character", hint="write it as \\0")
        )
    lone = None if units.isascii() else _LONE_SURROGATE.search(units)
    if lone is not None:
        written = f"\\u{ord(lone.group()):04x}"
        raise ScriptError(
            diagnostic_at(
                lines,
                lone.start(),
                "syntax",
                "half of a surrogate pair",
                hint=f"write it as {written}",
            )
        )


def _refuse_depth(syntax: Syntax, lines: Lines) -> None:
    if syntax.too_deep:
        message = f"the script is nested more than {MOST_LEVELS:,} levels deep"
        hint = "build what is nested with a loop, or join texts with `[...].join('')`"
        raise ScriptError(diagnostic_at(lines, 0, "syntax", message, hint=hint))


def _refuse_foreign(syntax: Syntax, lines: Lines) -> None:
    foreign = find_foreign(syntax.units, valid=not syntax.broken)
    if foreign is not None:
        raise ScriptError(
            diagnostic_at(lines, foreign.offset, "language", foreign.message, hint=foreign.hint)
        )


def _without_first_lines(found: Found) -> tuple[str, SourceOptions]:
    """The program without byte order mark, `#!` line and options line, and the options."""
    units, first, last = found.units, found.first, found.last
    if units.startswith("\ufeff", first):
        first += 1
    shebang = _SHEBANG.match(units, first)
    if shebang:
        first = shebang.end()
    text = units[first:last]
    if shebang or found.first:
        # What was taken out in front of the program is no line of it.
        skipped = len(text) - len(text.lstrip("\r\n"))
        first += skipped
        text = text[skipped:]
    parsed = parse_source(text)
    first += len(text) - len(parsed.code)
    return blank_outside(units, first, last), parsed.options


def _syntax_error(syntax: Syntax, lines: Lines, typescript: bool) -> Diagnostic:
    """What the parser did not understand.

    Raises:
        ScriptError: where it is certain that no engine would understand it either.
    """
    unbalanced = find_unbalanced(syntax.units)
    if unbalanced is not None:
        hint = unbalanced.hint
        if unbalanced.opened is not None:
            hint = "it was opened at {}:{}".format(*lines.position(unbalanced.opened))
        raise ScriptError(
            diagnostic_at(lines, unbalanced.offset, "syntax", unbalanced.message, hint=hint)
        )
    problem = diagnostic_at(lines, *_describe(syntax))
    if typescript and any(each.type in TYPESCRIPT for each in descend(syntax.root)):
        raise ScriptError(problem)
    return problem


def _describe(syntax: Syntax) -> tuple[int, str, str]:
    """Where the parser gave up, the code of the problem, and what it is."""
    found = first_error(syntax)
    if found is None:
        return 0, "syntax", "this is not valid JavaScript or TypeScript"
    node, missing = found
    rest = syntax.units[end(node) :].strip()
    if not rest and not missing:
        last = len(syntax.units[: end(node)].rstrip())
        return max(last - 1, 0), "syntax", "the script ends in the middle of something"
    if missing:
        wanted = node.type if node.is_named else f"`{node.type}`"
        return start(node), "syntax", f"{wanted} expected"
    near = from_units(syntax.text(node).strip().split("\n")[0][:30])
    return start(node), "syntax", f"unexpected `{near}`"
