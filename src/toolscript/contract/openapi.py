"""Operations of an OpenAPI document as tools; the embedder performs the requests.

Nothing is fetched and no HTTP client is needed: `call` gets a plain `Request` and returns the
decoded body of the answer.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, cast
from urllib.parse import quote

from toolscript.contract.tool import JsonSchema, Tool, ToolContext, ToolOptions
from toolscript.errors import ContractError, ToolError

_METHODS: Final = ("get", "put", "post", "delete", "patch", "head", "options", "trace")
_READING: Final = frozenset({"get", "head", "options"})
_IDEMPOTENT: Final = frozenset({"get", "head", "options", "put", "delete"})
"""RFC 9110, section 9.2.2."""
_SCHEMAS: Final = "#/components/schemas/"
_WHERE: Final = ("path", "query", "header", "cookie")

Place = Literal["path", "query", "header", "cookie", "body"]


@dataclass(frozen=True, slots=True)
class Request:
    """One request to perform. `path` has its parameters filled in; `body` is None without one."""

    method: str
    path: str
    query: Mapping[str, Any] = field(default_factory=dict[str, Any])
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    cookies: Mapping[str, str] = field(default_factory=dict[str, str])
    body: Any = None


RequestCall = Callable[[Request], Any]
"""Performs a request and gives the decoded body of the answer, or awaits it."""


def tools_from_openapi(document: Mapping[str, Any], call: RequestCall) -> list[Tool]:
    """A tool for each operation of an OpenAPI document (3.x), in the document's order.

    Parameters and a JSON body become one object of arguments: the body's properties stand beside
    the parameters, or under `body` where it is no object or a name would be there twice.

    Raises:
        ContractError: for a document without paths.
    """
    paths = document.get("paths")
    if not isinstance(paths, Mapping) or not paths:
        raise ContractError("an OpenAPI document has `paths` with operations; this one has none")
    title = _text(_resolved(document, document.get("info")), "title")
    tools: list[Tool] = []
    for path, found in cast("Mapping[str, Any]", paths).items():
        item = _resolved(document, found)
        for method in _METHODS:
            if isinstance(item.get(method), Mapping):
                tools.append(_tool(document, path, method, item, title or None, call))
    return tools


def _tool(
    document: Mapping[str, Any],
    path: str,
    method: str,
    item: Mapping[str, Any],
    source: str | None,
    call: RequestCall,
) -> Tool:
    operation = cast("Mapping[str, Any]", item[method])
    shape = _arguments(document, operation, item)
    name = operation.get("operationId")
    return Tool(
        name=name if isinstance(name, str) and name else _name(method, path),
        description=_text(operation, "description") or _text(operation, "summary"),
        input_schema=_with_definitions(document, shape.schema),
        output_schema=_answer(document, operation),
        call=_caller(method.upper(), path, shape, call),
        options=ToolOptions(
            read_only=method in _READING,
            idempotent=method in _IDEMPOTENT,
            destructive=method == "delete",
        ),
        source=source,
    )


@dataclass(frozen=True, slots=True)
class _Arguments:
    """The one object of arguments, and where each of its properties goes in a request."""

    schema: dict[str, Any]
    places: Mapping[str, Place]
    whole_body: bool
    """Whether the property `body` is the body, instead of a property of it."""


def _arguments(
    document: Mapping[str, Any], operation: Mapping[str, Any], item: Mapping[str, Any]
) -> _Arguments:
    properties: dict[str, Any] = {}
    places: dict[str, Place] = {}
    required: list[str] = []
    listed = [*_items(item.get("parameters")), *_items(operation.get("parameters"))]
    for raw in listed:
        parameter = _resolved(document, raw)
        name, place = parameter.get("name"), parameter.get("in")
        if not isinstance(name, str) or place not in _WHERE:
            continue
        schema: Any = parameter.get("schema", _media_schema(parameter.get("content")))
        properties[name] = _described(schema, _text(parameter, "description"))
        places[name] = cast("Place", place)
        if (parameter.get("required") is True or place == "path") and name not in required:
            required.append(name)
    body = _resolved(document, operation.get("requestBody", {}))
    schema = _media_schema(body.get("content"))
    whole_body = False
    if schema is not None:
        inner = _resolved(document, schema)
        parts: Any = inner.get("properties")
        named: Mapping[str, Any] = {}
        if isinstance(parts, Mapping):
            named = cast("Mapping[str, Any]", parts)
        whole_body = not named or not named.keys().isdisjoint(properties)
        needed = body.get("required") is True
        if whole_body:
            properties["body"] = schema
            places["body"] = "body"
            required += ["body"] if needed else []
        else:
            for name, part in named.items():
                properties[name] = part
                places[name] = "body"
            required += [name for name in _items(inner.get("required")) if needed]
    found: dict[str, Any] = {"type": "object", "properties": properties, "required": required}
    return _Arguments(found | {"additionalProperties": False}, places, whole_body)


def _answer(document: Mapping[str, Any], operation: Mapping[str, Any]) -> JsonSchema | None:
    """The schema of the first successful answer that has one."""
    answers = operation.get("responses")
    if not isinstance(answers, Mapping):
        return None
    for status, answer in sorted(cast("Mapping[Any, Any]", answers).items(), key=str):
        if str(status).startswith("2"):
            schema = _media_schema(_resolved(document, answer).get("content"))
            if isinstance(schema, Mapping):
                return _with_definitions(document, cast("Mapping[str, Any]", schema))
    return None


def _caller(
    method: str, path: str, shape: _Arguments, call: RequestCall
) -> Callable[[Any, ToolContext], Any]:
    def request(arguments: Mapping[str, Any]) -> Request:
        parts: dict[str, dict[str, Any]] = {place: {} for place in (*_WHERE, "body")}
        for name, value in arguments.items():
            parts[shape.places.get(name, "query")][name] = value
        filled = re.sub(
            r"\{([^{}]+)\}",
            lambda found: _segment(found[1], parts["path"].get(found[1], "")),
            path,
        )
        body: Any = parts["body"].get("body") if shape.whole_body else parts["body"] or None
        return Request(
            method=method,
            path=filled,
            query=parts["query"],
            headers={name: _plain(value) for name, value in parts["header"].items()},
            cookies={name: _plain(value) for name, value in parts["cookie"].items()},
            body=body,
        )

    if inspect.iscoroutinefunction(call):

        async def call_async(arguments: Any, context: ToolContext) -> Any:
            return await cast("Awaitable[Any]", call(request(arguments)))

        return call_async
    return lambda arguments, context: call(request(arguments))


def _resolved(document: Mapping[str, Any], node: Any) -> Mapping[str, Any]:
    """The object that a node is or, by a local `$ref`, points to; empty for anything else."""
    for _ in range(16):
        if not isinstance(node, Mapping):
            return {}
        found = cast("Mapping[str, Any]", node)
        target = found.get("$ref")
        if not isinstance(target, str) or not target.startswith("#/"):
            return found
        node = document
        for step in target[2:].split("/"):
            word = step.replace("~1", "/").replace("~0", "~")
            node = cast("Mapping[str, Any]", node).get(word) if isinstance(node, Mapping) else None
    return {}


def _with_definitions(document: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema with the shared schemas that it refers to, and those that they refer to."""
    shared: Any = _resolved(document, document.get("components")).get("schemas")
    if not isinstance(shared, Mapping):
        return dict(schema)
    named = cast("Mapping[str, Any]", shared)
    found: dict[str, Any] = {}
    work: list[Any] = [schema]
    while work:
        node = work.pop()
        if isinstance(node, list):
            work.extend(cast("list[Any]", node))
        if not isinstance(node, Mapping):
            continue
        parts = cast("Mapping[str, Any]", node)
        work.extend(parts.values())
        target = parts.get("$ref")
        if isinstance(target, str) and target.startswith(_SCHEMAS):
            name = target[len(_SCHEMAS) :].split("/")[0].replace("~1", "/").replace("~0", "~")
            if name in named and name not in found:
                found[name] = named[name]
                work.append(named[name])
    return {**schema, "components": {"schemas": found}} if found else dict(schema)


def _media_schema(content: Any) -> Any:
    """The schema of a body or an answer: that of JSON, else the first one."""
    if not isinstance(content, Mapping):
        return None
    kinds = cast("Mapping[str, Any]", content)
    names = sorted(kinds, key=lambda name: "json" not in name)
    first: Any = kinds[names[0]] if names else None
    return cast("Mapping[str, Any]", first).get("schema") if isinstance(first, Mapping) else None


def _described(schema: Any, description: str) -> Any:
    if not isinstance(schema, Mapping):
        return {"description": description} if description else {}
    found = cast("Mapping[str, Any]", schema)
    return (
        found
        if not description or "description" in found
        else {
            **found,
            "description": description,
        }
    )


def _items(value: Any) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []


def _text(node: Mapping[str, Any], word: str) -> str:
    found = node.get(word)
    return found if isinstance(found, str) else ""


def _name(method: str, path: str) -> str:
    words = re.findall(r"[A-Za-z0-9]+", path)
    return "_".join([method, *words])


def _segment(name: str, value: Any) -> str:
    """A value as one segment of a path, which it cannot leave."""
    text = _plain(value)
    if text in (".", ".."):
        raise ToolError(f"{name} cannot be {text!r}: it is part of a path", code="invalid_args")
    return quote(text, safe="")


def _plain(value: Any) -> str:
    """A value as it stands in a path or a header."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
