"""The line of calls, against a slow and obvious description of what it promises."""

from __future__ import annotations

from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from toolscript.host.schedule import Mode, Schedule, Ticket, overlaps


class Call(Ticket):
    __slots__ = ("label", "state")

    def __init__(self, label: int, shared: bool) -> None:
        super().__init__(shared=shared)
        self.label = label
        self.state = "deciding"


def may_start(call: Call, calls: list[Call], mode: Mode, most: int | None) -> bool:
    """Whether a call may start now, by the rules as a person would say them."""
    running = [other for other in calls if other.state == "running"]
    earlier = calls[: calls.index(call)]
    if call.state != "decided":
        return False
    if any(not other.shared for other in running):
        return False
    if not call.shared and running:
        return False
    if most is not None and len(running) >= most:
        return False
    if mode == "all":
        # Only what is allowed to run is in line; it starts in the order of submission.
        return not any(other.state == "decided" for other in earlier)
    return not any(other.state in ("deciding", "decided") for other in earlier)


class ScheduleMachine(RuleBasedStateMachine):
    @initialize(
        mode=st.sampled_from(["all", "reads", "serial"]),
        most=st.sampled_from([None, 1, 2, 4]),
        groups=st.booleans(),
    )
    def begin(self, mode: Any, most: Any, groups: bool) -> None:
        self.mode: Mode = mode
        self.most: int | None = most
        self.groups = groups
        self.schedule: Schedule[Call] = Schedule(mode=mode, most=most, groups=groups)
        self.calls: list[Call] = []
        self.group: set[int] = set()

    @rule(read_only=st.booleans(), parallel=st.sampled_from([None, None, True, False]))
    def submit(self, read_only: bool, parallel: Any) -> None:
        shared = overlaps(self.mode, read_only=read_only, parallel=parallel)
        call = Call(len(self.calls), shared)
        self.calls.append(call)
        self.schedule.submit(call)

    @precondition(lambda self: any(call.state == "deciding" for call in self.calls))
    @rule(data=st.data(), allowed=st.booleans())
    def decide(self, data: Any, allowed: bool) -> None:
        waiting = [call for call in self.calls if call.state == "deciding"]
        call = data.draw(st.sampled_from(waiting))
        if allowed:
            call.state = "decided"
            self.schedule.decide(call)
        else:
            call.state = "gone"
            self.schedule.leave(call)

    @precondition(lambda self: any(call.state != "gone" for call in self.calls))
    @rule(data=st.data())
    def end(self, data: Any) -> None:
        alive = [call for call in self.calls if call.state in ("running", "decided", "deciding")]
        call = data.draw(st.sampled_from(alive))
        call.state = "gone"
        self.schedule.leave(call)
        self.schedule.leave(call)

    @rule()
    def take(self) -> None:
        begins_group = not any(call.state == "running" for call in self.calls)
        expected: list[Call] = []
        if not self.groups or begins_group:
            for call in self.calls:
                if may_start(call, self.calls, self.mode, self.most):
                    call.state = "running"
                    expected.append(call)
        assert list(self.schedule.take()) == expected

    @invariant()
    def never_too_many(self) -> None:
        running = [call for call in self.calls if call.state == "running"]
        assert self.schedule.running == len(running)
        assert self.most is None or len(running) <= self.most
        assert len(running) <= 1 or all(call.shared for call in running)


ScheduleMachine.TestCase.settings = settings(max_examples=150, stateful_step_count=40)
TestSchedule = ScheduleMachine.TestCase


def test_whose_word_counts() -> None:
    assert overlaps("all", read_only=False, parallel=None)
    assert not overlaps("all", read_only=True, parallel=False)
    assert overlaps("reads", read_only=True, parallel=None)
    assert not overlaps("reads", read_only=False, parallel=None)
    assert overlaps("reads", read_only=False, parallel=True)
    assert not overlaps("serial", read_only=True, parallel=True)
