"""What every journal owes, whatever it stores runs in."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from toolscript import ConfigurationError, Journal, MemoryJournal, SQLiteJournal
from toolscript.host.lease import Lease, new_lease, renewed


@pytest.fixture(params=["memory", "sqlite", "sqlite-full"])
def journal(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Journal]:
    if request.param == "memory":
        yield MemoryJournal()
        return
    mode = "full" if request.param.endswith("full") else "normal"
    kept = SQLiteJournal(tmp_path / "runs.db", synchronous=mode)
    yield kept
    asyncio.run(kept.aclose())


def over(lease: Lease) -> Lease:
    return replace(lease, expires_at=time.time() - 1)


async def test_keeps_what_it_was_given(journal: Journal):
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


async def test_does_not_know_a_run_that_was_never_made(journal: Journal):
    lease = new_lease()
    assert await journal.load("a") is None
    assert not await journal.claim("a", lease, instead_of=None)
    assert not await journal.append("a", lease, [b"one"])
    assert not await journal.settle("a", lease, "completed", b"")


async def test_makes_a_run_once(journal: Journal):
    assert await journal.create("a", b"first", new_lease())
    assert not await journal.create("a", b"second", new_lease())
    run = await journal.load("a")
    assert run is not None
    assert run.head == b"first"


async def test_settling_lets_go_of_the_run(journal: Journal):
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


async def test_refuses_an_owner_that_was_replaced(journal: Journal):
    first, second = over(new_lease()), new_lease()
    await journal.create("a", b"", first)
    assert await journal.claim("a", second, instead_of=first.owner)
    assert not await journal.append("a", renewed(first), [b"late"])
    assert not await journal.settle("a", first, "failed", b"late")
    assert await journal.append("a", second, [b"mine"])
    run = await journal.load("a")
    assert run is not None
    assert run.entries == (b"mine",)


async def test_claims_only_from_the_owner_that_was_seen(journal: Journal):
    first, second, third = over(new_lease()), new_lease(), new_lease()
    await journal.create("a", b"", first)
    assert not await journal.claim("a", second, instead_of=None)
    assert not await journal.claim("a", second, instead_of="somebody")
    assert await journal.claim("a", second, instead_of=first.owner)
    assert not await journal.claim("a", third, instead_of=first.owner)


async def test_appending_nothing_renews(journal: Journal):
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


async def test_one_of_many_claims_succeeds(journal: Journal):
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


async def test_lists_runs_oldest_first_without_entries(journal: Journal):
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


async def test_prunes_what_is_old_and_settled(journal: Journal):
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


async def test_opens_again_after_closing(journal: Journal):
    await journal.create("a", b"head", new_lease())
    await journal.aclose()
    run = await journal.load("a")
    assert run is not None
    assert run.head == b"head"


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    appends=st.lists(
        st.tuples(st.sampled_from("ab"), st.lists(st.binary(max_size=40), max_size=4)), max_size=12
    )
)
def test_logs_of_several_runs_keep_their_order(
    appends: list[tuple[str, list[bytes]]], tmp_path_factory: pytest.TempPathFactory
):
    async def check() -> None:
        for journal in (
            MemoryJournal(),
            SQLiteJournal(tmp_path_factory.mktemp("journal") / "runs.db"),
        ):
            leases = {name: new_lease() for name in "ab"}
            expected: dict[str, list[bytes]] = {name: [] for name in "ab"}
            for name, lease in leases.items():
                await journal.create(name, b"", lease)
            for name, entries in appends:
                assert await journal.append(name, leases[name], entries)
                expected[name] += entries
            for name in "ab":
                run = await journal.load(name)
                assert run is not None
                assert list(run.entries) == expected[name]
            await journal.aclose()

    asyncio.run(check())


class TestMemoryJournal:
    async def test_drops_settled_runs_before_waiting_ones_and_never_one_at_work(self):
        journal = MemoryJournal(max_runs=3)
        for name, status in (("waits", "paused"), ("done", "completed"), ("works", None)):
            lease = new_lease()
            await journal.create(name, b"", lease)
            if status == "paused":
                await journal.settle(name, lease, "paused", b"")
            if status == "completed":
                await journal.settle(name, lease, "completed", b"")

        async def names() -> list[str]:
            return [run.run_id for run in await journal.stored_runs()]

        await journal.create("fourth", b"", new_lease())
        assert await names() == ["waits", "works", "fourth"]
        await journal.create("fifth", b"", new_lease())
        assert await names() == ["works", "fourth", "fifth"]
        await journal.create("sixth", b"", new_lease())
        assert await names() == ["works", "fourth", "fifth", "sixth"]

    async def test_forgets_what_nobody_touched_in_time(self):
        journal = MemoryJournal(keep_s=0.05)
        lease = new_lease()
        await journal.create("a", b"", lease)
        await journal.settle("a", lease, "paused", b"")
        await asyncio.sleep(0.1)
        assert await journal.load("a") is None

    @pytest.mark.parametrize("bad", [{"max_runs": 0}, {"keep_s": 0.0}])
    def test_refuses_bounds_that_hold_nothing(self, bad: dict[str, float]):
        with pytest.raises(ConfigurationError, match="at least 1"):
            MemoryJournal(**bad)  # pyright: ignore[reportArgumentType]
