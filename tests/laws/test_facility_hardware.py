"""The facility commands two robot controllers, processes of their own, in lockstep: the same axes, a cycle later."""

from __future__ import annotations

import select
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from freefloat.facility.application import Application
from freefloat.facility.axes import CYCLE
from freefloat.facility.controllers import Controller, Controllers
from freefloat.facility.exchange import Outputs
from freefloat.facility.operation import Operation
from freefloat.facility.outside import Taken
from freefloat.links.rsi_config import read_rsi_config
from freefloat.links.rsi_sensor import RsiSensorLink
from freefloat.missions.facility.courses import Tumble
from freefloat.missions.facility.served import ServedFacility
from freefloat.serve.rsi import DECIMALS

EXAMPLE = Path(__file__).parents[2] / "examples" / "rsi"
OPTIONS = {"operator": "sync", "rail": 6.0, "facility": {"confirm": 8.0, "joints": "elastic"}}
COURSE = Tumble(0.2, np.radians(40.0), np.radians(10.0), 3.0, 0.1, 1.0)
CYCLES = 300  # that are commanded
AXES = ("rail.act", "rob1.act.axes", "rob2.act.axes")


class Inside:
    """An application in this process and, where there are, controllers outside of it that are waited for."""

    def __init__(self, controllers: Controllers) -> None:
        self.controllers, self.application = controllers, Application(COURSE)
        self.state = np.zeros(24)
        self.rows: list[np.ndarray] = []  # actual axes (13,)
        self.points: list[np.ndarray] = []  # set-points (13,)
        self.running = 0

    def before(self, cycle: int, t: float, operation: Operation) -> Taken:
        if self.controllers.controllers:
            operation.settings = replace(operation.settings, controllers=True)
            if not operation.hardware:
                operation.hardware = True  # before the procedure's first step, as an operator at the desk would
            self.controllers.on = True
            while not self.controllers.answered:
                assert select.select(self.controllers.sockets, [], [], 60.0)[0], "a controller is silent"
                self.controllers.listen()
        encoders, errors = self.controllers.before(operation)
        record = self.application.update(t, {"state": self.state})["record"]
        return Taken(record, None, encoders, errors)

    def after(self, out: Outputs, row: Mapping[str, np.ndarray]) -> None:
        self.controllers.after(out)
        self.state = out.record
        self.running += out.state == "running"
        self.rows.append(np.concatenate([np.atleast_1d(row[name]) for name in AXES]))
        self.points.append(out.axes)

    def run(self) -> Inside:
        session = ServedFacility(**OPTIONS).served(self).session(0)  # pyright: ignore[reportArgumentType]
        while self.running < CYCLES:
            session.advance_to(session.now_ns + round(CYCLE * 1e9))
            assert session.time < 20.0
        return self


@pytest.fixture(scope="module")
def outside() -> Iterator[tuple[Controllers, list[subprocess.Popen[str]]]]:
    """Both controllers as processes, and the facility's ends of their links."""
    configs = [read_rsi_config(EXAMPLE / f"controller{n}.xml") for n in (1, 2)]
    links = [RsiSensorLink(config, port=0, decimals=DECIMALS) for config in configs]
    processes = []
    for n, link in enumerate(links, 1):
        robot = f"robot{n}={EXAMPLE / f'controller{n}.xml'},{EXAMPLE / f'controller{n}.rsi.xml'},127.0.0.1:{link.port}"
        fields = ["--set", "rail=6 m", "--set", "facility.joints=elastic"]
        command = [sys.executable, "-m", "freefloat", "facility", "lrc", robot, *fields, "--pace", "lockstep", "--json"]
        pipe = subprocess.PIPE
        processes.append(subprocess.Popen(command, text=True, stdout=pipe, stderr=pipe))
    for process in processes:
        assert process.stdout.readline(), process.stderr.read()
    yield (
        Controllers(
            [Controller(n, config, link) for n, (config, link) in enumerate(zip(configs, links, strict=True), 1)]
        ),
        processes,
    )
    for process, link in zip(processes, links, strict=True):
        process.kill()
        process.communicate()
        link.close()


def test_controllers_over_rsi_execute_the_same_axes_one_cycle_later(
    outside: tuple[Controllers, list[subprocess.Popen[str]]],
) -> None:
    controllers, processes = outside
    simulated, executed = Inside(Controllers()).run(), Inside(controllers).run()
    assert len(simulated.rows) == len(executed.rows)
    assert np.array(simulated.points).tobytes() == np.array(executed.points).tobytes()
    ours, theirs = np.array(simulated.rows), np.array(executed.rows)
    assert np.ptp(ours, axis=0).max() > 0.5
    assert np.abs(np.diff(ours, axis=0)).max() > 1e-4  # a cycle more or less would show
    np.testing.assert_allclose(theirs[1:], ours[:-1], rtol=0.0, atol=1e-10)
    for process in processes:
        process.send_signal(signal.SIGTERM)
        assert process.wait() == 0
