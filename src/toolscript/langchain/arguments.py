"""The arguments of a call, checked the way LangChain checks them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, cast

from langchain_core.tools import BaseTool
from pydantic import BaseModel, ValidationError
from pydantic.v1 import BaseModel as BaseModelV1
from pydantic.v1 import ValidationError as ValidationErrorV1

from toolscript.contract.problems import tool_error
from toolscript.contract.tool import JsonSchema
from toolscript.contract.typed import problems_of
from toolscript.contract.validation import Validator, compile_validator
from toolscript.errors import ToolError
from toolscript.langchain.schema import arguments_model, string_parameter, takes_one_string

Parse = Callable[[dict[str, Any]], Any]


def argument_parser(tool: BaseTool, schema: JsonSchema) -> Parse | None:
    """How the arguments of a script are checked; None leaves it to the JSON Schema.

    LangChain does not validate tools that bring a JSON Schema of their own, so the host does.
    Other tools are checked by their pydantic model, before anybody is asked to approve the
    call; what the function gets is still made by LangChain from the same arguments.
    """
    if takes_one_string(tool):
        return _one_string(tool)
    model = arguments_model(tool)
    if model is None:
        return None
    if tool.handle_validation_error:
        return dict
    return _by_model(tool.name, model, schema)


def argument_error(validator: Validator, args: Mapping[str, Any], error: Exception) -> ToolError:
    """The refusal of arguments, in the words of the schema or, where it has none, pydantic's."""
    problems = validator.problems(args)
    if problems:
        try:
            validator.check_input(args)
        except ToolError as refused:
            return refused
    if isinstance(error, ValidationError):
        return tool_error(problems_of(error, {}), "invalid_args")
    found = cast("ValidationErrorV1", error).errors()
    sentences = [
        f"{'.'.join(str(step) for step in one['loc']) or 'the argument'}: {one['msg']}"
        for one in found[:8]
    ]
    return ToolError(f"invalid arguments: {'; '.join(sentences)}", code="invalid_args")


def _by_model(name: str, model: type[BaseModel] | type[BaseModelV1], schema: JsonSchema) -> Parse:
    @cache
    def validator() -> Validator:
        return compile_validator(schema, where=f"tool {name!r}: input schema")

    def parse(args: dict[str, Any]) -> dict[str, Any]:
        try:
            if issubclass(model, BaseModelV1):
                model.parse_obj(args)
            else:
                model.model_validate(args)
        except (ValidationError, ValidationErrorV1) as error:
            raise argument_error(validator(), args, error) from error
        return args

    return parse


def _one_string(tool: BaseTool) -> Parse:
    name = string_parameter(tool)

    def parse(args: dict[str, Any]) -> dict[str, Any]:
        values = list(args.values())
        if len(values) != 1 or not isinstance(values[0], str):
            raise ToolError(
                f"invalid arguments: {tool.name} takes exactly one string, {name!r}; "
                f"it got {len(values)} properties"
                f"{' that are not one string' if len(values) == 1 else ''}",
                code="invalid_args",
            )
        return {name: values[0]}

    return parse
