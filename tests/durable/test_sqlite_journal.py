"""The SQLite journal: privacy, encryption, foreign files, several processes."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from toolscript import ConfigurationError, JournalError, SQLiteJournal
from toolscript.host.lease import new_lease

posix = pytest.mark.skipif(os.name != "posix", reason="file modes are those of POSIX")


class Reversed:
    """Stands for a cipher: changes every byte and can undo it."""

    def encode(self, data: bytes) -> bytes:
        return bytes(byte ^ 0x5A for byte in reversed(data))

    def decode(self, data: bytes) -> bytes:
        return bytes(byte ^ 0x5A for byte in reversed(data))


async def fill(journal: SQLiteJournal) -> None:
    lease = new_lease()
    await journal.create("run-1", b"the secret head", lease)
    await journal.append("run-1", lease, [b"the secret entry"])
    await journal.settle("run-1", lease, "paused", b"the secret outcome")


def modes(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mode & 0o777 for path in folder.iterdir()}


@posix
async def test_its_files_are_private(tmp_path: Path):
    before = os.umask(0)
    try:
        await fill(SQLiteJournal(tmp_path / "runs.db"))
    finally:
        os.umask(before)
    assert modes(tmp_path) == {"runs.db": 0o600, "runs.db-wal": 0o600, "runs.db-shm": 0o600}


@posix
async def test_makes_its_own_open_file_private_again(tmp_path: Path):
    path = tmp_path / "runs.db"
    first = SQLiteJournal(path)
    await fill(first)
    await first.aclose()
    path.chmod(0o644)
    await fill(SQLiteJournal(path))
    assert set(modes(tmp_path).values()) == {0o600}


async def test_a_codec_hides_what_a_run_does(tmp_path: Path):
    plain, hidden = (
        SQLiteJournal(tmp_path / "p.db"),
        SQLiteJournal(tmp_path / "h.db", codec=Reversed()),
    )
    for journal in (plain, hidden):
        await fill(journal)
        run = await journal.load("run-1")
        assert run is not None
        assert run.head == b"the secret head"
        assert run.entries == (b"the secret entry",)
        assert run.outcome == b"the secret outcome"
        assert [run.outcome for run in await journal.stored_runs()] == [b"the secret outcome"]
        await journal.aclose()
    assert b"secret" in (tmp_path / "p.db").read_bytes()
    assert b"secret" not in (tmp_path / "h.db").read_bytes()


async def test_refuses_a_file_that_is_no_database(tmp_path: Path):
    path = tmp_path / "notes.txt"
    path.write_text("dear diary, " * 1000)
    with pytest.raises(ConfigurationError, match=r"notes\.txt"):
        await SQLiteJournal(path).load("a")
    assert path.read_text().startswith("dear diary")


async def test_leaves_the_database_of_another_program_alone(tmp_path: Path):
    path = tmp_path / "shop.db"
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE orders (id)")
    path.chmod(0o644)
    before = path.read_bytes()
    with pytest.raises(ConfigurationError, match="another program"):
        await SQLiteJournal(path).load("a")
    assert path.read_bytes() == before
    assert os.name != "posix" or path.stat().st_mode & 0o777 == 0o644


async def test_refuses_a_newer_schema(tmp_path: Path):
    path = tmp_path / "runs.db"
    journal = SQLiteJournal(path)
    await fill(journal)
    await journal.aclose()
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA user_version = 99")
    with pytest.raises(ConfigurationError, match="schema version 99"):
        await SQLiteJournal(path).load("run-1")


async def test_says_that_a_folder_is_missing(tmp_path: Path):
    with pytest.raises(ConfigurationError, match="cannot be opened"):
        await SQLiteJournal(tmp_path / "nowhere" / "runs.db").load("a")


def test_refuses_an_unknown_mode(tmp_path: Path):
    with pytest.raises(ConfigurationError, match="full"):
        SQLiteJournal(tmp_path / "runs.db", synchronous="off")  # pyright: ignore[reportArgumentType]


APPENDER = """
import asyncio, sys
from toolscript import SQLiteJournal
from toolscript.host.lease import new_lease

async def main(path, name):
    journal = SQLiteJournal(path)
    lease = new_lease()
    assert await journal.create(name, b"", lease)
    for n in range(100):
        assert await journal.append(name, lease, [b"%d" % n])
    await journal.settle(name, lease, "completed", b"")

asyncio.run(main(*sys.argv[1:]))
"""


def test_many_processes_may_open_and_write_at_once(tmp_path: Path):
    path = tmp_path / "runs.db"
    names = [f"run-{n}" for n in range(6)]
    processes = [
        subprocess.Popen([sys.executable, "-c", APPENDER, str(path), name]) for name in names
    ]
    assert [process.wait(60) for process in processes] == [0] * len(names)
    journal = SQLiteJournal(path)
    for name in names:
        run = asyncio.run(journal.load(name))
        assert run is not None
        assert run.entries == tuple(b"%d" % n for n in range(100))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_child_uses_a_connection_of_its_own(tmp_path: Path):
    script = f"""
import asyncio, os
from toolscript import SQLiteJournal
from toolscript.host.lease import new_lease

journal = SQLiteJournal({str(tmp_path / "runs.db")!r})
assert asyncio.run(journal.create("parent", b"", new_lease()))
if os.fork() == 0:
    made = asyncio.run(journal.create("child", b"", new_lease()))
    os._exit(0 if made else 1)
assert os.waitstatus_to_exitcode(os.wait()[1]) == 0
assert asyncio.run(journal.create("parent again", b"", new_lease()))
assert [run.run_id for run in asyncio.run(journal.stored_runs())] == ["parent", "child", "parent again"]
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=240)


async def test_a_failed_append_leaves_nothing(tmp_path: Path):
    journal = SQLiteJournal(tmp_path / "runs.db")
    lease = new_lease()
    await journal.create("a", b"", lease)
    with pytest.raises(JournalError):
        await journal.append("a", lease, [b"fits", object()])  # pyright: ignore[reportArgumentType]
    assert await journal.append("a", lease, [b"next"])
    run = await journal.load("a")
    assert run is not None
    assert run.entries == (b"next",)


def test_journals_of_one_file_serve_several_loops(tmp_path: Path):
    journal = SQLiteJournal(tmp_path / "runs.db")
    for name in "ab":
        assert asyncio.run(journal.create(name, b"", new_lease()))
    assert len(asyncio.run(journal.stored_runs())) == 2


@pytest.mark.parametrize("opened", [True, False])
async def test_the_loop_goes_on_while_another_program_holds_the_file(tmp_path: Path, opened: bool):
    lease = new_lease()
    journal = SQLiteJournal(tmp_path / "runs.db")
    await journal.create("run", b"head", lease)
    if not opened:
        await journal.aclose()
    with contextlib.closing(sqlite3.connect(tmp_path / "runs.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        added = asyncio.create_task(journal.append("run", lease, [b"one", b"two"]))
        read = await journal.load("run") if opened else None
        await asyncio.sleep(0.02)
        assert not added.done()
        # On the same loop: had it been held up, nobody would let go of the file.
        other.execute("ROLLBACK")
        assert await added
    assert read is None or read.entries == ()
    stored = await journal.load("run")
    assert stored is not None
    assert stored.entries == (b"one", b"two")
    await journal.aclose()
