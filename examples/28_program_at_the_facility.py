"""A program of one's own in the docking facility's loop: it answers every state, and its servicer flies round a client.

The same class is a task of a scenario here and an application behind the sync link elsewhere: it sees a state record
[cycle, mode, 22 values] and returns one, and imports nothing of Freefloat.
"""

import argparse
import math
from typing import ClassVar

import numpy as np

from freefloat.facility.procedure import automatic
from freefloat.missions.facility.scenario import FacilityScenario

ALIVE = 1 << 14  # bit of the mode: the facility executes what it is told
CYCLE = 0.004  # [s]
CLW = 1  # coordinates of a point of view, with quaternions x y z w
RADIUS, SWING, PERIOD = 2.5, math.radians(20.0), 10.0  # [m], [rad], [s]


class FlyRound:
    """Holds its first pose until bit 14 is set, then swings aside and back on a circle, looking at the client."""

    def __init__(self) -> None:
        self.cycles = 0

    def update(self, t: float, meas: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        state = meas["state"]
        self.cycles = self.cycles + 1 if int(state[1]) & ALIVE else 0
        s = self.cycles * CYCLE
        angle = SWING * math.sin(math.pi * s / PERIOD) ** 2
        record = np.zeros(24)
        record[0], record[1] = state[0], CLW
        record[2:5] = RADIUS * math.cos(angle), RADIUS * math.sin(angle), 0.0
        record[5:9] = 0.0, 0.0, math.sin(0.5 * angle), math.cos(0.5 * angle)
        record[9:16] = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0  # the client at the point of view
        record[16:23] = 1.9, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0  # the point of view in the lab
        record[23] = 1.5  # data lin
        return {"record": record}


class FlyRoundScenario(FacilityScenario):
    """`freefloat run examples/28_program_at_the_facility.py:FlyRoundScenario` runs it too."""

    kind: ClassVar[str] = "fly-round"
    title: ClassVar[str] = "A servicer flies round a client in the docking facility"

    def build(self):
        """Sync mode, with an operator who confirms as soon as the facility is ready."""
        return self.mission(automatic("sync"), FlyRound())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plot", metavar="PATH", help="save a plot of the servicer's way")
    plot = parser.parse_args().plot

    result = FlyRoundScenario().build().run("14 s")
    operation = result.controllers["fmc"].operation
    place = result["act.clw"][:, :3]
    print(f"state: {operation.state}; {operation.reason.text or 'nothing stopped it'}")
    acting = result["cmd.mode"].astype(int) & ALIVE > 0
    off = np.ptp(np.linalg.norm(place[acting], axis=1))
    bearing = np.degrees(np.arctan2(place[:, 1], place[:, 0]))
    print(f"up to {bearing.max():.2f} deg round the client, its distance even to {off:.0e} m")
    print(f"audit passed: {result.audit.passed}")
    if plot:
        result.plot("rob1.act.axes", "rail.act", path=plot)


if __name__ == "__main__":
    main()
