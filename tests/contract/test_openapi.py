"""Operations of an OpenAPI document as tools."""

from __future__ import annotations

from typing import Any

import pytest

from toolscript import CodeMode
from toolscript.contract.openapi import Request, tools_from_openapi
from toolscript.errors import ContractError, ToolError

DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Pet shop"},
    "paths": {
        "/pets/{petId}": {
            "parameters": [{"$ref": "#/components/parameters/PetId"}],
            "get": {
                "operationId": "getPet",
                "summary": "One pet.",
                "parameters": [
                    {"name": "verbose", "in": "query", "schema": {"type": "boolean"}},
                    {"name": "X-Trace", "in": "header", "schema": {"type": "string"}},
                ],
                "responses": {
                    "200": {
                        "content": {
                            "application/json": {"schema": {"$ref": "#/components/schemas/Pet"}}
                        }
                    }
                },
            },
            "delete": {"responses": {"204": {"description": "Gone."}}},
        },
        "/pets": {
            "post": {
                "operationId": "addPet",
                "requestBody": {
                    "required": True,
                    "content": {
                        "application/json": {"schema": {"$ref": "#/components/schemas/NewPet"}}
                    },
                },
            },
            "put": {
                "operationId": "setPets",
                "requestBody": {
                    "required": True,
                    "content": {"application/json": {"schema": {"type": "array"}}},
                },
            },
        },
    },
    "components": {
        "parameters": {
            "PetId": {
                "name": "petId",
                "in": "path",
                "description": "Number of the pet.",
                "schema": {"type": "integer"},
            }
        },
        "schemas": {
            "NewPet": {
                "type": "object",
                "properties": {
                    "name": {"type": "string"},
                    "kind": {"$ref": "#/components/schemas/Kind"},
                },
                "required": ["name"],
            },
            "Pet": {"allOf": [{"$ref": "#/components/schemas/NewPet"}, {"required": ["kind"]}]},
            "Kind": {"enum": ["cat", "dog"]},
            "Unused": {"type": "string"},
        },
    },
}


def made() -> dict[str, Any]:
    return {tool.name: tool for tool in tools_from_openapi(DOCUMENT, lambda request: request)}


def test_operations_become_tools() -> None:
    tools = made()
    assert list(tools) == ["getPet", "delete_pets_petId", "setPets", "addPet"]
    get = tools["getPet"]
    assert (get.description, get.source, get.options.read_only) == ("One pet.", "Pet shop", True)
    assert get.input_schema["properties"]["petId"] == {
        "type": "integer",
        "description": "Number of the pet.",
    }
    assert get.input_schema["required"] == ["petId"]
    assert set(get.output_schema["components"]["schemas"]) == {"Pet", "NewPet", "Kind"}
    assert tools["delete_pets_petId"].options.destructive
    assert tools["delete_pets_petId"].output_schema is None


def test_arguments_go_where_the_document_says() -> None:
    tools = made()
    given = {"petId": 7, "verbose": True, "X-Trace": "t"}
    assert tools["getPet"].call(given, None) == Request(
        "GET", "/pets/7", query={"verbose": True}, headers={"X-Trace": "t"}
    )
    assert tools["addPet"].call({"name": "Tom", "kind": "cat"}, None) == Request(
        "POST", "/pets", body={"name": "Tom", "kind": "cat"}
    )
    assert tools["setPets"].call({"body": [1]}, None) == Request("PUT", "/pets", body=[1])


def test_a_path_cannot_be_left_through_an_argument() -> None:
    request = made()["delete_pets_petId"].call({"petId": "../admin?x=1"}, None)
    assert request.path == "/pets/..%2Fadmin%3Fx%3D1"
    with pytest.raises(ToolError, match="part of a path"):
        made()["delete_pets_petId"].call({"petId": ".."}, None)


def test_the_declarations_know_the_shared_schemas() -> None:
    engine = CodeMode(tools_from_openapi(DOCUMENT, lambda request: request))
    text = engine.declarations()
    assert '"cat" | "dog"' in text
    assert "body: unknown[]" in text or "body: Array<unknown>" in text
    assert engine.contract.warnings == ()


async def test_an_async_call_is_awaited() -> None:
    async def perform(request: Request) -> Any:
        return {"name": request.path}

    tool = tools_from_openapi(DOCUMENT, perform)[0]
    assert await tool.call({"petId": 1}, None) == {"name": "/pets/1"}


def test_a_document_without_operations_is_refused() -> None:
    with pytest.raises(ContractError, match="paths"):
        tools_from_openapi({"openapi": "3.1.0"}, print)
