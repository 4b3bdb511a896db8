"""The journals that come with the package: what every journal owes, and their own bounds."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolscript import ConfigurationError, Journal, MemoryJournal, SQLiteJournal
from toolscript.host.lease import new_lease
from toolscript.testing.journals import JournalConformance


class TestMemory(JournalConformance):
    def make_journal(self, tmp_path: Path) -> Journal:
        return MemoryJournal()


class TestSQLite(JournalConformance):
    def make_journal(self, tmp_path: Path) -> Journal:
        return SQLiteJournal(tmp_path / "runs.db")


class TestSQLiteInFullMode(JournalConformance):
    def make_journal(self, tmp_path: Path) -> Journal:
        return SQLiteJournal(tmp_path / "runs.db", synchronous="full")


@settings(max_examples=40)
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


class TestBoundsOfMemory:
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

    async def test_forgets_what_nobody_touched_in_time(self, monkeypatch: pytest.MonkeyPatch):
        journal = MemoryJournal(keep_s=3600.0)
        lease = new_lease()
        await journal.create("a", b"", lease)
        await journal.settle("a", lease, "paused", b"")
        assert await journal.load("a") is not None
        later = time.time() + 3700
        monkeypatch.setattr(time, "time", lambda: later)
        assert await journal.load("a") is None

    @pytest.mark.parametrize("bad", [{"max_runs": 0}, {"keep_s": 0.0}])
    def test_refuses_bounds_that_hold_nothing(self, bad: dict[str, float]):
        with pytest.raises(ConfigurationError, match=next(iter(bad))):
            MemoryJournal(**bad)  # pyright: ignore[reportArgumentType]
