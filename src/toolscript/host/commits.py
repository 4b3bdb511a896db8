"""The queue of one run's entries to its journal: in order, in batches, under its lease."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from typing import Final

from toolscript.errors import JournalError, ResumeError
from toolscript.host.entries import Entry, entry_to_bytes
from toolscript.host.journal import Journal, StoredStatus
from toolscript.host.lease import LEASE_S, Lease, renewed

_log = logging.getLogger("toolscript")

_LET_GO_S: Final = 5.0


class Commits:
    """Writes what is put into it, from the head of the queue, and keeps the lease alive.

    Args:
        durable: told, in order, of entries that are safe.
        broken: told once when the journal failed, or another process took the run over; from
            then on nothing is written and `commit` raises the same exception.
    """

    def __init__(
        self,
        journal: Journal,
        run_id: str,
        lease: Lease,
        *,
        durable: Callable[[Sequence[Entry]], None],
        broken: Callable[[BaseException], None],
    ) -> None:
        self._journal = journal
        self._run_id = run_id
        self._lease = lease
        self._durable = durable
        self._broken = broken
        self._queue: list[Entry] = []
        self._queued = 0
        self._written = 0
        self._waiting: list[tuple[int, asyncio.Future[None]]] = []
        self._writing: asyncio.Task[None] | None = None
        self._failure: BaseException | None = None
        self._renewing = asyncio.create_task(self._renew())

    def put(self, entry: Entry) -> None:
        """Queue an entry. It goes with the next commit, whoever asks for that."""
        self._queue.append(entry)
        self._queued += 1

    async def commit(self) -> None:
        """Return when all that is queued now is durable.

        Raises:
            ResumeError: if another process has taken the run over.
            BaseException: whatever the journal raised.
        """
        if self._failure is not None:
            raise self._failure
        if self._written < self._queued:
            done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append((self._queued, done))
            self.commit_soon()
            await done

    def commit_soon(self) -> None:
        """Begin to write, together with whatever is put in this turn of the event loop."""
        if self._writing is None and self._failure is None:
            self._writing = asyncio.create_task(self._write())

    async def settle(self, status: StoredStatus, outcome: bytes | None) -> None:
        """Write all that is queued, note how the run stands, and let go of it."""
        await self.commit()
        self._renewing.cancel()
        if not await self._journal.settle(self._run_id, self._lease, status, outcome):
            raise self._lost()

    async def let_go(self, status: StoredStatus, outcome: bytes | None) -> None:
        """Let go of the run on the way out of a failure, after writing what is known of it.

        Raises:
            TimeoutError: if the journal takes longer than a few seconds for that.
        """
        # Whatever comes of it, nobody is at work on the run any more.
        self._renewing.cancel()
        try:
            async with asyncio.timeout(_LET_GO_S):
                if self._failure is None:
                    await self.commit()
                await self._journal.settle(self._run_id, self._lease, status, outcome)
        except TimeoutError:
            if self._writing is not None:
                self._writing.cancel()
            raise

    async def _write(self) -> None:
        try:
            while self._queue:
                batch, self._queue = self._queue, []
                data = [entry_to_bytes(entry) for entry in batch]
                if not await self._journal.append(self._run_id, self._lease, data):
                    raise self._lost()
                self._written += len(batch)
                self._durable(batch)
                while self._waiting and self._waiting[0][0] <= self._written:
                    _, done = self._waiting.pop(0)
                    if not done.done():
                        done.set_result(None)
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                self._fail(error)
                raise
            self._fail(JournalError(f"the journal cancelled a write of run {self._run_id}"))
        except BaseException as error:
            self._fail(error)
        finally:
            self._writing = None

    async def _renew(self) -> None:
        while True:
            await asyncio.sleep(LEASE_S / 3)
            lease = renewed(self._lease)
            try:
                if not await self._journal.append(self._run_id, lease, ()):
                    self._fail(self._lost())
                    return
            except Exception:
                # The lease holds for a while; the next commit or try says what is wrong.
                _log.warning("the lease of run %s was not renewed", self._run_id, exc_info=True)
            else:
                self._lease = lease

    def _fail(self, error: BaseException) -> None:
        self._failure = error
        for _, done in self._waiting:
            if not done.done():
                done.set_exception(error)
        self._broken(error)

    def _lost(self) -> ResumeError:
        return ResumeError(
            f"run {self._run_id} was taken over by another process, since this one did not renew "
            "its lease in time; its result is to be had there"
        )
