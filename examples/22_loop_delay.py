"""Force feedback through a late machine: how late it may be, and the damping that makes a planned one stable."""

import argparse

import numpy as np

import freefloat as ff
from freefloat.gnc.control.loop_delay import critical_delay, damping_for_delay, sampled_critical_delay
from freefloat.missions.impacts.delay_lanes import Lanes

MASS, STIFFNESS = 50.0, 5e4  # [kg] of two satellites of 100 kg as they meet, [N/m] of their contact
CYCLE, DELAY = 0.004, 0.012  # [s] of the facility


def run(damping: float) -> tuple[Lanes, ff.Result]:
    """The loop at the facility's delay: a satellite in one world, its mock-up at a wall in the other."""
    lanes = Lanes(MASS, STIFFNESS, damping, CYCLE, delays=(DELAY,))
    return lanes, ff.Mission(worlds=lanes.worlds(), tasks=lanes.tasks()).run(2.0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plot", metavar="PATH", help="save a plot of both motions")
    plot = parser.parse_args().plot

    print(f"{MASS:g} kg on {STIFFNESS:g} N/m: critical delays")
    for damping in (0.0, 100.0, 500.0, 1000.0):
        late = 1e3 * critical_delay(MASS, STIFFNESS, damping)
        held = 1e3 * sampled_critical_delay(MASS, STIFFNESS, damping, CYCLE)
        print(f"  damping {damping:6g} N s/m: {late:6.3f} ms; force held over {1e3 * CYCLE:g} ms: {held:6.3f} ms")

    needed = damping_for_delay(MASS, STIFFNESS, DELAY + 0.5 * CYCLE)
    print(f"a delay of {1e3 * DELAY:g} ms and half a cycle needs {needed:.0f} N s/m")
    results = {}
    for damping in (500.0, 1.1 * needed):
        lanes, result = run(damping)
        x = np.abs(result["satellite1.p_WB"][:, 0])
        growths = lanes.growths_of(result)
        first, last = 1e3 * x[:40].max(), 1e3 * x[-40:].max()
        told = f"{first:.1f} mm at first, {last:.1f} mm after 2 s, as exp({growths[0]:+.2f} t)"
        print(f"  with {damping:4.0f} N s/m it {'grows' if growths[0] > 0.0 else 'decays'}: {told}")
        results[f"{damping:.0f} N s/m"] = result
    if plot:
        from freefloat.charts import draw_lines, panels, save

        figure, (ax,) = panels(1)
        lines = {name: 1e3 * result["satellite1.p_WB"][:, 0] for name, result in results.items()}
        t = next(iter(results.values())).time("satellite1.p_WB")
        draw_lines(ax, t, lines, "penetration [mm]", f"Delay {1e3 * DELAY:g} ms, cycle {1e3 * CYCLE:g} ms: by damping")
        save(figure, plot)


if __name__ == "__main__":
    main()
