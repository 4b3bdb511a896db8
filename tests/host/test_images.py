"""Images that a tool shows: in the output, in order, once, also after a pause."""

from __future__ import annotations

from typing import Any

from toolscript import (
    Approve,
    CodeMode,
    ErrorKind,
    GlobalFunction,
    MemoryJournal,
    Tool,
    ToolContext,
    ToolOptions,
)

PNG = b"\x89PNG\r\n\x1a\n"


async def chart(args: Any, context: ToolContext) -> str:
    context.image(PNG, "image/png")
    return "drawn"


CHART = Tool("chart", "Draw.", True, None, chart)


def shown(output: Any) -> list[tuple[str, str]]:
    return [(item.type, item.mime_type or item.text) for item in output]


async def test_an_image_stands_before_what_follows_from_its_call() -> None:
    codemode = CodeMode([CHART], globals=[GlobalFunction("draw", chart)])
    result = await codemode.run(
        "console.log('a'); console.log(await tools.chart()); console.log(await draw())"
    )
    assert shown(result.output) == [
        ("text", "a"),
        ("image", "image/png"),
        ("text", "drawn"),
        ("image", "image/png"),
        ("text", "drawn"),
    ]
    assert "[image: image/png]" in result.text()


async def test_a_resumed_run_shows_each_image_once() -> None:
    drawn: list[int] = []

    async def counted(args: Any, context: ToolContext) -> str:
        drawn.append(context.seq)
        return await chart(args, context)

    async def pay(args: Any, context: ToolContext) -> str:
        return "paid"

    tools = [
        Tool("chart", "Draw.", True, None, counted),
        Tool("pay", "Pay.", True, None, pay, options=ToolOptions(requires_approval=True)),
    ]
    journal = MemoryJournal()
    script = "await tools.chart(); await tools.pay(); return 1"
    paused = await CodeMode(tools, journal=journal).run(script)
    assert shown(paused.output) == [("image", "image/png")]
    done = await CodeMode(tools, journal=journal).resume(
        paused.run_id, {paused.pending[0].id: Approve()}
    )
    assert done.value == 1
    assert shown(done.output) == [("image", "image/png")]
    assert drawn == [1]


async def test_images_count_as_output() -> None:
    result = await CodeMode([CHART], limits={"output_items": 3}).run("for (;;) await tools.chart()")
    assert result.error is not None
    assert (result.error.kind, result.error.limit) == (ErrorKind.OUTPUT_LIMIT, "output_items")
    assert len(result.output) == 3


async def test_what_is_no_image_is_refused() -> None:
    async def wrong(args: Any, context: ToolContext) -> None:
        context.image(b"text", "text/plain")

    result = await CodeMode([Tool("wrong", "", True, None, wrong)]).run("await tools.wrong()")
    assert result.error is not None
    assert "text/plain" in result.error.message
