"""Runs in one SQLite file, shared by any number of processes of one machine.

Commits happen on the calling thread: one takes some 20 µs where by way of another thread it takes
three times that (benchmarks/bench_journal.py). One that another program's lock is in the way of
is tried again later, and the loop goes on meanwhile. The file is in WAL mode. With the default
`synchronous="normal"` a commit is in the hands of the operating system when it returns: the
death of the process loses nothing, a power cut may lose the last commits. `"full"` waits for
the disk each time and survives that too.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import UnionType
from typing import Any, Final, Literal, Protocol, TypeVar, get_args

from toolscript.errors import ConfigurationError, JournalError
from toolscript.given import Wanted, check, maybe, one_of, tells_names
from toolscript.host.journal import StoredRun, StoredStatus, may_prune
from toolscript.host.lease import Lease

SCHEMA_VERSION: Final = 1

_APPLICATION_ID: Final = 0x746F6F6C  # "tool": tells a journal from another program's database
_BUSY_S: Final = 10.0
_FIRST_PAUSE_S: Final = 0.001
_LONGEST_PAUSE_S: Final = 0.05
_SCHEMA: Final = (
    """
CREATE TABLE runs (
    key INTEGER PRIMARY KEY,
    run_id TEXT NOT NULL UNIQUE,
    status TEXT NOT NULL,
    head BLOB NOT NULL,
    outcome BLOB,
    owner TEXT,
    machine TEXT,
    pid INTEGER,
    started INTEGER,
    expires_at REAL,
    created_at REAL NOT NULL,
    updated_at REAL NOT NULL
)
""",
    """
CREATE TABLE entries (
    run INTEGER NOT NULL REFERENCES runs (key) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (run, position)
) WITHOUT ROWID
""",
)
_COLUMNS: Final = (
    "key, run_id, status, head, outcome, owner, machine, pid, started, expires_at,"
    " created_at, updated_at"
)

# IMMEDIATE takes the write lock at once: a transaction that begins by reading and then writes
# could be refused half way when another process wrote in between.
_WRITE: Final = "BEGIN IMMEDIATE"
_READ: Final = "BEGIN"

_RENEW: Final = "UPDATE runs SET expires_at = ?, updated_at = ? WHERE run_id = ? AND owner = ?"
_APPEND: Final = """
    INSERT INTO entries
    SELECT key, coalesce((SELECT max(position) FROM entries WHERE run = key), 0) + 1, ?3
    FROM runs WHERE run_id = ?1 AND owner = ?2
"""

_ADVICE: Final = {
    "SQLITE_BUSY": f"; another process held it for more than {_BUSY_S:g} s: try again when it is "
    "done, and let no program keep it locked",
    "SQLITE_FULL": "; make room on the disk, then resume the run",
    "SQLITE_IOERR": "; see that the disk is there and has room, then resume the run",
    "SQLITE_READONLY": "; it has to be writable, and so has its folder",
    "SQLITE_CORRUPT": "; restore the file from a copy, or give another one",
    "SQLITE_NOTADB": "; it is damaged or no journal: restore it from a copy, or give another one",
    "SQLITE_ERROR": "; it is damaged or no journal: restore it from a copy, or give another one",
}

_Row = tuple[Any, ...]

T = TypeVar("T")


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
        self._path = Path(path).absolute()
        self._synchronous = synchronous
        self._codec = codec
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._pid = 0
        self._identity: tuple[int, int] | None = None
        self._inherited: list[sqlite3.Connection] = []

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
            with _transaction(database, _READ):
                row = database.execute(
                    f"SELECT {_COLUMNS} FROM runs WHERE run_id = ?", (run_id,)
                ).fetchone()
                if row is None:
                    return None
                entries = database.execute(
                    "SELECT position, data FROM entries WHERE run = ? ORDER BY position", (row[0],)
                ).fetchall()
            return row, entries

        found = await self._done(read)
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
            with _transaction(database):
                # One after the other: each takes the place behind the last.
                return all(database.execute(_APPEND, row).rowcount == 1 for row in rows)

        return await self._done(add)

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
        rows = await self._done(
            lambda database: database.execute(
                f"SELECT {_COLUMNS} FROM runs ORDER BY key"
            ).fetchall()
        )
        return [self._stored(row, ()) for row in rows]

    async def prune(self, before: float, *, unsettled: bool = False) -> int:
        def forget(database: sqlite3.Connection) -> int:
            with _transaction(database):
                rows = database.execute(
                    f"SELECT {_COLUMNS} FROM runs WHERE updated_at < ?", (before,)
                ).fetchall()
                old = [(row[0],) for row in rows if may_prune(_run(row), before, unsettled)]
                database.executemany("DELETE FROM runs WHERE key = ?", old)
            return len(old)

        return await self._done(forget)

    async def aclose(self) -> None:
        with self._lock:
            if self._connection is not None and self._pid == os.getpid():
                self._connection.close()
                self._connection = None

    async def _change(self, statement: str, values: tuple[Any, ...]) -> bool:
        """Run one statement, which is a transaction by itself; whether it changed a row."""
        return await self._done(lambda database: database.execute(statement, values).rowcount == 1)

    async def _done(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Do some work on the database, when no other program holds it locked.

        Nothing but this call waits for that, neither the event loop nor another user of this
        journal.
        """
        waited = 0.0
        while True:
            try:
                with self._lock:
                    return work(self._open())
            except sqlite3.Error as error:
                if not _is_busy(error) or waited >= _BUSY_S:
                    raise _failed(self._path, error) from error
            pause = min(max(waited, _FIRST_PAUSE_S), _LONGEST_PAUSE_S)
            waited += pause
            await asyncio.sleep(pause)

    def _open(self) -> sqlite3.Connection:
        if self._connection is not None:
            if self._pid == os.getpid():
                if _identity(self._path) != self._identity:
                    self._connection.close()
                    self._connection = None
                    raise JournalError(
                        f"the journal {self._path} was removed or replaced while it was open; "
                        "what was written since is not in the file that is there now. Put the "
                        "old one back, or begin a new run"
                    )
                return self._connection
            # After a fork the connection is the parent's. Closing it here could drop locks
            # that the parent relies on, so it is kept, unused.
            self._inherited.append(self._connection)
            self._connection = None
        self._connection = _connect(self._path, self._synchronous)
        self._identity = _identity(self._path)
        self._pid = os.getpid()
        return self._connection

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
                f"the codec cannot decode what is in the journal {self._path} "
                f"({type(error).__name__}); use the codec and the key that it was written with"
            ) from error

    def _damaged(self, run_id: object) -> JournalError:
        return JournalError(
            f"the journal {self._path} is damaged: what it holds of run {run_id!r} was not "
            "written by toolscript, or is not complete. Restore the file from a copy"
        )


@contextmanager
def _transaction(database: sqlite3.Connection, begin: str = _WRITE) -> Generator[None]:
    try:
        database.execute(begin)
        yield
        database.execute("COMMIT")
    except BaseException:
        # Some failures have rolled back already.
        if database.in_transaction:
            database.execute("ROLLBACK")
        raise


def _is_busy(error: sqlite3.Error) -> bool:
    return (getattr(error, "sqlite_errorname", None) or "").startswith("SQLITE_BUSY")


def _connect(path: Path, synchronous: str) -> sqlite3.Connection:
    try:
        # SQLite gives its -wal and -shm files the rights of the database itself.
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        # Whoever is refused because of another program waits by itself, and not in SQLite.
        database = sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)
    except (OSError, sqlite3.Error) as error:
        raise ConfigurationError(f"the journal {path} cannot be opened: {error}") from None
    try:
        _prepare(database, path, synchronous)
    except sqlite3.Error as error:
        database.close()
        if _is_busy(error):
            raise
        raise ConfigurationError(f"the journal {path} cannot be used: {_told(error)}") from None
    except BaseException:
        database.close()
        raise
    return database


def _failed(path: Path, error: sqlite3.Error) -> JournalError:
    return JournalError(f"the journal {path} failed: {_told(error)}")


def _told(error: sqlite3.Error) -> str:
    """What SQLite says of a failure, and what to do about it where that is known."""
    name = getattr(error, "sqlite_errorname", None) or ""
    advice = next((text for code, text in _ADVICE.items() if name.startswith(code)), "")
    return f"{error}{advice}"


def _identity(path: Path) -> tuple[int, int] | None:
    """Which file is at a place at this moment; None where there is none."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _prepare(database: sqlite3.Connection, path: Path, synchronous: str) -> None:
    def number(pragma: str) -> int:
        return database.execute(f"PRAGMA {pragma}").fetchone()[0]

    database.execute("BEGIN IMMEDIATE")
    is_new = database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0
    if is_new:
        database.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
        database.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        for statement in _SCHEMA:
            database.execute(statement)
    database.execute("COMMIT")
    if number("application_id") != _APPLICATION_ID:
        raise ConfigurationError(
            f"{path} is a database of another program; give SQLiteJournal a file of its own"
        )
    version = number("user_version")
    if version != SCHEMA_VERSION:
        raise ConfigurationError(
            f"the journal {path} has schema version {version}, this toolscript reads version "
            f"{SCHEMA_VERSION}; use the toolscript that wrote it, or start a new file"
        )
    _enter_wal(database, path)
    database.execute(f"PRAGMA synchronous = {synchronous}")
    database.execute("PRAGMA foreign_keys = ON")
    if os.name == "posix":
        for name in (path, f"{path}-wal", f"{path}-shm"):
            if os.path.exists(name):
                os.chmod(name, 0o600)


def _enter_wal(database: sqlite3.Connection, path: Path) -> None:
    # Refused as busy where another process opens the new file at this moment.
    mode = database.execute("PRAGMA journal_mode = WAL").fetchone()[0]
    if mode != "wal":
        raise ConfigurationError(
            f"the journal {path} is on a file system without shared memory, which SQLite needs to "
            "share a file between processes; put it on a local disk"
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
