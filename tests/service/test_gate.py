"""The gate in front of the listeners: who is admitted, and who is dropped to make room."""

from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from app.service.gate import Caps, ConnectionGate, ListeningSettings, Place


class Desk:
    """A gate with a clock of its own, and a note of who was dropped."""

    def __init__(self, total: int = 4, per_peer: int = 3) -> None:
        self.time = 0.0
        self.dropped: list[str] = []
        self.gate = ConnectionGate(Caps(total, per_peer), lambda: self.time)

    def admit(self, name: str, host: str = "192.0.2.1", seconds: float = 10) -> Place | None:
        return self.gate.admit(host, lambda: self.dropped.append(name), seconds)

    def must_admit(self, name: str, host: str = "192.0.2.1") -> Place:
        place = self.admit(name, host)
        assert place is not None
        return place


def test_the_longest_waiting_connection_of_a_peer_makes_room_for_its_next_one() -> None:
    desk = Desk()
    first, _, _ = (desk.must_admit(name) for name in ("first", "second", "third"))
    first.wait(10)  # it has said something meanwhile
    desk.must_admit("fourth")
    assert desk.dropped == ["second"]


def test_a_connection_that_is_served_is_never_dropped_for_another() -> None:
    desk = Desk(per_peer=2)
    for name in ("first", "second"):
        desk.must_admit(name).work()
    assert desk.admit("third") is None
    assert desk.dropped == []


def test_a_full_house_costs_the_peer_with_the_most_waiting_connections_one() -> None:
    desk = Desk(total=4, per_peer=4)
    desk.must_admit("alone", "192.0.2.9")
    for name in ("a", "b", "c"):
        desk.must_admit(name)
    desk.must_admit("newcomer", "192.0.2.7")
    assert desk.dropped == ["a"]


def test_one_full_peer_does_not_keep_others_out() -> None:
    desk = Desk(total=4, per_peer=3)
    for name in ("a", "b", "c"):
        desk.must_admit(name).work()
    assert desk.admit("d") is None
    assert desk.admit("other", "192.0.2.7") is not None


def test_neighbours_in_an_ipv6_network_are_one_peer_and_mapped_addresses_are_the_ipv4_one() -> None:
    desk = Desk(per_peer=1)
    desk.must_admit("a", "2001:db8::1")
    desk.must_admit("b", "2001:db8::ffff")
    desk.must_admit("c", "2001:db8:0:1::1")
    desk.must_admit("d", "::ffff:192.0.2.1")
    desk.must_admit("e", "192.0.2.1")
    assert desk.dropped == ["a", "d"]


def test_time_runs_from_the_first_byte_and_more_bytes_gain_none() -> None:
    desk = Desk()
    place = desk.must_admit("drip")
    for desk.time in (4.0, 8.0):
        place.hurry(10)
        desk.gate.sweep()
    assert desk.dropped == []
    desk.time = 10.0
    desk.gate.sweep()
    assert desk.dropped == ["drip"]


def test_time_is_over_only_for_those_that_are_waited_for() -> None:
    desk = Desk()
    desk.must_admit("served").work()
    left = desk.must_admit("gone")
    left.leave()
    desk.time = 1e9
    desk.gate.sweep()
    assert desk.dropped == []
    assert len(desk.gate) == 1


class GateMachine(RuleBasedStateMachine):
    """Whatever clients do, caps hold, and only those that are waited for are dropped."""

    def __init__(self) -> None:
        super().__init__()
        self.caps = Caps(total=5, per_peer=3)
        self.time = 0.0
        self.gate = ConnectionGate(self.caps, lambda: self.time)
        self.open: dict[Place, str] = {}
        self.working: set[Place] = set()

    @rule(host=st.sampled_from(["192.0.2.1", "192.0.2.2", "2001:db8::1"]))
    def connect(self, host: str) -> None:
        held: list[Place] = []
        place = self.gate.admit(host, lambda: self.drop(held[0]), 10)
        if place is None:
            assert len(self.working) > 0
        else:
            held.append(place)
            self.open[place] = host

    def drop(self, place: Place) -> None:
        assert place not in self.working
        del self.open[place]

    @rule(data=st.data())
    def serve(self, data: st.DataObject) -> None:
        if self.open:
            place = data.draw(st.sampled_from(list(self.open)))
            place.work()
            self.working.add(place)

    @rule(data=st.data())
    def answer(self, data: st.DataObject) -> None:
        if self.working:
            place = data.draw(st.sampled_from([place for place in self.open if place in self.working]))
            self.working.discard(place)
            place.wait(10)

    @rule(data=st.data())
    def leave(self, data: st.DataObject) -> None:
        if self.open:
            place = data.draw(st.sampled_from(list(self.open)))
            del self.open[place]
            self.working.discard(place)
            place.leave()
            place.leave()
            place.wait(10)  # a late word of a connection that has gone changes nothing

    @rule(seconds=st.sampled_from([1.0, 11.0]))
    def pass_time(self, seconds: float) -> None:
        self.time += seconds
        self.gate.sweep()

    @invariant()
    def caps_hold(self) -> None:
        hosts = list(self.open.values())
        assert len(self.gate) == len(hosts) <= self.caps.total
        assert all(hosts.count(host) <= self.caps.per_peer for host in hosts)


TestGateMachine = GateMachine.TestCase


@given(st.integers(64, 100_000))
def test_descriptors_are_kept_back_for_the_database_and_platforms(descriptors: int) -> None:
    api, callbacks = Caps.for_api(ListeningSettings(), descriptors), Caps.for_callbacks(descriptors)
    assert 0 < api.per_peer <= api.total
    assert descriptors - api.total - callbacks.total >= min(100, descriptors // 4)
    wanted = ListeningSettings(connections=1_000_000, connections_per_peer=1_000_000)
    assert Caps.for_api(wanted, descriptors).total + callbacks.total < descriptors
