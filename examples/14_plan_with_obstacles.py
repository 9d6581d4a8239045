"""A platform plans its way around two columns, and a scenario of your own follows the plan."""

import argparse
import math
from typing import ClassVar

import numpy as np

import freefloat as ff
from freefloat.gnc.planning.platform.hermite_reference import HermiteReference
from freefloat.gnc.planning.platform.plan import Plan
from freefloat.gnc.planning.platform.planner import Planner
from freefloat.gnc.planning.platform.problem import Obstacle, PlanError, PlanLimits
from freefloat.missions.platform.reacsa_scenario import ReacsaScenario

COLUMNS = (Obstacle(0.1, -1.0, 0.3), Obstacle(-0.2, 1.2, 0.4))  # [m] x, y, radius
FLOOR = (-2.4, 2.4, -4.5, 4.5)  # [m] walls: x from, x to, y from, y to
LIMITS = PlanLimits(floor=FLOOR, clearance=0.1)  # [m] room beyond the body's radius
START, GOAL = (0.0, -3.0, 0.0), (0.0, 3.0, math.pi / 2)


class AroundColumns(ReacsaScenario):
    """REACSA on a plan instead of a shipped reference; floor, thrusters and tracker are fields as always."""

    kind: ClassVar[str] = "around-columns"
    title: ClassVar[str] = "A floating platform goes around two columns"
    path: ClassVar[Plan]

    def reference(self) -> HermiteReference:
        """The plan's poses and rates."""
        return self.path.reference()


def nearest(places: np.ndarray) -> float:
    """[m] between the body's rim and a column, at the closest."""
    gaps = [np.hypot(*(places - (o.x, o.y)).T).min() - o.radius - LIMITS.radius for o in COLUMNS]
    return float(min(gaps))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plot", metavar="PATH", help="save a picture of the plan and of the way that was gone")
    plot = parser.parse_args().plot

    planner = Planner(limits=LIMITS, obstacles=COLUMNS, knots=60)
    fastest = planner.time_optimal(START, GOAL)
    print(f"fastest: {fastest.duration:.2f} s, valves open {fastest.on_time:.1f} s")
    path = planner.in_duration(START, GOAL, 90.0, "propellant")
    print(f"in 90 s with the least gas: {path.on_time:.2f} s, {nearest(path.states[:, :2]):.3f} m from a column")
    try:
        planner.in_duration(START, GOAL, 0.8 * fastest.duration)
    except PlanError as error:
        print(f"in less than the least time: {str(error).partition(':')[0]}")

    AroundColumns.path = path
    result = ff.run(AroundColumns(duration=100.0))
    m, pose = result.metrics, result["reacsa.pose"]
    print(f"followed: {1e3 * m['rms_position_m']:.1f} mm, {m['rms_angle_deg']:.2f} deg (root mean square)")
    print(f"  {nearest(pose[:, :2]):.3f} m from a column, valves open {m['total_on_time_s']:.1f} s on the uneven floor")
    print(f"  at the goal: {'yes' if m['end_reached'] else 'no'}")
    if plot:
        draw(path, pose, plot)


def draw(path: Plan, pose: np.ndarray, file: str) -> None:
    """Columns, plan and track on the floor."""
    from matplotlib.figure import Figure
    from matplotlib.patches import Circle

    figure = Figure(figsize=(4.0, 6.5), layout="constrained")
    ax = figure.subplots()
    for o in COLUMNS:
        ax.add_patch(Circle((o.x, o.y), o.radius, color="#8a8a8a"))
    for x, y, _ in pose[:: len(pose) // 8]:
        ax.add_patch(Circle((x, y), LIMITS.radius, fill=False, color="#c9d6e8"))
    ax.plot(*path.reference().sampled(np.linspace(0.0, path.duration, 500))[0][:, :2].T, "k--", label="plan")
    ax.plot(pose[:, 0], pose[:, 1], color="#1f5fa8", label="platform")
    ax.set(xlim=FLOOR[:2], ylim=FLOOR[2:], aspect="equal", xlabel="x [m]", ylabel="y [m]")
    ax.legend(frameon=False)
    figure.savefig(file)


if __name__ == "__main__":
    main()
