"""Standard output of the command: what it says, and nothing that tools print."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

CHATTY = '''
import atexit, os, subprocess, sys, threading

print("at import")
atexit.register(lambda: print("at exit"))

def chat(word: str) -> str:
    """Say it in every way there is."""
    print("printed", word)
    sys.stdout.write("written\\n")
    os.write(1, b"by descriptor\\n")
    subprocess.run([sys.executable, "-c", "print('by a child')"], check=True)
    thread = threading.Thread(target=lambda: print("by a thread"))
    thread.start()
    thread.join()
    return word
'''

SAID = ("at import", "printed hello", "written", "by descriptor", "by a child", "by a thread")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "chatty.py").write_text(CHATTY, encoding="utf-8")
    (tmp_path / "script.ts").write_text('return await tools.chat({ word: "hello" })')
    return tmp_path


def command(folder: Path, *words: str, given: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "toolscript", *words],
        cwd=folder,
        input=given,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


def test_what_tools_print_is_no_part_of_the_result(folder: Path) -> None:
    done = command(folder, "run", "script.ts", "--tools", "chatty.py", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["value"] == "hello"
    for text in (*SAID, "at exit"):
        assert text in done.stderr


@pytest.mark.parametrize(
    "words",
    [("prompt", "--json"), ("check", "script.ts", "--level", "none", "--json")],
    ids=lambda words: words[0],
)
def test_what_a_module_prints_is_no_part_of_it_either(folder: Path, words: tuple[str, ...]) -> None:
    done = command(folder, *words, "--tools", "chatty.py")
    assert done.returncode == 0, done.stderr
    json.loads(done.stdout)
    assert "at import" in done.stderr
    assert "at exit" in done.stderr


@pytest.mark.skipif(
    version("mcp") < "2", reason="the MCP SDK here is older than the extra asks for"
)
def test_a_server_says_nothing_but_its_protocol(folder: Path) -> None:
    reads = '''
import subprocess, sys

def child() -> int:
    """What a child process finds on standard input."""
    code = "import sys; raise SystemExit(len(sys.stdin.read()))"
    return subprocess.run([sys.executable, "-c", code]).returncode
'''
    (folder / "reads.py").write_text(reads, encoding="utf-8")
    script = 'return [await tools.chat({ word: "hello" }), await tools.child()]'
    opening = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }
    calling = {"name": "run_code", "arguments": {"code": script}}
    server = subprocess.Popen(
        [sys.executable, "-m", "toolscript", "mcp", "--tools", "chatty.py", "--tools", "reads.py"],
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert server.stdin is not None
    assert server.stdout is not None

    def send(method: str, params: object = None, id: int | None = None) -> None:
        message = {"jsonrpc": "2.0", "method": method}
        more = {} if id is None else {"id": id}
        assert server.stdin is not None
        server.stdin.write(json.dumps({**message, **more, "params": params or {}}) + "\n")
        server.stdin.flush()

    send("initialize", opening, 1)
    assert json.loads(server.stdout.readline())["id"] == 1
    send("notifications/initialized")
    send("tools/call", calling, 2)
    answer = json.loads(server.stdout.readline())
    assert '["hello",0]' in json.dumps(answer).replace("\\", ""), answer
    rest, told = server.communicate(timeout=240)
    assert rest == ""
    assert server.returncode == 0, told
    for text in (*SAID, "at exit"):
        assert text in told


def shell(folder: Path, line: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-c", f"set -o pipefail; {line}"],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


@pytest.mark.skipif(sys.platform == "win32", reason="a shell with pipes")
@pytest.mark.parametrize(("script", "code"), [("return 1", 0), ("throw new Error('no')", 1)])
def test_a_reader_that_goes_away_changes_nothing(folder: Path, script: str, code: int) -> None:
    (folder / "script.ts").write_text(f'text("x".repeat(500_000)); {script}')
    toolscript = f"{sys.executable} -m toolscript"
    done = shell(folder, f"{toolscript} run script.ts --tools chatty.py | head -c 1")
    assert done.returncode == code, done.stderr
    assert len(done.stdout) == 1
    assert "Traceback" not in done.stderr
    assert "BrokenPipe" not in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="a shell with descriptors")
@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", "<&- >&- 2>&-"])
def test_streams_that_are_closed_are_no_trouble(folder: Path, closed: str) -> None:
    toolscript = f"{sys.executable} -m toolscript"
    done = shell(folder, f"{toolscript} run script.ts --tools chatty.py {closed}")
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout.strip() in ("", '"hello"', "hello")


def test_text_that_no_encoding_can_write_is_written_all_the_same(folder: Path) -> None:
    (folder / "script.ts").write_text('return "\\ud800"')
    done = command(folder, "run", "script.ts", "--tools", "chatty.py")
    assert done.returncode == 0, done.stderr
    assert "\\ud800" in done.stdout
