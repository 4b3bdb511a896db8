"""The syntax rules of the constrained profile (seed 003): what a script must not even say.

They are checked on the syntax tree before anything runs. Their cost is known: ordinary member
names such as `.url`, `.path` or `.create` are refused too, and so is every access by index.
"""

from __future__ import annotations

import re
from typing import Final

from tree_sitter import Node

from toolscript.script.brackets import find_unbalanced
from toolscript.script.diagnostic import Diagnostic, diagnostic_at
from toolscript.script.repair import read
from toolscript.script.syntax import MOST_LEVELS, descend, first_error, start
from toolscript.script.text import Lines, to_units, words

MOST_BYTES: Final = 65_536
MOST_NODES: Final = 20_000
MOST_ISSUES: Final = 64

_KINDS: Final = {
    "import_statement": "imports are not allowed",
    "import_alias": "imports are not allowed",
    "import": "dynamic imports are not allowed",
    "meta_property": "meta properties are not allowed",
    "class": "classes are not allowed",
    "class_declaration": "classes are not allowed",
    "abstract_class_declaration": "classes are not allowed",
    "function_declaration": "function declarations are not allowed; use a constant arrow function",
    "generator_function_declaration": "generator functions are not allowed",
    "generator_function": "generator functions are not allowed",
    "function_signature": "function declarations are not allowed; use a constant arrow function",
    "enum_declaration": "enums are not allowed",
    "interface_declaration": "interfaces are not allowed",
    "type_alias_declaration": "type aliases are not allowed",
    "ambient_declaration": "ambient declarations are not allowed",
    "internal_module": "namespaces are not allowed",
    "module": "namespaces are not allowed",
    "new_expression": "constructors are not allowed",
    "regex": "regular expressions are not allowed",
    "subscript_expression": "access by index or computed name is not allowed; use .name, "
    "destructuring, for...of or array methods",
    "computed_property_name": "computed property names are not allowed",
    "debugger_statement": "debugger is not allowed",
    "with_statement": "with is not allowed",
    "decorator": "decorators are not allowed",
    "private_property_identifier": "private names are not allowed",
    "this": "this is not allowed",
    "super": "super is not allowed",
    "html_comment": "HTML comments are not allowed",
}

_NAMES: Final = words(
    """
    AsyncFunction Atomics Buffer Bun Deno EventSource FinalizationRegistry Function
    GeneratorFunction Intl Math Proxy Reflect RegExp ShadowRealm SharedArrayBuffer WeakRef
    WebAssembly WebSocket Worker XMLHttpRequest __dirname __filename arguments child_process
    clearImmediate clearInterval clearTimeout console constructor crypto ctx document env
    eval exports fetch fs global globalThis http http2 https importScripts localStorage
    module navigator net os path performance process queueMicrotask require self
    setImmediate setInterval setTimeout sessionStorage structuredClone tls url vm window
    worker_threads
    """
)
_MEMBERS: Final = _NAMES | words(
    """
    __defineGetter__ __defineSetter__ __lookupGetter__ __lookupSetter__ __proto__ callee
    caller create defineProperties defineProperty getOwnPropertyDescriptor
    getOwnPropertyDescriptors getPrototypeOf prototype setPrototypeOf
    """
)
_OTHER_LANGUAGE: Final = ("js/", "{{", "<%")


def check_constrained(source: str) -> tuple[Diagnostic, ...]:
    """What a script says that the constrained profile does not allow; at most 64 findings."""
    size = len(source.encode("utf-8", "surrogatepass"))
    if size > MOST_BYTES:
        message = f"the script has {size:,} bytes; at most {MOST_BYTES:,} are allowed"
        return (Diagnostic(1, 1, "size", message),)
    units = to_units(source)
    lines = Lines(units)
    syntax = read(units)
    if syntax.broken:
        unbalanced = find_unbalanced(units)
        error = first_error(syntax)
        at = unbalanced.offset if unbalanced else start(error[0]) if error else 0
        message = unbalanced.message if unbalanced else "this is not valid JavaScript"
        return (diagnostic_at(lines, at, "syntax", message),)
    if syntax.too_deep:
        message = f"the script is nested more than {MOST_LEVELS:,} levels deep"
        return (Diagnostic(1, 1, "size", message),)
    found: list[Diagnostic] = []
    nodes = 0
    for node in descend(syntax.root):
        nodes += node.is_named
        if nodes > MOST_NODES:
            message = f"the script has more than {MOST_NODES:,} syntax nodes"
            return (diagnostic_at(lines, start(node), "size", message),)
        message = _refused(node, units)
        if message and len(found) < MOST_ISSUES:
            found.append(diagnostic_at(lines, start(node), "constrained", message))
    return tuple(found)


def _refused(node: Node, units: str) -> str:
    kind = node.type
    if not node.is_named:
        # `this` and `import` are named nodes; of the bare tokens only this one matters.
        return "delete is not allowed" if kind == "delete" else ""
    if kind == "export_statement":
        # The seed's rules miss the modifier of a variable statement; it cannot run anyway.
        declares = node.child_by_field_name("declaration")
        is_variable = declares is not None and declares.type.startswith(("lexical", "variable"))
        return "" if is_variable else "exports are not allowed"
    if kind in _KINDS:
        return _KINDS[kind]
    if kind in ("identifier", "shorthand_property_identifier"):
        name = units[start(node) : node.end_byte // 2]
        return f"`{name}` is not available" if _plain(name) in _NAMES else ""
    if kind in ("property_identifier", "shorthand_property_identifier_pattern"):
        parent = node.parent
        is_key = parent is not None and parent.type in ("pair", "property_signature")
        name = _plain(units[start(node) : node.end_byte // 2])
        refused = name in ("__proto__", "constructor") if is_key else name in _MEMBERS
        return f"the member `{name}` is not allowed" if refused else ""
    if kind == "string" and node.parent is not None and node.parent.type == "pair_pattern":
        name = units[start(node) + 1 : node.end_byte // 2 - 1]
        # A text has more escapes than a name has: none is needed to take something out.
        if _is_key(node) and ("\\" in name or name in _MEMBERS):
            return f"the member `{name}` is not allowed"
    if kind == "string_fragment":
        text = units[start(node) : node.end_byte // 2].lstrip()
        if text.startswith(_OTHER_LANGUAGE[0]) or any(each in text for each in _OTHER_LANGUAGE[1:]):
            return "a string must not look like an expression of another language"
        return ""
    return ""


def _is_key(node: Node) -> bool:
    parent = node.parent
    return parent is not None and parent.child_by_field_name("key") == node


def _plain(name: str) -> str:
    """A name with its escapes resolved, so that `ev\\u0061l` is `eval`."""
    return _ESCAPE.sub(lambda found: chr(int(found.group(1) or found.group(2), 16)), name)


_ESCAPE: Final = re.compile(r"\\u(?:([0-9A-Fa-f]{4})|\{0*([0-9A-Fa-f]{1,5})\})")
