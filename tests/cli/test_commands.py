"""The commands, as a person or a program calls them."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.processes import eventually, is_alive, needs_proc, worker_pids
from toolscript.cli import check, main

TOOLS = '''
from dataclasses import dataclass

@dataclass
class Order:
    id: int
    status: str

def list_orders(status: str = "late") -> list[Order]:
    """Orders in a state."""
    return [Order(1, status), Order(2, status)]

def fail() -> None:
    """Always fails."""
    raise ValueError("no such order")

def _private() -> None: ...
'''


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with tools and scripts, as the current one."""
    (tmp_path / "my_tools.py").write_text(TOOLS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "my_tools", raising=False)
    return tmp_path


def script(folder: Path, text: str) -> str:
    path = folder / "script.ts"
    path.write_text(text, encoding="utf-8")
    return str(path)


def call(*arguments: str) -> int:
    try:
        return main(arguments)
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else 1


@pytest.mark.parametrize(
    "place", ["my_tools.py", "my_tools", "my_tools:list_orders", "my_tools.py:list_orders"]
)
def test_run_prints_the_value_and_shows_the_calls(
    folder: Path, capsys: pytest.CaptureFixture[str], place: str
) -> None:
    source = script(folder, "const all = await tools.list_orders();\nreturn all.map((o) => o.id);")
    assert call("run", source, "--tools", place) == 0
    printed = capsys.readouterr()
    assert printed.out == "[1,2]\n"
    assert "list_orders" in printed.err
    assert "1 call in" in printed.err


def test_run_takes_input_from_the_line_or_a_file(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = script(folder, "return input.status;")
    assert call("run", source, "--tools", "my_tools", "--input", '{"status": "open"}') == 0
    (folder / "input.json").write_text('{"status": "closed"}', encoding="utf-8")
    assert call("run", source, "--tools", "my_tools", "--input", "@input.json") == 0
    assert capsys.readouterr().out == "open\nclosed\n"


def test_run_reads_the_script_from_standard_input(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("return 6 * 7"))
    assert call("run", "-", "--tools", "my_tools") == 0
    assert capsys.readouterr().out == "42\n"


def test_run_as_json_is_one_document(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = script(folder, "return await tools.list_orders({ status: 'open' })")
    assert call("run", source, "--tools", "my_tools", "--json") == 0
    printed = capsys.readouterr()
    result = json.loads(printed.out)
    assert result["value"] == [{"id": 1, "status": "open"}, {"id": 2, "status": "open"}]
    assert [item["tool"] for item in result["calls"]] == ["list_orders"]
    assert printed.err == ""


def test_a_failed_script_is_exit_code_1(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("run", script(folder, "await tools.fail({})"), "--tools", "my_tools") == 1
    printed = capsys.readouterr()
    assert "no such order" in printed.out
    assert "error" in printed.err


def test_a_timeout_of_the_command(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = script(folder, "for (;;) {}")
    assert call("run", source, "--tools", "my_tools", "--timeout", "0.5") == 1
    assert "timeout" in capsys.readouterr().out


def test_prompt_prints_what_a_model_reads(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("prompt", "--tools", "my_tools.py") == 0
    text = capsys.readouterr().out
    assert "list_orders" in text
    assert "Orders in a state." in text
    assert "_private" not in text
    assert call("prompt", "--tools", "my_tools.py", "--json") == 0
    described = json.loads(capsys.readouterr().out)
    assert described["tools"] == ["list_orders", "fail"]
    assert described["characters"] == len(described["prompt"])


def test_prompt_fits_a_budget(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("prompt", "--tools", "my_tools.py", "--max-tokens", "800") == 0
    assert len(capsys.readouterr().out) <= 3200 + 1


def test_check_reports_what_is_wrong_and_where(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = script(folder, "const all = await tools.list_orders();\nreturn all[0].stauts;")
    assert call("check", source, "--tools", "my_tools") == 1
    printed = capsys.readouterr().out
    assert "script.ts:2:" in printed.replace("\n", "")
    assert "stauts" in printed
    assert "1 error," in printed
    assert call("check", source, "--tools", "my_tools", "--json") == 1
    [found] = json.loads(capsys.readouterr().out)
    assert (found["line"], found["severity"]) == (2, "error")


def test_check_follows_its_profile(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = script(folder, "export default async function () { return eval('1'); }")
    assert call("check", source, "--tools", "my_tools", "--level", "none") == 0
    assert call("check", source, "--tools", "my_tools", "--profile", "constrained") == 1
    told = capsys.readouterr()
    assert "eval" in told.out
    [line] = told.err.splitlines()
    assert line.startswith("toolscript: profile 'constrained' calls no tool without a policy")


def test_check_without_a_checker_checks_syntax_and_says_so(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check, "native_checker", lambda: None)
    monkeypatch.setattr(check, "tsc_on_path", lambda: None)
    source = script(folder, "return (await tools.list_orders())[0].stauts;")
    assert call("check", source, "--tools", "my_tools") == 0
    [line] = capsys.readouterr().err.splitlines()
    assert "only syntax is checked" in line
    assert 'pip install "toolscript[typecheck]"' in line
    assert call("check", source, "--tools", "my_tools", "--level", "none") == 0
    assert capsys.readouterr().err == ""
    assert call("check", source, "--tools", "my_tools", "--level", "types") == 2
    [line] = capsys.readouterr().err.splitlines()
    assert "--level types needs a type checker" in line
    assert "--level none" in line


def test_check_of_a_good_script(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = script(folder, "return (await tools.list_orders()).length;")
    assert call("check", source, "--tools", "my_tools") == 0
    assert "nothing is wrong" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", "missing.ts", "--tools", "my_tools"], "missing.ts"),
        (["run", "-", "--tools", "missing.py"], "there is no file missing.py"),
        (["run", "-", "--tools", "missing_module"], "there is no module 'missing_module'"),
        (["run", "-", "--tools", "my_tools:missing"], "it has Order, dataclass, fail, list_orders"),
        (["run", "-", "--tools", "empty.py"], "neither a TOOLS list nor public functions"),
        (["run", "-", "--tools", "broken.py"], "ZeroDivisionError"),
        (["run", "-", "--tools", "my_tools", "--input", "{id: 1}"], "--input is no JSON"),
        (["run", "-", "--tools", "my_tools", "--timeout", "-1"], "--timeout"),
        (["run", "-"], "--tools"),
        (["nonsense"], "nonsense"),
    ],
)
def test_misuse_is_exit_code_2_and_one_sentence(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    words: str,
) -> None:
    (folder / "empty.py").write_text("import json\n", encoding="utf-8")
    (folder / "broken.py").write_text("1 / 0\n", encoding="utf-8")
    monkeypatch.setattr(sys, "stdin", io.StringIO("return 1"))
    assert call(*arguments) == 2
    printed = capsys.readouterr()
    assert words in printed.err
    assert "Traceback" not in printed.err
    assert printed.out == ""


def test_tools_from_several_places(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = script(folder, "return [(await tools.list_orders()).length, await tools.today({})]")
    places = ("--tools", "my_tools.py", "--tools", "toolscript.cli.shop:today")
    assert call("run", source, *places) == 0
    assert capsys.readouterr().out == '[2,"2026-11-30"]\n'


def test_a_list_of_langchain_tools(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "chain.py").write_text(
        "from langchain_core.tools import tool\n"
        "@tool\n"
        "def double(n: int) -> int:\n"
        "    'Double.'\n"
        "    return n * 2\n",
        encoding="utf-8",
    )
    source = script(folder, "return await tools.double({ n: 21 })")
    assert call("run", source, "--tools", "chain.py") == 0
    assert capsys.readouterr().out == "42\n"


def test_functions_without_a_docstring_are_left_out_and_named(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "some.py").write_text(
        "from my_tools import fail\n"
        "def rows(): return [1]\n"
        "def count() -> int:\n    'How many.'\n    return len(rows())\n",
        encoding="utf-8",
    )
    source = script(folder, "return [Object.keys(tools), await tools.count()]")
    assert call("run", source, "--tools", "some.py") == 0
    printed = capsys.readouterr()
    assert printed.out == '[["count"],1]\n'
    assert "left out, for want of a docstring: rows" in printed.err.splitlines()[0]
    (folder / "bare.py").write_text("def rows(): return [1]\n", encoding="utf-8")
    assert call("run", source, "--tools", "bare.py") == 2
    assert "without a docstring: rows" in capsys.readouterr().err


def test_the_demo_tells_the_whole_story() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "toolscript", "demo"],
        capture_output=True,
        text=True,
        timeout=240,
        check=True,
        env={**os.environ, "COLUMNS": "120", "PYTHONIOENCODING": "utf-8"},
    )
    text = done.stdout
    assert done.stderr == ""
    assert "The model is scripted and offline" in text.splitlines()[0]
    for name in ("Ada Marsh", "Chloé Girard", "Emil Sommer"):
        assert name in text
    assert "it cost 26.40 EUR" in re.sub(r"\s+", " ", text)
    assert "track_shipment" in text
    assert "23 calls" in text
    together = re.search(r"together\D+([\d,]+)\D+([\d,]+)", text)
    assert together
    direct, code = (int(part.replace(",", "")) for part in together.groups())
    assert code < direct


@needs_proc
def test_ctrl_c_stops_the_run_and_leaves_nothing(folder: Path) -> None:
    # The file tells that the run is under way.
    (folder / "begins.py").write_text(
        "from pathlib import Path\ndef begin() -> None:\n    'Begin.'\n    Path('begun').touch()\n",
        encoding="utf-8",
    )
    source = script(folder, "await tools.begin(); for (;;) {}")
    process = subprocess.Popen(
        [sys.executable, "-m", "toolscript", "run", source, "--tools", "begins.py"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert eventually((folder / "begun").exists)
    workers = worker_pids(process.pid)
    assert workers
    os.killpg(process.pid, signal.SIGINT)
    printed, errors = process.communicate(timeout=240)
    assert process.returncode == 130, errors
    assert "interrupted" in errors
    assert "Traceback" not in errors
    assert printed == ""
    assert eventually(lambda: not any(map(is_alive, workers)))


@pytest.mark.parametrize("given", ["abc", "0", "-1", "inf", "nan"])
def test_a_time_that_is_none(given: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("run", "-", "--tools", "my_tools", "--timeout", given) == 2
    assert f"takes a number of seconds above 0, not {given!r}" in capsys.readouterr().err


def test_a_budget_that_cannot_be_met_is_told(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call("prompt", "--tools", "my_tools", "--max-tokens", "50") == 0
    told = capsys.readouterr()
    assert "list_orders" in told.out
    assert re.search(r"some \d+ tokens, over the budget of 50", told.err)
    assert call("prompt", "--tools", "my_tools", "--max-tokens", "5000") == 0
    assert capsys.readouterr().err == ""


def test_an_empty_list_of_tools_is_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "none.py").write_text("TOOLS = []\n", encoding="utf-8")
    assert call("prompt", "--tools", "none") == 0
    assert "there are no tools" in capsys.readouterr().err


def test_a_file_that_does_not_parse_is_named_with_its_line(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "broken.py").write_text("x = 1\ndef f(:\n", encoding="utf-8")
    assert call("prompt", "--tools", "broken.py") == 2
    told = capsys.readouterr().err
    assert "broken.py, line 2): SyntaxError: " in told
    assert "frozen" not in told
    (folder / "raising.py").write_text("import json\njson.loads('{')\n", encoding="utf-8")
    assert call("prompt", "--tools", "raising") == 2
    assert "frozen" not in capsys.readouterr().err


@pytest.mark.skipif(
    version("mcp") < "2", reason="the MCP SDK here is older than the extra asks for"
)
def test_a_server_that_cannot_be_started_is_told_in_one_line(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call("mcp", "--tools", "my_tools", "--server", "x=nosuchcmd --y") == 2
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith("toolscript: --server x: ")
    assert "'nosuchcmd'" in line
