"""Black-box tests that any `Journal` must pass, so that runs may rely on it.

    class TestMyJournal(JournalConformance):
        def make_journal(self, tmp_path):
            return MyJournal(...)

A journal that `make_journal` gives holds no runs. Needs pytest-asyncio.
"""

from __future__ import annotations

import asyncio
import threading
import time
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from toolscript.host.journal import Journal
from toolscript.host.lease import Lease, new_lease, renewed


@pytest.mark.asyncio
class JournalConformance:
    """What every journal owes; see `host.journal`."""

    @abstractmethod
    def make_journal(self, tmp_path: Path) -> Journal:
        """A journal without runs."""

    @pytest.fixture
    def journal(self, tmp_path: Path) -> Iterator[Journal]:
        journal = self.make_journal(tmp_path)
        yield journal
        asyncio.run(journal.aclose())

    async def test_keeps_what_it_was_given(self, journal: Journal) -> None:
        lease = new_lease()
        assert await journal.create("a", b"head \x00\xff", lease)
        assert await journal.append("a", lease, [b"one", b"two"])
        assert await journal.append("a", lease, [b"", b"three \x00"])
        run = await journal.load("a")
        assert run is not None
        assert run.head == b"head \x00\xff"
        assert run.entries == (b"one", b"two", b"", b"three \x00")
        assert run.status == "running"
        assert run.outcome is None
        assert run.lease == lease
        assert run.leased
        assert run.created_at <= run.updated_at <= time.time()

    async def test_does_not_know_a_run_that_was_never_made(self, journal: Journal) -> None:
        lease = new_lease()
        assert await journal.load("a") is None
        assert not await journal.claim("a", lease, instead_of=None)
        assert not await journal.append("a", lease, [b"one"])
        assert not await journal.settle("a", lease, "completed", b"")

    async def test_makes_a_run_once(self, journal: Journal) -> None:
        assert await journal.create("a", b"first", new_lease())
        assert not await journal.create("a", b"second", new_lease())
        run = await journal.load("a")
        assert run is not None
        assert run.head == b"first"

    async def test_settling_lets_go_of_the_run(self, journal: Journal) -> None:
        lease = new_lease()
        await journal.create("a", b"", lease)
        assert await journal.settle("a", lease, "paused", b"waits")
        run = await journal.load("a")
        assert run is not None
        assert (run.status, run.outcome, run.lease) == ("paused", b"waits", None)
        assert not run.leased
        assert not await journal.append("a", lease, [b"late"])
        assert not await journal.settle("a", lease, "completed", b"late")
        again = new_lease()
        assert await journal.claim("a", again, instead_of=None)
        run = await journal.load("a")
        assert run is not None
        assert (run.status, run.outcome) == ("running", b"waits")
        assert await journal.append("a", again, [b"on"])

    async def test_refuses_an_owner_that_was_replaced(self, journal: Journal) -> None:
        first, second = over(new_lease()), new_lease()
        await journal.create("a", b"", first)
        assert await journal.claim("a", second, instead_of=first.owner)
        assert not await journal.append("a", renewed(first), [b"late"])
        assert not await journal.settle("a", first, "failed", b"late")
        assert await journal.append("a", second, [b"mine"])
        run = await journal.load("a")
        assert run is not None
        assert run.entries == (b"mine",)

    async def test_claims_only_from_the_owner_that_was_seen(self, journal: Journal) -> None:
        first, second, third = over(new_lease()), new_lease(), new_lease()
        await journal.create("a", b"", first)
        assert not await journal.claim("a", second, instead_of=None)
        assert not await journal.claim("a", second, instead_of="somebody")
        assert await journal.claim("a", second, instead_of=first.owner)
        assert not await journal.claim("a", third, instead_of=first.owner)

    async def test_appending_nothing_renews(self, journal: Journal) -> None:
        lease = over(new_lease())
        await journal.create("a", b"", lease)
        run = await journal.load("a")
        assert run is not None
        assert not run.leased
        assert await journal.append("a", renewed(lease), [])
        run = await journal.load("a")
        assert run is not None
        assert run.leased
        assert run.entries == ()

    async def test_one_of_many_claims_succeeds(self, journal: Journal) -> None:
        first = over(new_lease())
        await journal.create("a", b"", first)
        won: list[str] = []
        ready = threading.Barrier(8)

        def claim() -> None:
            mine = new_lease()
            ready.wait()
            if asyncio.run(journal.claim("a", mine, instead_of=first.owner)):
                won.append(mine.owner)

        threads = [threading.Thread(target=claim) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        run = await journal.load("a")
        assert run is not None
        assert run.lease is not None
        assert won == [run.lease.owner]

    async def test_lists_runs_oldest_first_without_entries(self, journal: Journal) -> None:
        for name in "abc":
            lease = new_lease()
            await journal.create(name, name.encode(), lease)
            await journal.append(name, lease, [b"x"])
            if name == "b":
                await journal.settle(name, lease, "completed", b"done")
        runs = await journal.stored_runs()
        assert [(run.run_id, run.status, run.entries) for run in runs] == [
            ("a", "running", ()),
            ("b", "completed", ()),
            ("c", "running", ()),
        ]
        assert runs[1].outcome == b"done"

    async def test_prunes_what_is_old_and_settled(self, journal: Journal) -> None:
        kept = {"running": "live", "dead": "lost", "waits": "paused", "done": "completed"}
        for name in kept:
            lease = new_lease() if name != "dead" else over(new_lease())
            await journal.create(name, b"", lease)
            await journal.append(name, lease, [b"entry"])
            if name == "waits":
                await journal.settle(name, lease, "paused", b"")
            if name == "done":
                await journal.settle(name, lease, "completed", b"")

        async def names() -> list[str]:
            return [run.run_id for run in await journal.stored_runs()]

        assert await journal.prune(time.time() - 60, unsettled=True) == 0
        later = time.time() + 60
        assert await journal.prune(later) == 1
        assert await names() == ["running", "dead", "waits"]
        assert await journal.prune(later, unsettled=True) == 2
        assert await names() == ["running"]
        lease = new_lease()
        assert await journal.create("done", b"anew", lease)
        run = await journal.load("done")
        assert run is not None
        assert run.entries == ()

    async def test_opens_again_after_closing(self, journal: Journal) -> None:
        await journal.create("a", b"head", new_lease())
        await journal.aclose()
        run = await journal.load("a")
        assert run is not None
        assert run.head == b"head"


def over(lease: Lease) -> Lease:
    """The same lease, its time being over."""
    return replace(lease, expires_at=time.time() - 1)
