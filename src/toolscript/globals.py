"""The one table of what a script sees besides its tools.

The prompt, the declarations, the type checker and the documentation are made from it, and the
guest builds what the same table switches on; a test runs a script that holds the two together.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from toolscript.profiles import Profile


@dataclass(frozen=True, slots=True)
class Global:
    """Globals that are switched on together.

    Attributes:
        switch: the name by which a profile and the guest turn them on.
        names: the global names that exist then.
        declaration: their TypeScript, ready to stand in a declaration file.
        summary: one line for the prompt and the documentation; empty keeps it out of the prompt.
    """

    switch: str
    names: tuple[str, ...]
    declaration: str
    summary: str = ""


TOOL_ERROR: Final = Global(
    switch="ToolError",
    names=("ToolError",),
    declaration="""\
type ToolErrorCode = "invalid_args" | "unknown_tool" | "denied" | "failed" | "timeout" | "too_large" | "invalid_result" | "cancelled" | "call_limit";
/** What a failed tool call throws. */
declare class ToolError extends Error {
  readonly tool: string;
  readonly code: ToolErrorCode;
  readonly details: any;
}""",
    summary="A failed call throws `ToolError` (`tool`, `code`, `message`, `details`); catch it "
    "where the script can go on without the result.",
)

TABLE: Final[tuple[Global, ...]] = (
    TOOL_ERROR,
    Global(
        switch="console",
        names=("console",),
        declaration="""\
declare const console: {
  log(...values: unknown[]): void;
  info(...values: unknown[]): void;
  warn(...values: unknown[]): void;
  error(...values: unknown[]): void;
  debug(...values: unknown[]): void;
};""",
        summary="`console.log(...)` prints.",
    ),
    Global(
        switch="text",
        names=("text",),
        declaration="/** Adds text to the output. */\ndeclare function text(value: unknown): void;",
        summary="`text(value)` outputs text beside the result.",
    ),
    Global(
        switch="emit",
        names=("emit",),
        declaration="/** Adds a value to the output. */\ndeclare function emit(value: unknown): void;",
        summary="`emit(value)` outputs a value.",
    ),
    Global(
        switch="log",
        names=("log",),
        declaration="/** Adds an entry to the log. */\ndeclare function log(value: unknown): void;",
        summary="`log(value)` adds an entry to the log.",
    ),
    Global(
        switch="image",
        names=("image",),
        declaration="/** Shows a PNG, JPEG, GIF or WebP image: base64, a data URL or bytes. */\n"
        "declare function image(data: string | Uint8Array, mimeType?: string): void;",
        summary="`image(data, mimeType?)` shows an image.",
    ),
    Global(
        switch="exit",
        names=("exit",),
        declaration="/** Ends the script at once, successfully. */\ndeclare function exit(): never;",
        summary="`exit()` ends the script.",
    ),
    Global(
        switch="store",
        names=("store", "load"),
        declaration="/** Keeps a value for later scripts, where the application keeps it; undefined "
        "deletes it. */\n"
        "declare function store(key: string, value: unknown): void;\n"
        "/** A value kept by an earlier script, or undefined. */\n"
        "declare function load(key: string): any;",
        summary="`store(key, value)` keeps a value for a later script's `load(key)`, if the "
        "application does.",
    ),
    Global(
        switch="timers",
        names=("sleep", "setTimeout", "setInterval", "clearTimeout", "clearInterval"),
        declaration="declare function sleep(ms: number): Promise<void>;\n"
        "declare function setTimeout(callback: (...values: any[]) => void, ms?: number, ...values: unknown[]): number;\n"
        "declare function setInterval(callback: (...values: any[]) => void, ms?: number, ...values: unknown[]): number;\n"
        "declare function clearTimeout(id?: number): void;\n"
        "declare function clearInterval(id?: number): void;",
        summary="`await sleep(ms)`, `setTimeout` and `setInterval` wait.",
    ),
    Global(
        switch="progress",
        names=("progress",),
        declaration="/** Tells whoever watches how far the script is; not part of the result. */\n"
        "declare function progress(message: string, fraction?: number): void;",
        summary="`progress(message, fraction?)` reports.",
    ),
    Global(
        switch="web",
        names=(
            "structuredClone",
            "atob",
            "btoa",
            "TextEncoder",
            "TextDecoder",
            "URL",
            "URLSearchParams",
        ),
        declaration="""\
declare function structuredClone<T>(value: T): T;
declare function atob(data: string): string;
declare function btoa(data: string): string;
declare class TextEncoder {
  readonly encoding: string;
  encode(text?: string): Uint8Array;
}
declare class TextDecoder {
  constructor(label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean });
  readonly encoding: string;
  decode(bytes?: ArrayBuffer | ArrayBufferView): string;
}
declare class URLSearchParams {
  constructor(init?: string | string[][] | Record<string, string> | URLSearchParams);
  append(name: string, value: string): void;
  delete(name: string): void;
  get(name: string): string | null;
  getAll(name: string): string[];
  has(name: string): boolean;
  set(name: string, value: string): void;
  sort(): void;
  toString(): string;
  readonly size: number;
  keys(): IterableIterator<string>;
  values(): IterableIterator<string>;
  entries(): IterableIterator<[string, string]>;
  forEach(callback: (value: string, name: string) => void): void;
  [Symbol.iterator](): IterableIterator<[string, string]>;
}
declare class URL {
  constructor(url: string, base?: string | URL);
  static canParse(url: string, base?: string): boolean;
  href: string;
  readonly origin: string;
  protocol: string;
  username: string;
  password: string;
  host: string;
  hostname: string;
  port: string;
  pathname: string;
  search: string;
  hash: string;
  readonly searchParams: URLSearchParams;
  toString(): string;
  toJSON(): string;
}""",
        summary="`URL`, `TextEncoder`, `structuredClone`, `atob` and `btoa` exist.",
    ),
    Global(
        switch="list",
        names=("ALL_TOOLS",),
        declaration="/** Every tool with its description. */\n"
        "declare const ALL_TOOLS: ReadonlyArray<{ readonly name: string; readonly description: string }>;",
    ),
)

DISCOVERY: Final = """\
interface ToolDiscovery {
  /** The tools that fit a question best, each with its declaration. */
  search(query: string, options?: { limit?: number }): Promise<Array<{ name: string; description: string; declaration: string }>>;
  /** One tool's declaration, by any of its names. */
  describe(name: string): Promise<string>;
  /** Names and descriptions of all tools. */
  list(): Array<{ name: string; description: string }>;
  /** Calls a tool by name. */
  call(name: string, args?: object): Promise<any>;
}"""
"""Finding tools inside a script: members of `codemode`, and two of them of `tools`."""

_DISCOVERY_MEMBERS: Final = ("search", "describe", "list", "call")


def switches(profile: Profile, *, has_input: bool) -> tuple[str, ...]:
    """The switches that are on for a profile, sorted."""
    on = set(profile.builtins)
    if profile.timers:
        on.add("timers")
    if profile.discovery:
        on |= {"codemode", "discovery"}
    if has_input:
        on.add("input")
    return tuple(sorted(on))


def globals_of(profile: Profile) -> Sequence[Global]:
    """The rows of the table that exist under a profile, in table order."""
    on = set(switches(profile, has_input=False)) | {"ToolError"}
    return [row for row in TABLE if row.switch in on]


def discovery_names(taken: Container[str]) -> dict[str, str]:
    """How a script names each discovery member behind `codemode.`.

    `taken` are the names of tools and namespaces, which are members of `codemode` as well and
    come first. A discovery member of such a name is reached behind a `$`: `codemode.$search`.
    """
    found: dict[str, str] = {}
    for member in _DISCOVERY_MEMBERS:
        name = member
        while name in taken:
            name = f"${name}"
        found[member] = name
    return found


def other_spellings(
    profile: Profile, discovery: Mapping[str, str]
) -> tuple[list[str], dict[str, str]]:
    """Declarations of the other names of `tools`, and the members that `tools` has besides tools.

    They work, and a type checker has to know them; a model need not be told. `discovery` names
    the discovery members, as `discovery_names` does.
    """
    on = switches(profile, has_input=False)
    texts: list[str] = []
    members: dict[str, str] = {}
    if "discovery" in on or "list" in on:
        texts.append(DISCOVERY)
        members = {name: f'readonly {name}: ToolDiscovery["{name}"]' for name in ("call", "list")}
    if "codemode" in on:
        found = f" & {_discovery_type(discovery)}" if "discovery" in on else ""
        texts.append(f"declare const codemode: typeof tools{found};")
    if "bindings" in on:
        texts.append("declare const bindings: typeof tools;")
    return texts, members


def _discovery_type(discovery: Mapping[str, str]) -> str:
    renamed = {member: name for member, name in discovery.items() if name != member}
    if not renamed:
        return "ToolDiscovery"
    omitted = " | ".join(f'"{member}"' for member in renamed)
    members = " ".join(f'{name}: ToolDiscovery["{member}"];' for member, name in renamed.items())
    return f"Omit<ToolDiscovery, {omitted}> & {{ {members} }}"


def reserved_names(profile: Profile) -> frozenset[str]:
    """Names that no namespace, global or shortcut may have: they mean something already."""
    documented = {name for row in globals_of(profile) for name in row.names}
    return frozenset(documented | {"tools", "codemode", "bindings", "input", "globalThis"})
