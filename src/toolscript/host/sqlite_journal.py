"""Runs in one SQLite file, shared by any number of processes of one machine.

Commits happen on the calling thread: one takes some 20 µs where by way of another thread it takes
three times that (benchmarks/bench_journal.py). The file is in WAL mode. With the default
`synchronous="normal"` a commit is in the hands of the operating system when it returns: the
death of the process loses nothing, a power cut may lose the last commits. `"full"` waits for
the disk each time and survives that too.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import UnionType
from typing import Any, Final, Literal, Protocol, get_args

from toolscript.errors import JournalError
from toolscript.given import Wanted, check, maybe, one_of, tells_names
from toolscript.host.journal import StoredRun, StoredStatus, may_prune
from toolscript.host.lease import Lease
from toolscript.host.sqlite_file import SQLiteFile, reading, writing

_COLUMNS: Final = (
    "key, run_id, status, head, outcome, owner, machine, pid, started, expires_at,"
    " created_at, updated_at"
)

_RENEW: Final = "UPDATE runs SET expires_at = ?, updated_at = ? WHERE run_id = ? AND owner = ?"
_APPEND: Final = """
    INSERT INTO entries
    SELECT key, coalesce((SELECT max(position) FROM entries WHERE run = key), 0) + 1, ?3
    FROM runs WHERE run_id = ?1 AND owner = ?2
"""

_Row = tuple[Any, ...]


class Codec(Protocol):
    """Changes bytes before they are stored and back again, to encrypt them for example."""

    def encode(self, data: bytes) -> bytes: ...

    def decode(self, data: bytes) -> bytes: ...


_PATH: Final = Wanted(
    "the path of a file",
    lambda value: isinstance(value, os.PathLike) or (isinstance(value, str) and value != ""),
)
_CODEC: Final = Wanted(
    "an object with encode and decode",
    lambda value: all(callable(getattr(value, name, None)) for name in ("encode", "decode")),
)


@tells_names
class SQLiteJournal:
    """A journal in the file `path`, which is made readable and writable by its owner only.

    `codec` encodes all that tells what a run does: its source, input, arguments, results and
    outcome. Ids, states and times stay readable.

    Raises:
        ConfigurationError: when first used, for a file that is not a journal, or is one of
            a newer toolscript.
        JournalError: when it is used and the file is locked for long, damaged, replaced, or
            cannot be written.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        synchronous: Literal["normal", "full"] = "normal",
        codec: Codec | None = None,
    ):
        check("SQLiteJournal(path=)", _PATH, path)
        check("SQLiteJournal(synchronous=)", one_of("normal", "full"), synchronous)
        check("SQLiteJournal(codec=)", maybe(_CODEC), codec)
        self._file = SQLiteFile(Path(path).absolute(), synchronous)
        self._codec = codec

    async def create(self, run_id: str, head: bytes, lease: Lease) -> bool:
        now = time.time()
        return await self._change(
            "INSERT INTO runs (run_id, status, head, owner, machine, pid, started, expires_at,"
            " created_at, updated_at) VALUES (?, 'running', ?, ?, ?, ?, ?, ?, ?, ?)"
            " ON CONFLICT (run_id) DO NOTHING",
            (run_id, self._encode(head), *_lease_row(lease), now, now),
        )

    async def load(self, run_id: str) -> StoredRun | None:
        def read(database: sqlite3.Connection) -> tuple[_Row, list[_Row]] | None:
            with reading(database):
                row = database.execute(
                    f"SELECT {_COLUMNS} FROM runs WHERE run_id = ?", (run_id,)
                ).fetchone()
                if row is None:
                    return None
                entries = database.execute(
                    "SELECT position, data FROM entries WHERE run = ? ORDER BY position", (row[0],)
                ).fetchall()
            return row, entries

        found = await self._file.do(read)
        if found is None:
            return None
        row, entries = found
        whole = all(
            position == place and isinstance(data, bytes)
            for place, (position, data) in enumerate(entries, 1)
        )
        if not whole:
            raise self._damaged(run_id)
        return self._stored(row, tuple(self._decode(data) for _, data in entries))

    async def claim(self, run_id: str, lease: Lease, *, instead_of: str | None) -> bool:
        return await self._change(
            "UPDATE runs SET status = 'running', owner = ?, machine = ?, pid = ?, started = ?,"
            " expires_at = ?, updated_at = ? WHERE run_id = ? AND owner IS ?",
            (*_lease_row(lease), time.time(), run_id, instead_of),
        )

    async def append(self, run_id: str, lease: Lease, entries: Sequence[bytes]) -> bool:
        if not entries:
            return await self._change(_RENEW, (lease.expires_at, time.time(), run_id, lease.owner))
        rows = [(run_id, lease.owner, self._encode(data)) for data in entries]
        if len(rows) == 1:
            return await self._change(_APPEND, rows[0])

        def add(database: sqlite3.Connection) -> bool:
            with writing(database):
                # One after the other: each takes the place behind the last.
                return all(database.execute(_APPEND, row).rowcount == 1 for row in rows)

        return await self._file.do(add)

    async def settle(
        self, run_id: str, lease: Lease, status: StoredStatus, outcome: bytes | None
    ) -> bool:
        stored = None if outcome is None else self._encode(outcome)
        return await self._change(
            "UPDATE runs SET status = ?, outcome = ?, owner = NULL, machine = NULL, pid = NULL,"
            " started = NULL, expires_at = NULL, updated_at = ? WHERE run_id = ? AND owner = ?",
            (status, stored, time.time(), run_id, lease.owner),
        )

    async def stored_runs(self) -> Sequence[StoredRun]:
        rows = await self._file.do(
            lambda database: database.execute(
                f"SELECT {_COLUMNS} FROM runs ORDER BY key"
            ).fetchall()
        )
        return [self._stored(row, ()) for row in rows]

    async def prune(self, before: float, *, unsettled: bool = False) -> int:
        def forget(database: sqlite3.Connection) -> int:
            with writing(database):
                rows = database.execute(
                    f"SELECT {_COLUMNS} FROM runs WHERE updated_at < ?", (before,)
                ).fetchall()
                old = [(row[0],) for row in rows if may_prune(_run(row), before, unsettled)]
                database.executemany("DELETE FROM runs WHERE key = ?", old)
            return len(old)

        return await self._file.do(forget)

    async def aclose(self) -> None:
        self._file.close()

    async def _change(self, statement: str, values: tuple[Any, ...]) -> bool:
        """Run one statement, which is a transaction by itself; whether it changed a row."""
        return await self._file.do(
            lambda database: database.execute(statement, values).rowcount == 1
        )

    def _stored(self, row: _Row, entries: tuple[bytes, ...]) -> StoredRun:
        run = _run(row)
        if not _is_sound(run):
            raise self._damaged(run.run_id)
        return replace(
            run,
            head=self._decode(run.head),
            outcome=None if run.outcome is None else self._decode(run.outcome),
            entries=entries,
        )

    def _encode(self, data: bytes) -> bytes:
        return data if self._codec is None else self._codec.encode(data)

    def _decode(self, data: bytes) -> bytes:
        if self._codec is None:
            return data
        try:
            return self._codec.decode(data)
        except Exception as error:
            raise JournalError(
                f"the codec cannot decode what is in the journal {self._file.path} "
                f"({type(error).__name__}); use the codec and the key that it was written with"
            ) from error

    def _damaged(self, run_id: object) -> JournalError:
        return JournalError(
            f"the journal {self._file.path} is damaged: what it holds of run {run_id!r} was not "
            "written by toolscript, or is not complete. Restore the file from a copy"
        )


def _run(row: _Row) -> StoredRun:
    """The run of a row, its bytes as they are stored."""
    _, run_id, status, head, outcome, owner, machine, pid, started, expires_at, *times = row
    lease = None if owner is None else Lease(owner, machine, pid, started, expires_at)
    return StoredRun(run_id, status, head, outcome, (), lease, *times)


def _is_sound(run: StoredRun) -> bool:
    """Whether a row holds what this module writes. SQLite itself takes any type anywhere."""
    lease = run.lease
    typed: list[tuple[object, type | UnionType]] = [
        (run.head, bytes),
        (run.outcome, bytes | None),
        (run.created_at, float),
        (run.updated_at, float),
    ]
    if lease is not None:
        typed += [(lease.pid, int), (lease.expires_at, float)]
    return run.status in get_args(StoredStatus) and all(
        isinstance(value, kind) for value, kind in typed
    )


def _lease_row(lease: Lease) -> tuple[str, str | None, int, int | None, float]:
    return lease.owner, lease.machine, lease.pid, lease.started, lease.expires_at
