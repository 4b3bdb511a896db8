"""The SQLite file of a journal: made, checked, opened, and never waited for by the event loop."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import threading
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Final, Literal, TypeVar

from toolscript.errors import ConfigurationError, JournalError

_SCHEMA_VERSION: Final = 1

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

T = TypeVar("T")


class SQLiteFile:
    """The file at `path`, for the threads of this process and of those that it forks."""

    def __init__(self, path: Path, synchronous: Literal["normal", "full"]):
        self.path: Final = path
        self._synchronous = synchronous
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._pid = 0
        self._identity: tuple[int, int] | None = None
        self._inherited: list[sqlite3.Connection] = []

    async def do(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Do some work on the database, when no other program holds it locked.

        Nothing but this call waits for that, neither the event loop nor another user of this
        journal.

        Raises:
            ConfigurationError: for a file that is no journal, or one of a newer toolscript.
            JournalError: if the file is locked for long, damaged, replaced, or not to be written.
        """
        waited = 0.0
        while True:
            try:
                with self._lock:
                    return work(self._open())
            except sqlite3.Error as error:
                if not _is_busy(error) or waited >= _BUSY_S:
                    raise _failed(self.path, error) from error
            pause = min(max(waited, _FIRST_PAUSE_S), _LONGEST_PAUSE_S)
            waited += pause
            await asyncio.sleep(pause)

    def close(self) -> None:
        with self._lock:
            if self._connection is not None and self._pid == os.getpid():
                self._connection.close()
                self._connection = None

    def _open(self) -> sqlite3.Connection:
        if self._connection is not None:
            if self._pid == os.getpid():
                if _identity(self.path) != self._identity:
                    self._connection.close()
                    self._connection = None
                    raise JournalError(
                        f"the journal {self.path} was removed or replaced while it was open; "
                        "what was written since is not in the file that is there now. Put the "
                        "old one back, or begin a new run"
                    )
                return self._connection
            # After a fork the connection is the parent's. Closing it here could drop locks
            # that the parent relies on, so it is kept, unused.
            self._inherited.append(self._connection)
            self._connection = None
        self._connection = _connect(self.path, self._synchronous)
        self._identity = _identity(self.path)
        self._pid = os.getpid()
        return self._connection


def writing(database: sqlite3.Connection) -> AbstractContextManager[None]:
    """A transaction that may write.

    It takes the lock at once: one that begins by reading and then writes could be refused half
    way when another process wrote in between.
    """
    return _transaction(database, "BEGIN IMMEDIATE")


def reading(database: sqlite3.Connection) -> AbstractContextManager[None]:
    """A transaction that sees the file as it was at one moment."""
    return _transaction(database, "BEGIN")


@contextmanager
def _transaction(database: sqlite3.Connection, begin: str) -> Generator[None]:
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


def _unopened(path: Path, error: OSError | sqlite3.Error) -> str:
    if not path.parent.is_dir():
        return f"there is no folder {path.parent}; make it first"
    if path.is_dir():
        return "it is a folder; give the path of a file, which is made if it is not there"
    return str(error.strerror if isinstance(error, OSError) else error)


def _connect(path: Path, synchronous: str) -> sqlite3.Connection:
    try:
        # SQLite gives its -wal and -shm files the rights of the database itself.
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        # Whoever is refused because of another program waits by itself, and not in SQLite.
        database = sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)
    except (OSError, sqlite3.Error) as error:
        raise ConfigurationError(
            f"the journal {path} cannot be opened: {_unopened(path, error)}"
        ) from None
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
        database.execute(f"PRAGMA user_version = {_SCHEMA_VERSION}")
        for statement in _SCHEMA:
            database.execute(statement)
    database.execute("COMMIT")
    if number("application_id") != _APPLICATION_ID:
        raise ConfigurationError(
            f"{path} is a database of another program; give SQLiteJournal a file of its own"
        )
    version = number("user_version")
    if version != _SCHEMA_VERSION:
        raise ConfigurationError(
            f"the journal {path} has schema version {version}, this toolscript reads version "
            f"{_SCHEMA_VERSION}; use the toolscript that wrote it, or start a new file"
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
