"""Thrusters, valves and a tank: a burn along one axis, against the rocket equation; the mass follows the propellant."""

import argparse
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

import freefloat as ff
from freefloat.actuators import Tank, Thruster, Thrusters, Valves
from freefloat.sensors import Accelerometer

DRY, PROPELLANT = 90.0, 10.0  # [kg]
THRUST, ISP, G0 = 5.0, 220.0, 9.80665  # [N] each, [s], [m/s^2]
CORNERS = [(-0.5, y, z) for y in (-0.3, 0.3) for z in (-0.3, 0.3)]  # [m] on the face -x


@dataclass
class Burn:
    """All thrusters open until an accelerometer has counted the wanted change of velocity."""

    wanted: float  # [m/s]
    gained: float = 0.0  # [m/s]
    last_t: float = 0.0  # [s]

    def update(self, t: float, meas: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        self.gained += float(meas["f"][0]) * (t - self.last_t)
        self.last_t = t
        return {"request": np.full(4, float(self.gained < self.wanted)), "gained": np.array([self.gained])}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plot", metavar="PATH", help="save a plot of velocity, thrust and propellant")
    plot = parser.parse_args().plot

    sat = ff.RigidBody("sat", DRY, size=(1.0, 1.0, 1.0), variable=True)  # without its propellant
    jets = [Thruster(p, (1.0, 0.0, 0.0), THRUST, ISP, opening=0.02, closing=0.03) for p in CORNERS]
    tank = Tank("tank", "sat", ["jets"], PROPELLANT, period=0.05)
    burn = ff.Task(
        Burn(2.0),
        period=0.05,
        reads={"f": "sat.f_WB_B"},
        sensors={"f": ff.Sensor(model=Accelerometer())},
        writes={"request": "jets.request"},
        records={"gained": ff.Signal("burn.gained", "m/s", (1,), meaning="velocity that the accelerometer counted")},
        name="burn",
    )
    mission = ff.Mission(
        [sat, Thrusters("jets", "sat", jets, valves=Valves(min_on=0.1, min_off=0.1, period=0.01)), tank],
        tasks=[burn],
    )
    result = mission.run(15.0, seed=1)

    drawn = result["jets.propellant"][-1].sum()
    impulse = result["jets.impulse"][-1].sum()
    speed = result["sat.v_WB"][-1, 0]
    ideal = ISP * G0 * np.log((DRY + PROPELLANT) / (DRY + PROPELLANT - drawn))
    print(f"velocity gained {speed:.5f} m/s; accelerometer counted {result['burn.gained'][-1, 0]:.5f} m/s")
    print(f"rocket equation for {drawn:.5f} kg of propellant: {ideal:.5f} m/s")
    print(f"impulse / (Isp g0) - propellant: {impulse / (ISP * G0) - drawn:.0e} kg")
    print(f"mass at the end {result['audit.mass'][-1]:.5f} kg, drift {result.metrics['audit.mass_drift']:.0e}")
    print(f"momentum drift {result.metrics['audit.linear_momentum_drift']:.0e}")
    if plot:
        result.plot("sat.v_WB", "jets.thrust", "jets.propellant", path=plot)


if __name__ == "__main__":
    main()
