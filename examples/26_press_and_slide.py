"""An arm presses on a rigid plate and slides along it: a connection that holds one direction, and only pushes."""

import argparse

import numpy as np

from freefloat.gnc.control.operations import Operation
from freefloat.scenario.files import load

FIRST, THEN = 10.0, 30.0  # [N]
WAY = 0.04  # [m] there and back


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plot", metavar="PATH", help="save a plot of the force")
    plot = parser.parse_args().plot

    wipe = {"wipe.force": FIRST, "wipe.press": "2 s", "wipe.by": [0, WAY, 0]}
    mission = load("spider-force-control", {**wipe, "surface.friction": 0.2}).build()
    (plan,) = (task.controller for task in mission.tasks if task.name == "plan")
    plan.begin(
        [
            Operation("press", force=THEN, settle=2.0),
            Operation("slide", by=(0.0, -WAY, 0.0), speed=0.02, force=THEN, settle=0.5),
        ]
    )
    result = mission.run("13 s")
    record, begun = result.of("force"), result.controllers["plan"].started_at
    t, force, place = record.t, record["touch.push"].ravel(), record["surface.p_SN"]

    met = result.events[0]
    print(f"met the plate at {met.t:.3f} s: {met.result}")
    steps = (("slide there", FIRST, begun[2], begun[3]), ("slide back", THEN, begun[4], t[-1]))
    for name, wanted, start, end in steps:
        during = (t >= start) & (t < end)
        rms = np.sqrt(np.mean((force[during] - wanted) ** 2))
        way = np.ptp(place[during, 1])
        print(f"{name}: {1e3 * way:.0f} mm under {wanted:g} N, kept within {rms:.2f} N RMS")
    closed = np.isfinite(force)  # an open connection pushes nothing
    print(f"the point is at most {np.abs(place[closed, 2]).max():.0e} m off the plate while it touches")
    print(f"all done: {result.controllers['plan'].finished}; audit passed: {result.audit.passed}")
    if plot:
        from freefloat.charts import draw_lines, panels, save

        figure, (ax,) = panels(1)
        wanted = np.select([t >= begun[3], t >= begun[1]], [THEN, FIRST], 0.0)
        draw_lines(ax, t, {"wanted": wanted, "plate on stylus": np.nan_to_num(force)}, "force [N]", "Press and slide")
        ax.set_xlabel("time [s]")
        save(figure, plot)


if __name__ == "__main__":
    main()
