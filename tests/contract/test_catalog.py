"""Finding tools by words, and describing them by any of their names."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.contract.shop import get_customer, many, plain_tool, refund, search_orders
from toolscript import CodeMode, Namespace, ToolOptions, tool_from
from toolscript.contract.catalog import Catalog
from toolscript.contract.nearest import nearest
from toolscript.contract.words import words_of
from toolscript.errors import ToolError


def catalog(*tools: object) -> Catalog:
    return CodeMode(list(tools)).contract.catalog


def names(found: list[dict[str, str]]) -> list[str]:
    return [one["name"] for one in found]


GITHUB = Namespace(
    "github",
    [
        plain_tool("create_issue", "Open a new issue in a repository."),
        plain_tool("list_pull_requests", "All pull requests of a repository."),
        plain_tool("mergePullRequest", "Merge one.", properties={"commitTitle": {}}),
        plain_tool("get.file-contents", "Read a file or a directory."),
    ],
)


@pytest.mark.parametrize(
    ("query", "best"),
    [
        ("create issue", "github.create_issue"),
        ("open an issue", "github.create_issue"),
        ("listing pull request", "github.list_pull_requests"),
        ("merge pull request", "github.mergePullRequest"),
        ("commit title", "github.mergePullRequest"),
        ("file contents", "github.get_file_contents"),
        ("get.file-contents", "github.get_file_contents"),
        ("github.create_issue", "github.create_issue"),
        ("isue", "github.create_issue"),
        ("customers", "tools.get_customer"),
        ("newest orders", "tools.search_orders"),
        ("pay money back", "tools.refund"),
    ],
)
def test_the_best_match_is_first(query: str, best: str) -> None:
    found = catalog(search_orders, get_customer, refund, GITHUB).search(query)
    assert names(found)[0] == best


def test_a_result_is_ready_to_use() -> None:
    (found,) = catalog(search_orders, get_customer).search("orders", limit=1)
    assert found["name"] == "tools.search_orders"
    assert found["description"] == "Find orders by their status."
    assert "declare const tools: {" in found["declaration"]
    assert 'status: "late" | "open"' in found["declaration"]
    assert "/** Most orders that come back." in found["declaration"]


def test_every_printed_name_is_exactly_what_a_script_writes() -> None:
    tools = [
        plain_tool("ctx.tools.resolve-library-id", "Resolve a library."),
        plain_tool("3d_render", "Render."),
        plain_tool("then", "Then."),
        GITHUB,
    ]
    codemode = CodeMode(tools)
    expressions = {entry.expression for entry in codemode.contract.entries}
    for query in ("library", "render", "then", "issue", "file", ""):
        found = codemode.contract.search(query, 10)
        assert set(names(found)) <= expressions
        assert found


def test_nothing_found_is_nothing() -> None:
    assert catalog(search_orders).search("🙂") == []
    assert catalog(search_orders).search("zzzz") == []
    assert catalog(*many(1, 30)).search("weather forecast") == []
    assert catalog().search("anything") == []


def test_an_empty_question_lists_and_limits_are_kept() -> None:
    found = catalog(*many(1, 30)).search("", limit=5)
    assert names(found) == sorted(names(found))
    assert len(found) == 5
    assert len(catalog(*many(3, 30)).search("thing", limit=1_000)) == 50
    assert len(catalog(*many(1, 30)).search("thing", limit=-3)) == 1


def test_the_order_of_tools_does_not_matter() -> None:
    tools = [*many(3, 20), search_orders, get_customer]
    expected = catalog(*tools).search("invoice number 3", 10)
    shuffled = random.Random(1).sample(tools, len(tools))
    assert catalog(*shuffled).search("invoice number 3", 10) == expected


def test_hidden_tools_are_not_found() -> None:
    hidden = tool_from(refund, options=ToolOptions(hidden=True))
    known = catalog(search_orders, hidden)
    assert "tools.refund" not in names(known.search("refund money"))
    with pytest.raises(ToolError):
        known.describe("refund")


@pytest.mark.parametrize(
    "name",
    [
        "github.get_file_contents",
        "get.file-contents",
        "get_file_contents",
        "tools.github.get_file_contents",
        "github.get.file-contents",
        "  github.get_file_contents ",
    ],
)
def test_a_tool_is_described_by_any_of_its_names(name: str) -> None:
    text = catalog(search_orders, GITHUB).describe(name)
    assert "declare const github: {" in text
    assert "get_file_contents(" in text


def test_a_name_in_two_namespaces_gives_both() -> None:
    wiki, arxiv = (Namespace(name, [plain_tool("search")]) for name in ("wiki", "arxiv"))
    text = catalog(wiki, arxiv).describe("search")
    assert "declare const wiki" in text
    assert "declare const arxiv" in text
    assert "declare const wiki" not in catalog(wiki, arxiv).describe("arxiv.search")


def test_a_namespace_is_described_by_its_tools() -> None:
    text = catalog(GITHUB).describe("github")
    assert "github.create_issue: Open a new issue in a repository." in text
    assert len(text.splitlines()) == 4


def test_an_unknown_name_gets_the_nearest() -> None:
    with pytest.raises(ToolError, match=r"did you mean github\.create_issue") as refused:
        catalog(search_orders, GITHUB).describe("github.createIssues")
    assert refused.value.code == "unknown_tool"
    with pytest.raises(ToolError, match=r"search with codemode\.search"):
        catalog(search_orders).describe("zzzzzz")


def test_words_of_names_and_sentences() -> None:
    assert words_of("listPullRequests") == ["list", "pull", "request"]
    assert words_of("list_pull-requests.v2") == ["list", "pull", "request", "v", "2"]
    assert words_of("HTTPServer entries") == ["http", "server", "entry"]
    assert words_of("使用搜索") == ["使用", "用搜", "搜索"]
    assert words_of("naïve Straße") == words_of("NAÏVE STRASSE")


def test_names_that_differ_in_case_and_separators_are_nearest() -> None:
    known = ["source-root", "page_size", "sourceMap"]
    assert nearest("sourceRoot", known)[0] == "source-root"
    assert nearest("pageSize", known) == ["page_size"]
    assert nearest("", known) == []
    assert nearest("x" * 10_000, known) == []


@settings(max_examples=100)
@given(st.text(max_size=200), st.integers(-5, 100))
def test_any_question_has_an_answer(query: str, limit: int) -> None:
    known = catalog(search_orders, get_customer, GITHUB)
    found = known.search(query, limit)
    assert found == known.search(query, limit)
    for one in found:
        assert re.fullmatch(r"(tools|github)\.\w+", one["name"])
