"""The client, against a facility that is a socket."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator, Mapping

import numpy as np
import pytest

from freefloat.errors import InputError
from freefloat.links.facility import FacilityLink, LinkError, drive
from freefloat.links.record_codec import ALIVE, Datagram, pack, unpack

START, MOVED = np.zeros(22), np.ones(22)
SCRIPT = [
    0,
    0,
    -(1 << 15),
    ALIVE,
    ALIVE,
    ALIVE,
    0,
]  # bits of the mode, state by state: waiting, moving, running, stopped


class Facility(threading.Thread):
    """Greeted twice, it tells a list of states, and keeps what is answered."""

    def __init__(self, skipped: int = -1) -> None:
        super().__init__()
        self.sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.sock.bind(("127.0.0.1", 0))
        self.sock.settimeout(5.0)
        self.port: int = self.sock.getsockname()[1]
        self.answers: list[Datagram] = []
        self.skipped = skipped

    def run(self) -> None:
        self.sock.recv(1000)  # a greeting is lost
        greeting, peer = self.sock.recvfrom(1000)
        assert unpack(greeting).cycle == 0
        for n, bits in enumerate(SCRIPT):
            if n == self.skipped:
                continue
            self.sock.sendto(b"no state", peer)
            self.sock.sendto(pack(n + 10, 1000 * n, 2 + bits, np.full(22, float(n))), peer)
            if n < len(SCRIPT) - 1:
                answer = unpack(self.sock.recv(1000))
                while answer.cycle == 0:
                    answer = unpack(self.sock.recv(1000))
                self.answers.append(answer)


@pytest.fixture
def facility() -> Iterator[Facility]:
    made = Facility()
    made.start()
    yield made
    made.join()
    made.sock.close()


def test_it_holds_the_start_until_commands_act_and_ends_with_them(facility: Facility) -> None:
    with FacilityLink(port=facility.port, frame="GLC") as link:
        counts: list[int] = []
        for state in link.cycles(START):
            counts.append(state.count)
            assert state.elapsed == pytest.approx(0.004 * state.count)
            link.answer(MOVED)
    assert counts == [1, 2, 3]
    assert [a.cycle for a in facility.answers] == [10, 11, 12, 13, 14, 15]
    assert [a.values[0] for a in facility.answers] == [0.0, 0.0, 0.0, 1.0, 1.0, 1.0]
    assert {a.mode for a in facility.answers} == {2}


def test_a_lost_state_is_counted_and_time_goes_on() -> None:
    facility = Facility(skipped=4)
    facility.start()
    with FacilityLink(port=facility.port, frame="GLC") as link:
        counts = [state.count for state in link.cycles(START) if link.answer(MOVED) is None]
        assert link.missed == 1
    facility.join()
    facility.sock.close()
    assert counts == [1, 3]


class Echo:
    """A controller that commands where it is."""

    def __init__(self) -> None:
        self.times: list[float] = []

    def update(self, t: float, meas: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        self.times.append(t)
        return {"record": meas["state"]}


def test_a_controller_sees_what_it_sees_in_a_scenario(facility: Facility) -> None:
    controller = Echo()
    with FacilityLink(port=facility.port, frame="GLC") as link:
        assert drive(controller, link) == 3
    assert controller.times == pytest.approx([0.04, 0.044, 0.048, 0.052, 0.056, 0.06])
    assert [a.values[0] for a in facility.answers] == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]


def test_silence_and_answers_to_nothing_are_told() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as nobody:
        nobody.bind(("127.0.0.1", 0))
        with FacilityLink(port=nobody.getsockname()[1], timeout=0.05) as link:
            with pytest.raises(InputError, match="no state has come yet"):
                link.answer(START)
            with pytest.raises(LinkError, match=r"no state within 0\.05 s"):
                link.receive()


def test_an_address_that_is_none_is_refused() -> None:
    with pytest.raises(InputError, match="allowed: HOST:PORT"):
        FacilityLink("127.0.0.1", 70000)
