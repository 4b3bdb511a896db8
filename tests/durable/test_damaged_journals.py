"""A journal that is damaged, full, locked or gone is told of in our own words; nothing runs twice."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from toolscript import (
    Approve,
    CodeMode,
    ConfigurationError,
    ErrorKind,
    InlineRuntime,
    JournalError,
    RunResult,
    SQLiteJournal,
    ToolOptions,
    tool_from,
)
from toolscript.host import sqlite_file

SCRIPT = """
const paid = await tools.pay({ n: 1 });
return [paid, await tools.careful({ n: 2 })];
"""


class Shop:
    """A paused run in a file, and all that was ever paid."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.paid: list[int] = []

    def engine(self, *more: Callable[..., Any]) -> CodeMode:
        def pay(n: int) -> int:
            self.paid.append(n)
            return n

        def careful(n: int) -> int:
            self.paid.append(n)
            return n

        asks = tool_from(careful, options=ToolOptions(requires_approval=True))
        tools = [pay, asks, *more]
        return CodeMode(tools, runtime=InlineRuntime(), journal=SQLiteJournal(self.path))

    async def pause(self) -> str:
        journal = SQLiteJournal(self.path)
        codemode = self.engine()
        paused = await codemode.run(SCRIPT, run_id="r")
        await journal.aclose()
        return paused.pending[0].id

    async def resume(self, asked: str) -> RunResult:
        return await self.engine().resume("r", {asked: Approve()})

    def change(self, statement: str, *values: Any) -> None:
        with contextlib.closing(sqlite3.connect(self.path)) as database:
            database.execute(statement, values)
            database.commit()


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    return Shop(tmp_path / "runs.db")


ROWS = [
    ("head", b"\xff\xfe{"),
    ("head", b"{}"),
    ("head", b"[1]"),
    ("head", "text"),
    ("outcome", b"garbage"),
    ("outcome", b"{}"),
    ("status", "dancing"),
    ("owner", "nobody"),
    ("created_at", "yesterday"),
]


@pytest.mark.parametrize(("column", "value"), ROWS)
async def test_a_row_that_nobody_wrote_is_refused(shop: Shop, column: str, value: Any):
    asked = await shop.pause()
    shop.change(f"UPDATE runs SET {column} = ?", value)
    with pytest.raises(JournalError, match="run 'r'") as raised:
        await shop.resume(asked)
    assert "damaged" in str(raised.value)
    assert "copy" in str(raised.value)
    assert shop.paid == [1]


ENTRIES = [b"\xff\xfe{", b"{}", b"[]", b"null", b'{"kind":"started"}', b'{"kind":"x"}', "text"]


@pytest.mark.parametrize("value", ENTRIES)
@pytest.mark.parametrize("position", [1, 2, 3])
async def test_an_entry_that_nobody_wrote_is_refused(shop: Shop, position: int, value: Any):
    asked = await shop.pause()
    shop.change("UPDATE entries SET data = ? WHERE position = ?", value, position)
    with pytest.raises(JournalError, match="damaged"):
        await shop.resume(asked)
    # It stays as it is for whoever restores it.
    assert [info.status for info in shop.engine().list_runs()] == ["paused"]
    assert shop.paid == [1]


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM entries WHERE position = 2",
        "DELETE FROM entries WHERE position = 3",
        "DELETE FROM entries",
        "INSERT INTO entries SELECT run, position + 100, data FROM entries",
        "INSERT INTO entries SELECT run, 6, data FROM entries WHERE position = 3",
        "DROP TABLE entries",
        "ALTER TABLE runs DROP COLUMN machine",
    ],
)
async def test_a_log_that_is_not_whole_is_refused(shop: Shop, statement: str):
    asked = await shop.pause()
    shop.change(statement)
    with pytest.raises(JournalError, match="copy"):
        await shop.resume(asked)
    assert shop.paid == [1]


@pytest.mark.parametrize("kept", [10, 100, 4096, 8192])
async def test_a_file_that_was_cut_off_is_refused(shop: Shop, kept: int):
    asked = await shop.pause()
    shop.change("PRAGMA wal_checkpoint(TRUNCATE)")
    shop.path.with_name("cut.db").write_bytes(shop.path.read_bytes()[:kept])
    cut = Shop(shop.path.with_name("cut.db"))
    with pytest.raises((ConfigurationError, JournalError), match=r"cut\.db.*copy"):
        await cut.resume(asked)
    assert not cut.paid


@pytest.mark.parametrize("how", ["removed", "replaced"])
async def test_a_file_that_goes_away_stops_the_run(shop: Shop, how: str):
    def takes_away(n: int) -> int:
        if how == "replaced":
            shutil.copy(shop.path, shop.path.with_name("copy.db"))
            os.replace(shop.path.with_name("copy.db"), shop.path)
        else:
            shop.path.unlink()
        return n

    script = "await tools.pay({n: 1}); await tools.takes_away({n: 2}); await tools.pay({n: 3})"
    with pytest.raises(JournalError, match="removed or replaced"):
        await shop.engine(takes_away).run(script, run_id="m")
    assert shop.paid == [1]


async def test_a_file_that_is_locked_for_long(shop: Shop, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sqlite_file, "_BUSY_S", 0.05)

    def locks(n: int) -> int:
        locking.execute("BEGIN IMMEDIATE")
        return n

    script = "await tools.pay({n: 1}); await tools.locks({n: 2}); await tools.pay({n: 3})"
    await shop.pause()
    with contextlib.closing(
        sqlite3.connect(shop.path, isolation_level=None, check_same_thread=False)
    ) as locking:
        with pytest.raises(JournalError, match="another process held it"):
            await shop.engine(locks).run(script, run_id="m")
        locking.execute("ROLLBACK")
    # It could not even let go of the run, whose lease ends by itself.
    shop.change("UPDATE runs SET expires_at = 0.0")
    assert shop.paid == [1, 1]
    # What the second call came to was lost, and nobody makes it again without being told to.
    gone_on = await shop.engine(locks).resume("m")
    assert gone_on.error is not None
    assert gone_on.error.kind is ErrorKind.UNKNOWN_OUTCOME
    assert shop.paid == [1, 1]


FULL = """
import asyncio, resource, sys
from pathlib import Path
from toolscript import CodeMode, InlineRuntime, JournalError, SQLiteJournal

path, world = sys.argv[1:]

def note(n: int) -> str:
    with open(world, "a") as file:
        file.write(f"{n}\\n")
    return "x" * 5000

async def main(most):
    codemode = CodeMode([note], runtime=InlineRuntime(), journal=SQLiteJournal(path))
    if most:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))
        try:
            await codemode.run(
                "for (let n = 0; n < 60; n++) await tools.note({ n }); return 1", run_id="m"
            )
        except JournalError as error:
            assert path in str(error) and "room" in str(error), error
            print("told")
    else:
        result = await codemode.resume("m")
        print(result.status, result.error and result.error.kind)

asyncio.run(main(int("MOST")))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="bounds a file by setrlimit")
@pytest.mark.parametrize("most", [60_000, 90_000, 120_000])
def test_a_full_disk_stops_the_run_and_repeats_nothing(tmp_path: Path, most: int):
    world = tmp_path / "world"

    def started(most: int) -> str:
        return subprocess.run(
            [
                sys.executable,
                "-W",
                "ignore",
                "-c",
                FULL.replace("MOST", str(most)),
                str(tmp_path / "runs.db"),
                str(world),
            ],
            capture_output=True,
            text=True,
            check=True,
        ).stdout

    assert started(most) == "told\n"
    assert started(0) in ("completed None\n", "failed unknown_outcome\n")
    done = world.read_text().split()
    assert len(set(done)) == len(done)


async def test_a_codec_with_another_key_is_told_of(tmp_path: Path):
    class Codec:
        def __init__(self, key: int) -> None:
            self.key = key

        def encode(self, data: bytes) -> bytes:
            return bytes([self.key]) + data

        def decode(self, data: bytes) -> bytes:
            if data[0] != self.key:
                raise KeyError("another key")
            return data[1:]

    def engine(key: int) -> CodeMode:
        journal = SQLiteJournal(tmp_path / "runs.db", codec=Codec(key))
        return CodeMode([], runtime=InlineRuntime(), journal=journal)

    assert (await engine(1).run("return 1", run_id="r")).ok
    with pytest.raises(JournalError, match="key"):
        await engine(2).resume("r")
